// SPDX-License-Identifier: Apache-2.0
/// The functions from outside that compiled code may call: a list, and those of libraries that the user
/// names.
///
/// A program is a stranger's word, and a function of the process can do whatever the user can. So nothing
/// else is found: neither when code is made (`checkExterns`) nor when it is linked (the loaders ask
/// `isAllowedSymbol`).
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::backend {

/// Shared libraries whose functions a program may call. They are the user's to name, never the program's, and
/// kept in no file.
struct ExternLibraries {
    std::vector<std::string> paths;

    bool operator==(const ExternLibraries &) const = default;
};

/// The names of `flat`'s external functions that are on no list, sorted: those that `libraries` must have.
/// Errors: "extern.name" (no identifier), "extern.signature" (a function of the list with arguments that are
/// not its), "extern.unknown" (not on the list, and no library is named).
support::Result<std::vector<std::string>> checkExterns(const ir::Module &flat,
                                                       const ExternLibraries &libraries);

/// Error "extern.name": a name that is no identifier cannot be written, whether it is ever called or not.
support::Result<void> checkExternNames(const ir::Module &flat);

/// Whether compiled code may be linked to this symbol of the process: functions of the list, and those that
/// compilers call on their own (copying memory, conversions between types that the processor lacks).
bool isAllowedSymbol(std::string_view symbol);

/// Opens `libraries` and gives the address of each of `names`, in order. Error "extern.library": a library
/// that cannot be opened, or a name that none of them defines itself (their own dependencies do not count).
support::Result<std::vector<void *>> findInLibraries(const ExternLibraries &libraries,
                                                     const std::vector<std::string> &names);

} // namespace nestwright::backend
