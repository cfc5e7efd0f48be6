// SPDX-License-Identifier: Apache-2.0
/// The system's C compiler as a child process.
#pragma once

#include "core/support/errors/result.h"
#include "core/support/files/temporary_folder.h"
#include "core/support/files/whole_file.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::backend {

using support::readFile;
using support::TemporaryFolder;
using support::writeFile;

/// Runs $CC, or else cc, gcc or clang, with `arguments`. Errors: "backend.no-compiler"; "backend.compiler"
/// with its output; "cancelled".
support::Result<void> runCompiler(const std::vector<std::string> &arguments, const std::stop_token &stop);

/// The compiler's own version text; empty where there is none.
std::string compilerVersion();

} // namespace nestwright::backend
