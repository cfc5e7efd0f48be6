// SPDX-License-Identifier: Apache-2.0
#include "app/cli/effort_options.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

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

} // namespace nestwright::cli
