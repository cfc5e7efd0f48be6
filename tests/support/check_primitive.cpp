// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check_primitive.h"

#include "core/analysis/device/parallel_conflicts.h"
#include "core/analysis/verify/verify.h"
#include "core/ir/node/equality.h"
#include "core/schedule/script/trace_json.h"
#include "core/schedule/script/writer.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/check.h"
#include "tests/support/programs.h"

#include <QtTest>
#include <algorithm>

namespace nestwright::tests {

namespace {

bool failAt(const std::source_location &where, const std::string &message)
{
    QTest::qFail(message.c_str(), where.file_name(), static_cast<int>(where.line()));
    return false;
}

std::vector<schedule::Step> stepsOf(const schedule::ScriptRun &run)
{
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &step : run.steps)
        steps.push_back(step.step);
    return steps;
}

std::vector<schedule::Step> changesOf(const schedule::ScriptRun &run)
{
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &step : run.steps) {
        if (!step.step.primitive->isQuery)
            steps.push_back(step.step);
    }
    return steps;
}

/// Whether callers pass the same arrays to both; a step may lay a parameter out anew, and makes a new buffer
/// then.
bool takeTheSame(const ir::Module &a, const ir::Module &b)
{
    return std::ranges::all_of(a.functions(), [&](const ir::Module::Entry &entry) {
        const ir::Function other = b.find(entry.name);
        return other
               && std::ranges::equal(entry.function->params, other->params, {}, &ir::Param::buffer,
                                     &ir::Param::buffer);
    });
}

/// Equal, with the same ids in the same places.
std::string whyNotSame(const ir::Module &expected, const ir::Module &actual)
{
    if (const auto difference = ir::firstDifference(expected, actual))
        return *difference;
    const script::Printed a = script::print(expected), b = script::print(actual);
    return a.spans == b.spans ? "" : "loops and blocks have other ids";
}

std::string replayed(const schedule::State &initial, const schedule::ScriptRun &run)
{
    schedule::State state = initial;
    for (const schedule::ScriptStep &step : run.steps) {
        const auto applied = schedule::apply(state, step.step);
        if (!applied)
            return "replay: " + applied.error().render();
        if (applied->outputs != step.outputs)
            return "replay: '" + std::string(step.step.primitive->name) + "' gives other results";
        state = applied->state;
    }
    const std::string why = whyNotSame(run.state.module, state.module);
    return why.empty() ? "" : "replay: " + why;
}

/// Steps that, as in TVM, leave blocks which do not declare all that they touch.
analysis::Undeclared undeclaredAfter(const schedule::ScriptRun &run)
{
    static constexpr std::string_view hiding[] = {"unsafe_hide_buffer_access", "cache_index"};
    const bool hidden = std::ranges::any_of(run.steps, [](const schedule::ScriptStep &step) {
        return std::ranges::contains(hiding, step.step.primitive->name);
    });
    return hidden ? analysis::Undeclared::Allowed : analysis::Undeclared::Refused;
}

std::string throughScript(const schedule::State &initial, const schedule::ScriptRun &run,
                          const std::vector<schedule::Step> &steps, script::Dialect dialect)
{
    const auto script = schedule::writeScheduleScript(initial, steps, dialect);
    if (!script)
        return "writing the script: " + script.error().render();
    const auto again = schedule::runScheduleScript(initial, *script, "again.py");
    if (!again)
        return "reading the script: " + again.error().render() + "\n" + *script;
    const std::string why = whyNotSame(run.state.module, again->state.module);
    return why.empty() ? "" : "script: " + why + "\n" + *script;
}

std::string throughJson(const schedule::State &initial, const schedule::ScriptRun &run)
{
    const auto json = schedule::writeTraceJson(initial, stepsOf(run));
    if (!json)
        return "writing the trace: " + json.error().render();
    const auto again = schedule::runTraceJson(initial, *json, "again.json");
    if (!again)
        return "reading the trace: " + again.error().render() + "\n" + *json;
    const std::string why = whyNotSame(run.state.module, again->state.module);
    return why.empty() ? "" : "trace: " + why + "\n" + *json;
}

/// Iterations of parallel loops that meet in the module after, where none did before.
std::optional<support::Diagnostic> newConflict(const ir::Module &before, const ir::Module &after)
{
    for (const ir::Module::Entry &entry : after.functions()) {
        const ir::Function original = before.find(entry.name);
        if (original && analysis::parallelConflict(*original))
            continue;
        if (auto conflict = analysis::parallelConflict(*entry.function))
            return conflict;
    }
    return std::nullopt;
}

} // namespace

std::string firstFault(const schedule::State &initial, const schedule::ScriptRun &run,
                       const Equivalence &options)
{
    const std::string text = "\n" + script::print(run.state.module).text;
    if (const auto verified =
            analysis::verify(run.state.module, analysis::Level::Block, undeclaredAfter(run));
        !verified)
        return verified.error().render() + text;
    if (const auto meeting = newConflict(initial.module, run.state.module))
        return meeting->render() + text;
    const bool isComparable = takeTheSame(initial.module, run.state.module);
    if (const auto why =
            isComparable ? whyNotEquivalent(initial.module, run.state.module, options) : std::nullopt)
        return *why + text;
    using script::Dialect;
    for (const std::string &why : {
             replayed(initial, run),
             throughScript(initial, run, stepsOf(run), Dialect::Tvm023),
             throughScript(initial, run, stepsOf(run), Dialect::Latest),
             throughScript(initial, run, changesOf(run), Dialect::Tvm023),
             throughJson(initial, run),
         }) {
        if (!why.empty())
            return why + text;
    }
    const auto again = script::parseTvmScript(script::print(run.state.module).text, "printed.py");
    if (!again)
        return "print and parse: " + again.error().render() + text;
    if (const auto difference = ir::firstDifference(run.state.module, *again))
        return "print and parse: " + *difference + text;
    return {};
}

schedule::State scheduled(std::string_view program)
{
    const auto state = schedule::makeState(parsed(program));
    if (!state)
        qFatal("%s", state.error().render().c_str());
    return *state;
}

namespace {

/// Runs the script and all checks but the comparison; null when one failed.
std::optional<schedule::ScriptRun> checkedRun(const schedule::State &initial, std::string_view script,
                                              const std::source_location &where)
{
    const std::string before = script::print(initial.module).text;
    auto run = schedule::runScheduleScript(initial, script, "steps.py");
    if (!run) {
        failAt(where, run.error().render());
        return std::nullopt;
    }
    if (script::print(initial.module).text != before) {
        failAt(where, "the state before has changed");
        return std::nullopt;
    }
    if (const std::string wrong = firstFault(initial, *run); !wrong.empty()) {
        failAt(where, wrong);
        return std::nullopt;
    }
    return std::move(*run);
}

} // namespace

bool checkSchedule(std::string_view before, std::string_view script, std::source_location where)
{
    return checkedRun(scheduled(before), script, where).has_value();
}

bool checkPrimitive(std::string_view before, std::string_view script, std::string_view expected,
                    std::source_location where)
{
    const auto run = checkedRun(scheduled(before), script, where);
    if (!run)
        return false;
    const schedule::State wanted = scheduled(expected);
    if (const auto difference = ir::firstDifference(wanted.module, run->state.module))
        return failAt(where, "differs at " + *difference + "\n" + script::print(run->state.module).text);
    return true;
}

bool checkRefused(std::string_view before, std::string_view script, std::string_view code,
                  std::string_view said, std::source_location where)
{
    const schedule::State initial = scheduled(before);
    const std::string text = script::print(initial.module).text;
    const schedule::PartialRun partial = schedule::runAsFarAsLegal(initial, script, "steps.py");
    if (!partial.error)
        return failAt(where, "the step is not refused\n" + script::print(partial.run.state.module).text);
    const support::Diagnostic &error = *partial.error;
    if (error.code != code)
        return failAt(where, "refused for another reason: " + error.render());
    if (error.message.empty() || error.locations.empty() || error.render().find(said) == std::string::npos)
        return failAt(where, "message, place or what it should say is missing: " + error.render());
    if (script::print(initial.module).text != text)
        return failAt(where, "the state before has changed");
    const std::string wrong = firstFault(initial, partial.run);
    return wrong.empty() || failAt(where, "what ran before the refusal is wrong: " + wrong);
}

} // namespace nestwright::tests
