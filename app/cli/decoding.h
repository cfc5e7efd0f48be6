// SPDX-License-Identifier: Apache-2.0
/// Timing a model that generates token by token.
#pragma once

#include "app/cli/model.h"

namespace nestwright::cli {

struct DecodingRequest {
    int tokens = 1;
    int places = 0; ///< for former tokens; 0: a multiple of 64 that holds all
    int threads = 0;
    int timeout = 600; ///< seconds
};

/// Generates tokens from token 0 on, each the most likely one, and writes how long each took: as a line, or
/// as JSON to `jsonFile` ("-": to standard output, behind a line per compiled kernel and per token). Errors:
/// those of openModel, graph::makeProgram, compiledWith, graph::Decoder; "kernel.crash", "kernel.time-out";
/// "file.write".
support::Result<void> benchDecoding(const ModelOptions &options, const target::Target &target,
                                    const DecodingRequest &request, const std::vector<std::string> &schedules,
                                    const std::string &jsonFile);

} // namespace nestwright::cli
