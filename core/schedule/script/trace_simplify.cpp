// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/trace_simplify.h"

#include <algorithm>
#include <unordered_set>

namespace nestwright::schedule {

namespace {

using UsedResults = std::unordered_set<std::uint32_t>;

void collectResults(const ArgValue &value, UsedResults &used)
{
    if (value.result)
        used.insert(value.result);
    if (const ArgList *list = value.as<ArgList>()) {
        for (const ArgValue &item : *list)
            collectResults(item, used);
    }
    if (const ArgMap *map = value.as<ArgMap>()) {
        for (const ArgValue &item : map->values)
            collectResults(item, used);
    }
}

/// UsedResults are counted anew, as some steps are gone.
void renumber(ArgValue &value, const std::map<std::uint32_t, std::uint32_t> &numbers)
{
    if (const auto number = numbers.find(value.result); number != numbers.end())
        value.result = number->second;
    if (auto *list = std::get_if<ArgList>(&value.value)) {
        for (ArgValue &item : *list)
            renumber(item, numbers);
    }
    if (auto *map = std::get_if<ArgMap>(&value.value)) {
        for (ArgValue &item : map->values)
            renumber(item, numbers);
    }
}

/// Whether the step only looks or chooses.
bool isPure(const Primitive &primitive) { return primitive.isQuery || primitive.decisionIndex(); }

} // namespace

std::vector<Step> simplifiedTrace(std::span<const ScriptStep> steps, bool dropPostproc)
{
    const auto postproc = std::ranges::find_if(
        steps, [](const ScriptStep &step) { return step.step.primitive->name == "enter_postproc"; });
    if (dropPostproc)
        steps = steps.first(static_cast<std::size_t>(postproc - steps.begin()));
    UsedResults used;
    std::vector<bool> isKept(steps.size());
    for (std::size_t i = steps.size(); i-- > 0;) {
        isKept[i] = !isPure(*steps[i].step.primitive)
                    || std::ranges::any_of(steps[i].outputs, [&](const ArgValue &output) {
                           return used.contains(output.result);
                       });
        for (const ArgValue &arg : steps[i].step.args) {
            if (isKept[i])
                collectResults(arg, used);
        }
    }
    std::vector<Step> kept;
    std::map<std::uint32_t, std::uint32_t> numbers;
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!isKept[i])
            continue;
        kept.push_back(steps[i].step);
        for (ArgValue &arg : kept.back().args)
            renumber(arg, numbers);
        for (const ArgValue &output : steps[i].outputs)
            numbers[output.result] = ++count;
    }
    return kept;
}

} // namespace nestwright::schedule
