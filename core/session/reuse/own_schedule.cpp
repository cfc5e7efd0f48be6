// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/own_schedule.h"

#include "core/schedule/primitive.h"
#include "core/schedule/script/step_runner.h"
#include "core/support/errors/errors.h"

#include <format>
#include <optional>
#include <type_traits>
#include <utility>

namespace nestwright::session {

using schedule::ArgList;
using schedule::ArgValue;

namespace {

ArgValue valueOf(const te::StepValue &value, const ArgList &results)
{
    if (const auto *result = std::get_if<te::StepResult>(&value.value))
        return results.at(static_cast<std::size_t>(result->index));
    if (const auto *items = std::get_if<std::vector<te::StepValue>>(&value.value)) {
        ArgList list;
        for (const te::StepValue &item : *items)
            list.push_back(valueOf(item, results));
        return list;
    }
    return std::visit(
        [](const auto &plain) -> ArgValue {
            if constexpr (std::is_constructible_v<ArgValue, decltype(plain)>)
                return plain;
            else
                return {};
        },
        value.value);
}

/// The loops of a variadic primitive stand without a keyword.
schedule::WrittenArguments argumentsOf(const te::StepDescription &step, const ArgList &results)
{
    schedule::WrittenArguments written;
    for (const auto &[name, value] : step.arguments) {
        if (name == "loops")
            written.positional = *valueOf(value, results).as<ArgList>();
        else
            written.named.emplace_back(name, valueOf(value, results));
    }
    return written;
}

/// Runs steps that a legacy schedule was made of.
schedule::PartialRun runSteps(const schedule::State &initial, const te::ScheduleSteps &steps,
                              const std::string &fileName)
{
    schedule::StepRunner runner(initial);
    schedule::ScriptNames names;
    ArgList results(steps.resultNames.size());
    std::optional<support::Diagnostic> error;
    for (std::size_t i = 0; i < steps.steps.size() && !error; ++i) {
        const te::StepDescription &step = steps.steps[i];
        const schedule::Primitive *primitive = schedule::findPrimitive(step.primitive);
        NW_ASSERT(primitive, "a legacy schedule asks for the primitive " + step.primitive);
        try {
            const ArgValue made = runner.run(*primitive, argumentsOf(step, results), steps.sourceLine(i));
            const ArgList *list = made.as<ArgList>();
            if (list && list->size() != step.results.size() && !step.results.empty())
                throw support::UserError(support::diagnostic(
                    "te.unsupported", std::format("'{}' gives {} loops here, and the schedule counts on {}",
                                                  step.primitive, list->size(), step.results.size())));
            for (std::size_t k = 0; k < step.results.size(); ++k) {
                const auto place = static_cast<std::size_t>(step.results[k]);
                results.at(place) = list ? (*list)[k] : made;
                names.taken.insert(steps.resultNames[place]);
                if (const support::StmtId *id = results[place].as<support::StmtId>())
                    names.of[*id] = steps.resultNames[place];
            }
        } catch (const support::UserError &refused) {
            error = refused.diagnostic();
            error->locations.insert(
                error->locations.begin(),
                {.file = fileName, .line = steps.sourceLine(i), .column = 1, .stmt = {}, .label = {}});
        }
    }
    return {std::move(runner).finish(std::move(names)), std::move(error)};
}

} // namespace

schedule::PartialRun runOwnSchedule(const schedule::State &initial, const te::ScheduleSteps &steps,
                                    const std::string &fileName)
{
    return steps.written.empty() ? runSteps(initial, steps, fileName)
                                 : schedule::runAsFarAsLegal(initial, steps.written, fileName);
}

} // namespace nestwright::session
