// SPDX-License-Identifier: Apache-2.0
/// Files through the system's C compiler, in a folder of their own.
#pragma once

#include "core/support/errors/result.h"

#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::backend {

struct ExportFile {
    std::string name; ///< without folder
    std::string bytes;
};

/// The bytes of `output` that the compiler makes of `inputs`, which may name each other (an assembler file
/// that takes in data). Errors: "backend.no-compiler", "backend.compiler", "cancelled". Throws
/// support::UserError where the temporary folder cannot be used.
support::Result<std::string> compiledFiles(const std::vector<ExportFile> &inputs,
                                           std::vector<std::string> options, const std::string &output,
                                           const std::stop_token &stop);

} // namespace nestwright::backend
