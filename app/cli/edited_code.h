// SPDX-License-Identifier: Apache-2.0
/// Code that a person edited, for commands.
#pragma once

#include "core/backend/edited_code.h"

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace nestwright::cli {

/// The file, whose name says what it is: C (.c), LLVM IR (.ll) or assembly (.s). Errors: "usage.edited",
/// "open.no-file".
support::Result<backend::EditedCode> readEdited(const std::string &file);

/// --edited, which may stand several times.
void addEdited(CLI::App &app, std::vector<std::string> &files);

/// --run-edited
void addRunEdited(CLI::App &app, bool &isAgreed);

/// --without-sandbox
void addWithoutSandbox(CLI::App &app, bool &isAgreed);

/// Whether edited code of a file may be run here. Error "usage.sandbox" where the system has not all that
/// keeps it from files and other processes, and nobody agreed to do without.
support::Result<void> checkSandbox(bool isAgreed);

/// Note on edited code of a session that nobody agreed to run.
void noteForeignEdits(int count);

} // namespace nestwright::cli
