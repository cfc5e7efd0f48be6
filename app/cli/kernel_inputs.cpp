// SPDX-License-Identifier: Apache-2.0
#include "app/cli/kernel_inputs.h"

#include "app/cli/symbolic_sizes.h"
#include "core/ir/npy.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

using support::Result;

void addKernelInputs(CLI::App &app, std::vector<std::string> &options)
{
    app.add_option(
           "--in", options,
           "an argument from a file, as A=a.npy; others are random, those used as indices within bounds")
        ->allow_extra_args(false);
}

Result<std::map<std::string, ir::NdArray>> readInputs(const std::vector<std::string> &options)
{
    std::map<std::string, ir::NdArray> inputs;
    for (const std::string &option : options) {
        const auto pair = parseAssignment(option, "usage.file");
        if (!pair)
            return std::unexpected(pair.error());
        auto array = ir::readNpy(pair->second);
        if (!array)
            return std::unexpected(array.error());
        inputs.insert_or_assign(pair->first, std::move(*array));
    }
    return inputs;
}

} // namespace nestwright::cli
