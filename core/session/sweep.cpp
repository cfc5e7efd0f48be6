// SPDX-License-Identifier: Apache-2.0
#include "core/session/sweep.h"

#include "core/schedule/primitive.h"
#include "core/schedule/state_index.h"

#include <algorithm>
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

} // namespace nestwright::session
