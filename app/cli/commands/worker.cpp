// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker.h"
#include "app/cli/command.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

std::function<int()> declareWorker(CLI::App &app)
{
    auto memory = std::make_shared<std::uint64_t>(0);
    app.add_option("--memory", *memory, "bytes of address space it may use (0: no limit)")
        ->capture_default_str();
    return [memory] { return measure::runWorker(*memory); };
}

} // namespace nestwright::cli
