// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/own_schedules.h"

#include "core/script/print/printer.h"

#include <algorithm>
#include <format>

namespace nestwright::te {

/// Placeholders that `outputs` need, in the order they were made, then the outputs.
std::vector<Argument> argumentsOf(const Interpreter &interpreter, const std::vector<Tensor> &outputs)
{
    std::vector<Tensor> needed = outputs;
    for (std::size_t i = 0; i < needed.size(); ++i) {
        const std::vector<Tensor> inputs = needed[i].operation().inputs;
        for (const Tensor &input : inputs) {
            if (std::find(needed.begin(), needed.end(), input) == needed.end())
                needed.push_back(input);
        }
    }
    std::vector<Argument> arguments;
    for (const Tensor &tensor : interpreter.tensors()) {
        if (tensor.operation().isPlaceholder
            && std::find(needed.begin(), needed.end(), tensor) != needed.end())
            arguments.emplace_back(tensor);
    }
    arguments.insert(arguments.end(), outputs.begin(), outputs.end());
    return arguments;
}

void completeArguments(const Interpreter &interpreter, ScriptKernel &kernel)
{
    if (!kernel.arguments.empty() || !kernel.schedule)
        return;
    std::vector<Tensor> outputs;
    for (const auto &operation : kernel.schedule->outputs()) {
        for (std::size_t i = 0; i < operation->outputs.size(); ++i)
            outputs.emplace_back(operation, static_cast<int>(i));
    }
    kernel.arguments = argumentsOf(interpreter, outputs);
}

namespace {

/// The program of `kernel`, when it is that of `last` as far as its text tells; null when it is another.
std::optional<ir::Module> sameProgram(const Interpreter &interpreter, ScriptKernel &kernel,
                                      const ScriptKernel &last, const ir::Module &module,
                                      const std::string &text)
{
    if (&kernel == &last)
        return module;
    const bool sameOutputs =
        kernel.schedule && last.schedule && kernel.schedule->outputs() == last.schedule->outputs();
    if (kernel.arguments.empty() && sameOutputs)
        kernel.arguments = last.arguments;
    completeArguments(interpreter, kernel);
    support::Result<ir::Module> made = createModule(kernel.arguments, kernel.name);
    return made && script::print(*made).text == text ? std::optional(*std::move(made)) : std::nullopt;
}

/// Names that stand twice get the line that makes the schedule.
void makeUnique(std::vector<OwnSchedule> &schedules, const std::vector<int> &lines)
{
    std::vector<std::string> names;
    for (const OwnSchedule &each : schedules)
        names.push_back(each.name);
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        if (names[i].empty())
            schedules[i].name = std::format("line {}", lines[i]);
        else if (std::ranges::count(names, names[i]) > 1)
            schedules[i].name = std::format("{} (line {})", names[i], lines[i]);
        schedules[i].steps.name = schedules[i].name;
    }
}

} // namespace

OwnSchedules schedulesOf(Interpreter &interpreter, const ir::Module &module)
{
    OwnSchedules own;
    std::vector<int> lines;
    const std::string text = script::print(module).text;
    const ScriptKernel &last = interpreter.kernels().back();
    for (ScriptKernel &kernel : interpreter.kernels()) {
        const std::optional<ir::Module> program = sameProgram(interpreter, kernel, last, module, text);
        if (!program) {
            own.otherLines.push_back(kernel.line);
        } else if (kernel.schedule) {
            own.schedules.push_back(
                {kernel.schedule.get(), kernel.label,
                 toSteps(interpreter, *kernel.schedule, program->functions()[0].function->body)});
            lines.push_back(kernel.line);
        }
    }
    makeUnique(own.schedules, lines);
    return own;
}

} // namespace nestwright::te
