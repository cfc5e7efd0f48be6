// SPDX-License-Identifier: Apache-2.0
/// Makes LLVM's printed IR and assembly readable, and maps lines to statements.
///
/// The code is emitted with debug locations whose line number is a StmtId; these locations are read here and
/// removed.
#pragma once

#include "core/backend/listing/listing.h"

namespace nestwright::backend {

/// Assembly: without comments and directives of the debugger, of unwinding and of sections. `comment` begins
/// a comment: "#" of x86 processors, "//" of Arm's.
Listing cleanAssembly(std::string_view text, std::string_view comment = "#");
/// LLVM IR: without debug metadata and target attributes.
Listing cleanLlvmIr(std::string_view text);

} // namespace nestwright::backend
