// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/script/print/printer.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

std::function<int()> declarePrint(CLI::App &app)
{
    auto options = std::make_shared<CommonOptions>();
    options->addModule(app);
    options->addStyle(app);
    return [options] {
        const auto state = opener().loadState(options->module, true);
        if (!state)
            return report(state.error());
        return writeOutput({}, script::print(state->module, options->chosenStyle()).text);
    };
}

} // namespace nestwright::cli
