// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "core/measure/sandbox/edited_compiler.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace nestwright::cli {

std::function<int()> declareEditedCode(CLI::App &app)
{
    auto folder = std::make_shared<std::string>();
    app.add_option("FOLDER", *folder, "has the text, and is given the machine code")->required();
    return [folder] { return measure::compileAsEdited(*folder); };
}

} // namespace nestwright::cli
