// SPDX-License-Identifier: Apache-2.0
#include "core/te/te_script.h"

#include "core/script/python_parser.h"
#include "core/te/schedule_lines.h"
#include "core/te/script/interpreter.h"
#include "core/te/script/legacy_schedule.h"

#include <algorithm>
#include <format>
#include <ranges>

namespace nestwright::te {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

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

/// The tensors of the script that no other tensor reads.
std::vector<Tensor> finalTensors(const Interpreter &interpreter)
{
    std::vector<Tensor> outputs;
    for (const Tensor &tensor : interpreter.tensors()) {
        const bool isRead =
            std::any_of(interpreter.tensors().begin(), interpreter.tensors().end(), [&](const Tensor &other) {
                const std::vector<Tensor> &inputs = other.operation().inputs;
                return std::find(inputs.begin(), inputs.end(), tensor) != inputs.end();
            });
        if (!tensor.operation().isPlaceholder && !isRead)
            outputs.push_back(tensor);
    }
    return outputs;
}

/// What a function of the script returned: a kernel, tensors, or a schedule and tensors.
void takeResult(Interpreter &interpreter, const Value &value, py::Position at)
{
    const auto *list = value.as<ListValue>();
    if (!list || list->items->empty())
        return;
    if (const auto *schedule = (*list->items)[0].as<ScheduleValue>(); schedule && list->items->size() == 2) {
        interpreter.setScheduleArguments(schedule->schedule.get(), (*list->items)[1], at);
        return;
    }
    if ((*list->items)[0].as<Tensor>())
        interpreter.addKernel(value, at);
}

/// A script that only defines functions: the last that needs no arguments is called.
void callLastFunction(Interpreter &interpreter, const py::Module &module)
{
    const py::FunctionDef *waiting = nullptr;
    for (const auto &statement : std::views::reverse(module.body)) {
        const auto *function = statement->as<py::FunctionDef>();
        const Value *value = function ? interpreter.globals().find(function->name) : nullptr;
        if (!value || !value->as<ClosureValue>() || interpreter.wasCalled(function->name))
            continue;
        const bool ready =
            std::all_of(function->params.begin(), function->params.end(), [](const py::Param &param) {
                return param.defaultValue || param.kind != py::Param::Kind::Plain;
            });
        if (ready) {
            takeResult(interpreter, interpreter.call(*value, std::vector<Value>(), function->at),
                       function->at);
            return;
        }
        waiting = waiting ? waiting : function;
    }
    if (!waiting)
        return;
    std::string parameters;
    for (const py::Param &param : waiting->params)
        parameters += (parameters.empty() ? "" : ", ") + param.name;
    interpreter.fail(waiting->at, "te.no-kernel",
                     std::format("the script makes no kernel: nothing calls \"{}\"", waiting->name),
                     std::format("add a line that calls {}({}) with its sizes", waiting->name, parameters));
}

Result<TeScript> finish(Interpreter &interpreter, const py::Module &tree, std::string_view text)
{
    if (interpreter.kernels().empty()) {
        const std::vector<Tensor> outputs = finalTensors(interpreter);
        if (outputs.empty()) {
            return fail(
                diagnostic("te.no-kernel", "the script computes no tensor")
                    .at(tree.fileName, 1, 1)
                    .withHint("describe one with te.compute and finish with te.create_prim_func([A, B, C])"));
        }
        interpreter.kernels().push_back({"main", argumentsOf(interpreter, outputs), nullptr, 1});
    }
    ScriptKernel &kernel = interpreter.kernels().back();
    if (kernel.arguments.empty()) {
        std::vector<Tensor> outputs;
        for (const auto &operation : kernel.schedule->outputs()) {
            for (std::size_t i = 0; i < operation->outputs.size(); ++i)
                outputs.emplace_back(operation, static_cast<int>(i));
        }
        kernel.arguments = argumentsOf(interpreter, outputs);
    }
    Result<ir::Module> module = createModule(kernel.arguments);
    if (!module)
        return fail(std::move(module.error()).at(tree.fileName, kernel.line, 1));
    if (interpreter.kernels().size() > 1) {
        interpreter.note(
            {kernel.line, 1}, "te.several-kernels",
            std::format("the script makes {} kernels; this is the last", interpreter.kernels().size()));
    }
    TeScript script;
    script.module = *module;
    script.graph = stageGraph(script.module);
    if (kernel.schedule) {
        ScheduleSteps steps = toSteps(*kernel.schedule, script.module.functions()[0].function->body);
        if (!steps.steps.empty())
            script.schedule = std::move(steps);
    }
    if (std::string written = kernel.schedule ? std::string() : scheduleLines(tree, text); !written.empty())
        script.schedule = ScheduleSteps{{}, {}, std::move(written)};
    script.notes = interpreter.takeNotes();
    return script;
}

} // namespace

Result<TeScript> readTeScript(std::string_view text, const std::string &fileName)
{
    const Result<py::Module> module = py::parse(text, fileName);
    if (!module)
        return fail(module.error());
    Interpreter interpreter(fileName);
    try {
        interpreter.run(*module);
        if (interpreter.kernels().empty() && finalTensors(interpreter).empty())
            callLastFunction(interpreter, *module);
        return finish(interpreter, *module, text);
    } catch (const support::ScheduleError &error) {
        support::Diagnostic problem = error.diagnostic();
        if (problem.locations.empty())
            problem = std::move(problem).at(fileName, interpreter.line(), 1);
        return fail(std::move(problem));
    }
}

bool looksLikeTeScript(std::string_view text)
{
    for (const std::string_view name :
         {"te.compute(", "te.placeholder(", "tvm.compute(", "tvm.placeholder("}) {
        if (text.contains(name))
            return true;
    }
    return false;
}

} // namespace nestwright::te
