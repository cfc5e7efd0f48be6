// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/te_script.h"

#include "core/frontend/te_script/codes.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/intrinsic_rules.h"
#include "core/frontend/te_script/legacy_schedule.h"
#include "core/frontend/te_script/no_kernel.h"
#include "core/frontend/te_script/own_schedules.h"
#include "core/frontend/te_script/schedule_lines.h"
#include "core/frontend/te_script/script_sizes.h"
#include "core/script/python/parser.h"

#include <algorithm>
#include <format>
#include <ranges>

namespace nestwright::te {

using support::fail;
using support::Result;

namespace {

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

/// Takes the value returned by a function of the script: a kernel, tensors, or a schedule and tensors.
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
void callLastFunction(Interpreter &interpreter, const py::Module &module, bool describesTensors)
{
    const py::FunctionDef *waiting = nullptr;
    for (const auto &statement : std::views::reverse(module.body)) {
        const auto *function = statement->as<py::FunctionDef>();
        const Value *value = function ? interpreter.globals().find(function->name) : nullptr;
        if (!value || !value->as<ClosureValue>() || interpreter.wasCalled(function->name))
            continue;
        const bool ready =
            std::all_of(function->params.begin(), function->params.end(), [&](const py::Param &param) {
                return param.defaultValue || param.kind != py::Param::Kind::Plain
                       || interpreter.givenSize(param.name);
            });
        if (ready) {
            std::vector<Value> sizes; // of parameters without a default
            for (const py::Param &param : function->params) {
                if (!param.defaultValue && param.kind == py::Param::Kind::Plain)
                    sizes.emplace_back(*interpreter.givenSize(param.name));
            }
            takeResult(interpreter, interpreter.call(*value, std::move(sizes), function->at), function->at);
            return;
        }
        waiting = waiting ? waiting : function;
    }
    if (!waiting || !describesTensors)
        return;
    std::string parameters;
    for (const py::Param &param : waiting->params)
        parameters += (parameters.empty() ? "" : ", ") + param.name;
    interpreter.fail(waiting->at, "te.no-kernel",
                     std::format("the script makes no kernel: nothing calls \"{}\"", waiting->name),
                     std::format("add a line that calls {}({}) with its sizes", waiting->name, parameters));
}

/// The comparisons of two programs of this kernel; a note for each other.
std::vector<ProgramComparison> takeComparisons(Interpreter &interpreter, const std::string &fileName,
                                               const std::vector<OwnSchedule> &schedules)
{
    std::vector<ProgramComparison> known;
    const auto nameOf = [&](const LegacySchedule *schedule) -> std::string {
        const auto found = std::ranges::find(schedules, schedule, &OwnSchedule::schedule);
        return found == schedules.end() ? std::string() : found->name;
    };
    for (const ScriptComparison &comparison : interpreter.comparisons()) {
        const std::string before = nameOf(comparison.before), after = nameOf(comparison.after);
        if (before.empty() || after.empty()) {
            interpreter.note(comparison.at, "te.comparison",
                             std::format("not carried out: {} of two kernels", comparison.function));
            continue;
        }
        const std::string text =
            std::format("the script compares \"{}\" with \"{}\" ({}): both are variants of this kernel",
                        before, after, comparison.function);
        known.push_back({before, after,
                         support::diagnostic("te.comparison", text)
                             .at(fileName, comparison.at.line, comparison.at.column)});
    }
    return known;
}

Result<TeScript> finish(Interpreter &interpreter, const py::Module &tree, std::string_view text)
{
    if (interpreter.kernels().empty()) {
        const std::vector<Tensor> outputs = finalTensors(interpreter);
        if (outputs.empty())
            return fail(whyNoKernel(tree, text));
        interpreter.kernels().push_back({"main", argumentsOf(interpreter, outputs), nullptr, 1, {}});
    }
    ScriptKernel &kernel = interpreter.kernels().back();
    completeArguments(interpreter, kernel);
    Result<ir::Module> module = createModule(kernel.arguments, kernel.name);
    if (!module)
        return fail(std::move(module.error()).at(tree.fileName, kernel.line, 1));
    TeScript script;
    script.module = withIntrinsicRules(interpreter, *module);
    const OwnSchedules own = schedulesOf(interpreter, *module);
    if (!own.otherLines.empty()) {
        std::string lines;
        for (const int line : own.otherLines)
            lines += (lines.empty() ? "" : ", ") + std::to_string(line);
        interpreter.note({kernel.line, 1}, "te.several-kernels",
                         std::format("the script makes other kernels, too (line{} {}); this is the last",
                                     own.otherLines.size() > 1 ? "s" : "", lines));
    }
    script.comparisons = takeComparisons(interpreter, tree.fileName, own.schedules);
    for (const OwnSchedule &schedule : own.schedules) {
        if (!schedule.steps.steps.empty())
            script.schedules.push_back(schedule.steps);
    }
    if (!kernel.schedule)
        script.schedules = writtenSchedules(tree, text);
    script.notes = interpreter.takeNotes();
    return script;
}

} // namespace

Result<TeScript> readTeScript(std::string_view text, const std::string &fileName)
{
    auto sized = readTeScript(text, fileName, {});
    return sized ? Result<TeScript>(std::move(sized->script)) : fail(std::move(sized.error()));
}

Result<SizedScript> readTeScript(std::string_view text, const std::string &fileName, const ScriptSizes &given)
{
    const Result<py::Module> module = py::parse(text, fileName);
    if (!module) {
        support::Diagnostic problem = module.error();
        if (text.contains("fn (%")) // Relay's own text
            return fail(whyNoKernel({fileName, {}}, text));
        if (text.contains("\nIn [")) // the mark of a cell in a notebook that was copied as a page
            problem.hint =
                "this is the page of a notebook: keep the code of its cells, without prose and results";
        return fail(std::move(problem));
    }
    Interpreter interpreter(fileName);
    interpreter.setGivenSizes(given);
    try {
        interpreter.run(*module);
        if (interpreter.kernels().empty() && finalTensors(interpreter).empty())
            callLastFunction(interpreter, *module, looksLikeTeScript(text));
        auto script = finish(interpreter, *module, text);
        if (!script)
            return fail(std::move(script.error()));
        return SizedScript{std::move(*script), interpreter.sizes()};
    } catch (const support::UserError &error) {
        support::Diagnostic problem = error.diagnostic();
        // If no line describes a kernel, an unknown name is not the fault: only such a line could define it.
        const bool isName = problem.code == codes::unknownName;
        if (isName && !looksLikeTeScript(text))
            return fail(whyNoKernel(*module, text));
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
