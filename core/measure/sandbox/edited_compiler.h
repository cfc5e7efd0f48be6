// SPDX-License-Identifier: Apache-2.0
/// Compiling text that a person edited, which may be a stranger's: in a process of its own (`nestc
/// edited-code`) that reads what is the system's, writes to one folder, and reaches nobody.
#pragma once

#include "core/backend/edited_code.h"

namespace nestwright::measure {

/// The machine code of a text in place of that of `scheduled`. Errors: those of backend::textUnit and
/// backend::compileText; "edited.compile" also where the compiler crashes or does not end; "process.none".
support::Result<backend::Artifact> compileEdited(const ir::Module &scheduled, const target::Target &target,
                                                 const backend::EditedCode &code,
                                                 const std::stop_token &stop = {});

/// The other end: compiles FOLDER/question to FOLDER/answer, confined. Gives the exit status.
int compileAsEdited(const std::string &folder);

} // namespace nestwright::measure
