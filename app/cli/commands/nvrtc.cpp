// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "core/backend/cuda/cuda_compiler.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace nestwright::cli {

std::function<int()> declareNvrtc(CLI::App &app)
{
    struct Options {
        std::string folder, architecture;
    };
    auto options = std::make_shared<Options>();
    app.add_option("FOLDER", options->folder, "has kernels.cu, and is given the answer")->required();
    app.add_option("ARCHITECTURE", options->architecture, "such as sm_90; none: the compiler is described");
    return [options] { return backend::runNvrtc(options->folder, options->architecture); };
}

} // namespace nestwright::cli
