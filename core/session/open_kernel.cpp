// SPDX-License-Identifier: Apache-2.0
#include "core/session/open_kernel.h"

#include "core/analysis/access/complete_regions.h"
#include "core/catalog/preset.h"
#include "core/script/python/parser.h"
#include "core/script/relax_functions.h"
#include "core/script/tvmscript/parser.h"
#include "core/support/errors/codes.h"
#include "core/support/files/input_file.h"
#include "core/support/files/reading.h"
#include "core/support/phase.h"
#include "core/te/schedule_lines.h"

#include <algorithm>
#include <filesystem>
#include <format>

namespace nestwright::session {

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

} // namespace

KernelSource kindOf(std::string_view text)
{
    if (catalog::isInvocation(text))
        return KernelSource::Preset;
    const bool hasExpressions = te::looksLikeTeScript(text);
    // Text that cannot be parsed is judged by its words; the reader then names the fault.
    const Result<py::Module> module = py::parse(text, {});
    const auto any = [&](bool (*test)(const py::Stmt &)) {
        return module && std::any_of(module->body.begin(), module->body.end(), test);
    };
    if (any(&isTvmScript) || (!module && text.contains("prim_func") && !hasExpressions))
        return KernelSource::TvmScript;
    if (hasExpressions)
        return KernelSource::TeScript;
    if (any(&isScheduleFunction) || any(&callsSchedule) || (!module && text.contains("sch.")))
        return KernelSource::ScheduleScript;
    return text.contains("prim_func") ? KernelSource::TvmScript : KernelSource::TeScript;
}

Result<OpenedKernel> openKernelText(std::string_view text, const std::string &fileName)
{
    support::tellPhase("reading");
    OpenedKernel loaded;
    loaded.kind = kindOf(text);
    loaded.name = std::filesystem::path(fileName).filename().string();
    loaded.text = text;
    switch (loaded.kind) {
    case KernelSource::Preset: {
        const Result<catalog::Invocation> invocation = catalog::parseInvocation(text);
        if (!invocation)
            return fail(invocation.error());
        Result<ir::Module> module = catalog::makeModule(*invocation);
        if (!module)
            return fail(module.error());
        loaded.name = invocation->preset->name;
        loaded.module = *module;
        break;
    }
    case KernelSource::TeScript: {
        Result<te::TeScript> script = te::readTeScript(text, fileName);
        if (!script)
            return fail(script.error());
        loaded.module = script->module;
        loaded.schedules = std::move(script->schedules);
        loaded.comparisons = std::move(script->comparisons);
        loaded.notes = std::move(script->notes);
        break;
    }
    case KernelSource::TvmScript: {
        const Result<ir::Module> module = script::parseTvmScript(text, fileName);
        if (!module)
            return fail(module.error());
        loaded.module = analysis::completeRegions(*module);
        if (const auto tree = py::parse(text, fileName)) {
            loaded.schedules = te::writtenSchedules(*tree, text);
            loaded.notes = script::leftOutFunctions(*tree);
        }
        break;
    }
    case KernelSource::ScheduleScript: return loaded;
    }
    loaded.graph = analysis::stageGraph(loaded.module);
    return loaded;
}

Result<OpenedKernel> openKernel(const std::string &pathOrPreset)
{
    if (catalog::isInvocation(pathOrPreset))
        return support::withinMemory(pathOrPreset,
                                     [&] { return openKernelText(pathOrPreset, pathOrPreset); });
    const auto text = support::readText(pathOrPreset);
    if (!text) {
        support::Diagnostic told = text.error();
        if (told.code == support::codes::noFile)
            told.hint = "an operator is written op:matmul(M=1024,N=1024,K=1024)";
        return fail(std::move(told));
    }
    return support::withinMemory(pathOrPreset, [&] { return openKernelText(*text, pathOrPreset); });
}

} // namespace nestwright::session
