// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/worker.h"
#include "app/cli/command.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

std::function<int()> declareWorker(CLI::App &)
{
    return [] { return measure::runWorker(); };
}

} // namespace nestwright::cli
