// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/ir/node/equality.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace nestwright::cli {

std::function<int()> declareEqual(CLI::App &app)
{
    struct Options {
        std::string a, b;
    };
    auto options = std::make_shared<Options>();
    app.add_option("A", options->a, "one module")->required();
    app.add_option("B", options->b, "the other")->required();
    return [options] {
        const auto a = opener().loadState(options->a);
        if (!a)
            return report(a.error());
        const auto b = opener().loadState(options->b);
        if (!b)
            return report(b.error());
        const auto difference = ir::firstDifference(a->module, b->module);
        if (!difference)
            return int(Done);
        std::cout << *difference << '\n';
        return int(No);
    };
}

} // namespace nestwright::cli
