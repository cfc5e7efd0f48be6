// SPDX-License-Identifier: Apache-2.0
#include "core/session/sweep.h"

#include "core/schedule/primitive.h"
#include "core/schedule/state_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace nestwright::session {

using schedule::ArgList;
using schedule::ArgValue;
using schedule::FieldKind;

namespace {

constexpr std::int64_t mostValue = 4096;

/// Whether a field holds amounts. Numbers of others name a place, so another one is another step.
bool isAmount(const schedule::Field &field)
{
    const bool isNumber = field.kind == FieldKind::Int || field.kind == FieldKind::Ints
                          || field.kind == FieldKind::OptionalInts;
    return isNumber && !field.name.contains("axis") && !field.name.contains("index")
           && !field.name.contains("ndim");
}

} // namespace

std::vector<StepNumber> numbersOf(const schedule::Step &step)
{
    std::vector<StepNumber> numbers;
    if (!step.primitive)
        return numbers;
    for (std::size_t i = 0; i < step.args.size(); ++i) {
        const schedule::Field &field = step.primitive->fields[i];
        if (!isAmount(field))
            continue;
        const std::string name(field.name);
        if (const auto *number = step.args[i].as<std::int64_t>())
            numbers.push_back({.field = i, .name = name, .value = *number});
        const ArgList *list = step.args[i].as<ArgList>();
        for (std::size_t j = 0; list && j < list->size(); ++j) {
            if (const auto *number = (*list)[j].as<std::int64_t>())
                numbers.push_back({.field = i,
                                   .element = j,
                                   .name = name + '[' + std::to_string(j) + ']',
                                   .value = *number});
        }
    }
    return numbers;
}

schedule::Step withNumber(schedule::Step step, const StepNumber &number, std::int64_t value)
{
    ArgValue &argument = step.args.at(number.field);
    if (!number.element) {
        argument = value;
        return step;
    }
    ArgList list = *argument.as<ArgList>();
    list.at(*number.element) = value;
    argument = std::move(list);
    return step;
}

std::vector<std::int64_t> valuesFor(const schedule::State &before, const schedule::Step &step,
                                    const StepNumber &number)
{
    std::int64_t most = std::min(mostValue, number.value * 16);
    for (const ArgValue &argument : step.args) {
        const auto *id = argument.as<ir::StmtId>();
        const analysis::FunctionIndex *index = id ? before.index->of(*id) : nullptr;
        const ir::For *loop = index ? index->loop(*id) : nullptr;
        if (const auto *extent = loop ? loop->extent.as<ir::IntImm>() : nullptr) {
            most = std::min(mostValue, extent->value);
            break;
        }
    }
    std::set<std::int64_t> values{number.value};
    for (std::int64_t power = 2; power <= most; power *= 2) {
        values.insert(power);
        if (power >= 4 && power / 2 * 3 <= most)
            values.insert(power / 2 * 3);
    }
    return {values.begin(), values.end()};
}

SweepPoint sweepPoint(const VariantTree &tree, VariantId variant, const StepNumber &number,
                      std::int64_t value, VariantId tip, const explore::Machine &machine)
{
    SweepPoint point{.value = value,
                     .edit =
                         changeStep(tree, variant, withNumber(tree.at(variant).step, number, value), tip)};
    Replayed replayed = replay(tree, point.edit);
    if (replayed.conflict)
        point.why = std::move(replayed.conflict);
    else if (!replayed.steps.empty() && !replayed.steps.back().applied)
        point.why = replayed.steps.back().applied.error();
    if (point.why)
        return point;
    point.prediction = explore::predict(replayed.end, machine);
    point.state = std::move(replayed.end);
    return point;
}

namespace {

std::vector<double> ranksOf(const std::vector<double> &figures)
{
    std::vector<std::size_t> order(figures.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return figures[i]; });
    std::vector<double> ranks(figures.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i;
        while (end < order.size() && figures[order[end]] == figures[order[i]])
            ++end;
        for (std::size_t j = i; j < end; ++j)
            ranks[order[j]] = static_cast<double>(i + end - 1) / 2;
        i = end;
    }
    return ranks;
}

} // namespace

double rankCorrelation(const std::vector<double> &a, const std::vector<double> &b)
{
    const std::vector<double> x = ranksOf(a), y = ranksOf(b);
    const double mean = static_cast<double>(x.size() - 1) / 2;
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

} // namespace nestwright::session
