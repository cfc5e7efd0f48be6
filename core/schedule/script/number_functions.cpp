// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/number_functions.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

ArgValue rangeOf(const ScriptValues &values, const py::Call &node, const std::vector<std::int64_t> &numbers)
{
    constexpr std::int64_t most = 10'000;
    if (numbers.empty() || numbers.size() > 2)
        values.fail(node.at, "script.value", "range takes one number or two here");
    const std::int64_t begin = numbers.size() == 2 ? numbers[0] : 0, end = numbers.back();
    if (end > begin && static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin) > most)
        values.fail(node.at, "script.too-long", "a range of more than " + std::to_string(most) + " numbers");
    ArgList list;
    for (std::int64_t i = begin; i < end; ++i)
        list.emplace_back(i);
    return list;
}

} // namespace

std::optional<ArgValue> numberFunction(ScriptValues &values, const py::Call &node, const std::string &callee)
{
    static constexpr std::string_view names[] = {"len", "range", "min", "max", "int"};
    if (!std::ranges::contains(names, callee))
        return std::nullopt;
    const ArgList args = values.evaluateAll(node.args);
    if (callee == "len") {
        if (args.size() != 1 || !args.front().as<ArgList>())
            values.fail(node.at, "script.value", "len takes one list");
        return static_cast<std::int64_t>(args.front().as<ArgList>()->size());
    }
    std::vector<std::int64_t> numbers;
    for (const ArgValue &arg : args) {
        const std::int64_t *number = arg.as<std::int64_t>();
        if (!number)
            values.fail(node.at, "script.value",
                        callee + " takes integers here, found " + std::string(kindOf(arg)));
        numbers.push_back(*number);
    }
    if (callee == "range")
        return rangeOf(values, node, numbers);
    if (callee == "int" ? numbers.size() != 1 : numbers.size() < 2)
        values.fail(node.at, "script.value",
                    callee + (callee == "int" ? " takes one number" : " takes two numbers or more"));
    return callee == "max" ? std::ranges::max(numbers) : std::ranges::min(numbers);
}

} // namespace nestwright::schedule
