// SPDX-License-Identifier: Apache-2.0
#include "core/explore/step_numbers.h"

#include "core/schedule/primitive.h"
#include "core/schedule/state_index.h"

#include <algorithm>
#include <bit>
#include <set>

namespace nestwright::explore {

using schedule::ArgList;
using schedule::ArgValue;
using schedule::FieldKind;

namespace {

constexpr std::int64_t mostValue = 4096;
constexpr std::size_t mostValues = 24; ///< with those that do not divide the loop

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

std::optional<std::int64_t> iterationsOf(const schedule::State &before, const schedule::Step &step)
{
    for (const ArgValue &argument : step.args) {
        const auto *id = argument.as<ir::StmtId>();
        const analysis::FunctionIndex *index = id ? before.index->of(*id) : nullptr;
        const ir::For *loop = index ? index->loop(*id) : nullptr;
        if (const auto *extent = loop ? loop->extent.as<ir::IntImm>() : nullptr)
            return extent->value;
    }
    return std::nullopt;
}

std::vector<std::int64_t> valuesFor(const schedule::State &before, const schedule::Step &step,
                                    const StepNumber &number)
{
    const std::int64_t iterations = iterationsOf(before, step).value_or(0);
    const std::int64_t most = std::min(mostValue, iterations > 0 ? iterations : number.value * 16);
    std::set<std::int64_t> values{number.value};
    for (std::int64_t power = 2; power <= most; power *= 2) {
        values.insert(power);
        if (power >= 4 && power / 2 * 3 <= most)
            values.insert(power / 2 * 3);
    }
    for (std::int64_t value = 2; value <= most && iterations > 0; ++value) {
        if (iterations % value == 0)
            values.insert(value);
    }
    const auto isMiddle = [&](std::int64_t value) {
        return value != number.value && iterations > 0 && iterations % value != 0
               && !std::has_single_bit(static_cast<std::uint64_t>(value));
    };
    if (values.size() > mostValues)
        std::erase_if(values, isMiddle);
    return {values.begin(), values.end()};
}

} // namespace nestwright::explore
