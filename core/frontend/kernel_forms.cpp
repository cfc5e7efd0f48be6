// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/kernel_forms.h"

#include "core/analysis/access/complete_regions.h"
#include "core/catalog/preset.h"
#include "core/frontend/te_script/schedule_lines.h"
#include "core/script/python/parser.h"
#include "core/script/relax_functions.h"
#include "core/script/tvmscript/parser.h"

#include <algorithm>
#include <array>

namespace nestwright::frontend {

namespace py = script::py;
using support::fail;
using support::Result;

namespace {

/// "prim_func" of `@tvm.script.tir.prim_func(private=True)`.
std::string decoratorName(const py::Expr &decorator)
{
    const auto *call = decorator->as<py::Call>();
    const std::string name = py::dottedName(call ? call->callee : decorator);
    return name.substr(name.rfind('.') + 1);
}

bool isTvmScript(const py::Stmt &s)
{
    const std::vector<py::Expr> *decorators = nullptr;
    if (const auto *function = s->as<py::FunctionDef>())
        decorators = &function->decorators;
    if (const auto *type = s->as<py::ClassDef>())
        decorators = &type->decorators;
    return decorators && std::any_of(decorators->begin(), decorators->end(), [](const py::Expr &decorator) {
               const std::string name = decoratorName(decorator);
               return name == "prim_func" || name == "ir_module";
           });
}

/// A function that takes a schedule: its first parameter is called so, or its type is.
bool isScheduleFunction(const py::Stmt &s)
{
    const auto *function = s->as<py::FunctionDef>();
    if (!function || function->params.empty())
        return false;
    const py::Param &first = function->params[0];
    const std::string type = first.annotation ? py::dottedName(first.annotation) : std::string();
    return first.name == "sch" || function->name == "apply_trace" || type.ends_with("Schedule");
}

bool callsSchedule(const py::Stmt &s)
{
    const py::ExprNode *value = nullptr;
    if (const auto *statement = s->as<py::ExprStmt>())
        value = statement->value.get();
    if (const auto *assign = s->as<py::Assign>())
        value = assign->value.get();
    const auto *call = value ? value->as<py::Call>() : nullptr;
    return call && py::dottedName(call->callee).starts_with("sch.");
}

/// A text that cannot be parsed is judged by its words; its front end then names the fault.
bool holds(const KernelText &text, bool (*test)(const py::Stmt &), std::string_view word)
{
    return text.parsed ? std::ranges::any_of(text.parsed->body, test) : text.text.contains(word);
}

constexpr std::string_view functionWord = "prim_func";

bool isPreset(const KernelText &text) { return catalog::isInvocation(text.text); }

bool isTvmScriptText(const KernelText &text)
{
    return holds(text, &isTvmScript, functionWord) && (text.parsed || !te::looksLikeTeScript(text.text));
}

bool isTeScript(const KernelText &text) { return te::looksLikeTeScript(text.text); }

bool isScheduleScript(const KernelText &text)
{
    const auto test = [](const py::Stmt &s) { return isScheduleFunction(s) || callsSchedule(s); };
    return holds(text, test, "sch.");
}

Result<ReadKernel> readPreset(std::string_view text, const std::string & /*fileName*/)
{
    const Result<catalog::Invocation> invocation = catalog::parseInvocation(text);
    if (!invocation)
        return fail(invocation.error());
    Result<ir::Module> module = catalog::makeModule(*invocation);
    if (!module)
        return fail(module.error());
    return ReadKernel{.name = std::string(invocation->preset->name), .module = *std::move(module)};
}

Result<ReadKernel> readTeScriptKernel(std::string_view text, const std::string &fileName)
{
    Result<te::TeScript> script = te::readTeScript(text, fileName);
    if (!script)
        return fail(script.error());
    return ReadKernel{.module = std::move(script->module),
                      .schedules = std::move(script->schedules),
                      .comparisons = std::move(script->comparisons),
                      .notes = std::move(script->notes)};
}

Result<ReadKernel> readTvmScriptKernel(std::string_view text, const std::string &fileName)
{
    const Result<ir::Module> module = script::parseTvmScript(text, fileName);
    if (!module)
        return fail(module.error());
    ReadKernel read{.module = analysis::completeRegions(*module)};
    if (const auto tree = py::parse(text, fileName)) {
        read.schedules = te::writtenSchedules(*tree, text);
        read.notes = script::leftOutFunctions(*tree);
    }
    return read;
}

constexpr std::array forms{
    KernelForm{KernelSource::Preset, "operator", isPreset, readPreset},
    KernelForm{KernelSource::TvmScript, "tvmscript", isTvmScriptText, readTvmScriptKernel},
    KernelForm{KernelSource::TeScript, "te-script", isTeScript, readTeScriptKernel},
    KernelForm{KernelSource::ScheduleScript, "schedule-script", isScheduleScript, nullptr},
};

} // namespace

std::span<const KernelForm> kernelForms() { return forms; }

const KernelForm &kernelForm(KernelSource source)
{
    return *std::ranges::find(forms, source, &KernelForm::source);
}

const KernelForm *findKernelForm(std::string_view name)
{
    const auto found = std::ranges::find(forms, name, &KernelForm::name);
    return found == forms.end() ? nullptr : &*found;
}

const KernelForm &formOf(std::string_view text)
{
    const KernelText given{text, py::parse(text, {})};
    const auto found = std::ranges::find_if(forms, [&](const KernelForm &form) { return form.takes(given); });
    if (found != forms.end())
        return *found;
    return kernelForm(text.contains(functionWord) ? KernelSource::TvmScript : KernelSource::TeScript);
}

} // namespace nestwright::frontend
