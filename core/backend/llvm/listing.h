// SPDX-License-Identifier: Apache-2.0
/// Makes LLVM's printed IR and assembly readable, and maps lines to statements.
///
/// The code is emitted with debug locations whose line number is a StmtId; these locations are read here and
/// removed.
#pragma once

#include "core/script/printer.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::backend {

struct Listing {
    std::string text;
    std::vector<script::LineSpan> spans; ///< one per run of lines of the same statement
};

/// Assembly: without directives of the debugger, of unwinding and of sections.
Listing cleanAssembly(std::string_view text);
/// LLVM IR: without debug metadata and target attributes.
Listing cleanLlvmIr(std::string_view text);

} // namespace nestwright::backend
