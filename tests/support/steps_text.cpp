// SPDX-License-Identifier: Apache-2.0
#include "tests/support/steps_text.h"

#include <algorithm>
#include <format>
#include <string_view>
#include <variant>

namespace nestwright::tests {

namespace {

constexpr std::string_view head = "# from tvm import tir\ndef apply_trace(sch: tir.Schedule) -> None:\n";
constexpr int headLines = 2;

std::string valueText(const te::ScheduleSteps &steps, const te::StepValue &value)
{
    if (std::holds_alternative<std::monostate>(value.value))
        return "None";
    if (const auto *flag = std::get_if<bool>(&value.value))
        return *flag ? "True" : "False";
    if (const auto *number = std::get_if<std::int64_t>(&value.value))
        return std::to_string(*number);
    if (const auto *number = std::get_if<double>(&value.value))
        return std::format("{}", *number);
    if (const auto *result = std::get_if<te::StepResult>(&value.value))
        return steps.resultNames[static_cast<std::size_t>(result->index)];
    if (const auto *string = std::get_if<std::string>(&value.value)) {
        std::string quoted = "\"";
        for (const char c : *string) {
            if (c == '"' || c == '\\')
                quoted += '\\';
            quoted += c;
        }
        return quoted + "\"";
    }
    std::string items;
    for (const te::StepValue &item : std::get<std::vector<te::StepValue>>(value.value))
        items += (items.empty() ? "" : ", ") + valueText(steps, item);
    return "[" + items + "]";
}

std::string stepText(const te::ScheduleSteps &steps, const te::StepDescription &step)
{
    std::string line;
    for (const int result : step.results)
        line += (line.empty() ? "" : ", ") + steps.resultNames[static_cast<std::size_t>(result)];
    // A list of one loop is unpacked with a comma behind it.
    if (!line.empty())
        line += step.primitive == "get_loops" && step.results.size() == 1 ? ", = " : " = ";
    std::string arguments;
    for (const auto &[name, value] : step.arguments) {
        arguments += arguments.empty() ? "" : ", ";
        if (name != "loops") {
            arguments += name + "=" + valueText(steps, value);
            continue;
        }
        const std::string loops = valueText(steps, value);
        arguments += loops.substr(1, loops.size() - 2);
    }
    return line + std::format("sch.{}({})", step.primitive, arguments);
}

} // namespace

std::string stepsText(const te::ScheduleSteps &steps)
{
    if (!steps.written.empty())
        return steps.written;
    std::string text(head);
    for (const te::StepDescription &step : steps.steps)
        text += "  " + stepText(steps, step) + "\n";
    if (steps.steps.empty())
        text += "  pass\n";
    return text;
}

int sourceLineOfText(const te::ScheduleSteps &steps, int line)
{
    return steps.written.empty()
               ? steps.sourceLine(static_cast<std::size_t>(std::max(0, line - 1 - headLines)))
               : line;
}

} // namespace nestwright::tests
