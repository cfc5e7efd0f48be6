// SPDX-License-Identifier: Apache-2.0
#include "app/cli/schedule_steps.h"

#include "app/cli/input.h"
#include "core/session/reuse/recipe.h"
#include "core/support/files/input_file.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

using session::TransferSchedule;
using support::fail;
using support::Result;

void EffortOptions::addTo(CLI::App &app)
{
    app.add_option("--repetitions", repetitions,
                   "timed rounds of each program; fewer than 5 tell only large differences")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--seconds", seconds, "at least, per repetition")->capture_default_str();
    app.add_option("--budget", budget,
                   "seconds of a program, beyond which it is repeated less often, but twice")
        ->capture_default_str();
}

Result<TransferSchedule> namedSchedule(const std::string &schedule)
{
    TransferSchedule steps{.name = nameOfSchedule(schedule), .run = [schedule](const schedule::State &state) {
                               return runSchedule(state, schedule);
                           }};
    constexpr std::string_view prefix = "recipe:";
    if (schedule.starts_with(prefix)) {
        auto recipe = session::findRecipe(std::string_view(schedule).substr(prefix.size()));
        if (!recipe)
            return fail(recipe.error());
        const std::size_t values = schedule.find(':', prefix.size());
        steps.name = recipe->name + (values == std::string::npos ? "" : schedule.substr(values));
        steps.text = std::move(recipe->text);
        return steps;
    }
    auto text = support::readText(schedule);
    if (!text)
        return fail(text.error());
    if (!schedule.ends_with(".json"))
        steps.text = std::move(*text);
    return steps;
}

} // namespace nestwright::cli
