// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/script/printer.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

std::function<int()> declarePrint(CLI::App &app)
{
    struct Options : CommonOptions {
        std::string dialect = "0.23";
    };
    auto options = std::make_shared<Options>();
    options->addModule(app);
    app.add_option("--dialect", options->dialect, "TVMScript of TVM 0.23 or of the latest TVM")
        ->check(CLI::IsMember({"0.23", "latest"}))
        ->capture_default_str();
    return [options] {
        const auto state = loadState(options->module, true);
        if (!state)
            return report(state.error());
        const auto dialect = options->dialect == "latest" ? script::Dialect::Latest : script::Dialect::Tvm023;
        return writeOutput({}, script::print(state->module, dialect).text);
    };
}

} // namespace nestwright::cli
