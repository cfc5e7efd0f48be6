// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "core/backend/device/driver_process.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace nestwright::cli {

std::function<int()> declareDriver(CLI::App &app)
{
    auto folder = std::make_shared<std::string>();
    app.add_option("FOLDER", *folder, "has the question, and is given the answer")->required();
    return [folder] { return backend::answerAsDriver(*folder); };
}

} // namespace nestwright::cli
