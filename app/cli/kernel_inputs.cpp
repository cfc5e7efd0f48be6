// SPDX-License-Identifier: Apache-2.0
#include "app/cli/kernel_inputs.h"

#include "app/cli/text/symbolic_sizes.h"
#include "core/measure/build/given_inputs.h"

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

Result<std::map<std::string, ir::NdArray>> readInputs(const std::vector<std::string> &options,
                                                      measure::GivenInputs given)
{
    for (const std::string &option : options) {
        const auto pair = parseAssignment(option, "usage.file");
        if (!pair)
            return std::unexpected(pair.error());
        given.insert_or_assign(pair->first, measure::GivenInput{pair->second});
    }
    auto read = measure::readInputs(given);
    if (!read)
        return std::unexpected(read.error());
    return std::move(read->arrays);
}

} // namespace nestwright::cli
