// SPDX-License-Identifier: Apache-2.0
/// The system's C compiler as a child process.
#pragma once

#include "core/support/errors/result.h"
#include "core/support/files/temporary_folder.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::backend {

using support::TemporaryFolder;

/// Runs $CC, or else cc, gcc or clang, with `arguments`. Errors: "backend.no-compiler"; "backend.compiler"
/// with its output; "cancelled".
support::Result<void> runCompiler(const std::vector<std::string> &arguments, const std::stop_token &stop);

/// The compiler's own version text; empty where there is none.
std::string compilerVersion();

/// Throws support::UserError "file.read".
std::string readFile(const std::filesystem::path &path);
/// Throws support::UserError "file.write".
void writeFile(const std::filesystem::path &path, std::string_view bytes);

} // namespace nestwright::backend
