// SPDX-License-Identifier: Apache-2.0
/// Loops in LLVM's assembly, as its comments tell of them.
#pragma once

#include "core/backend/listing/loop_code.h"
#include "core/backend/llvm/isa/processor_family.h"

#include <string_view>

namespace nestwright::backend {

/// A loop with the lines of its instructions.
struct AssemblyLoop {
    LoopCode code;
    std::vector<std::string_view> instructions; ///< in the order of the text, without those of loops within
};

/// `text` is assembly with comments and the debug locations of StmtIds, and outlives the result; `comment`
/// begins a comment in it. Counts are those that the text tells: loads, stores and branches are not.
std::vector<AssemblyLoop> assemblyLoops(std::string_view text, std::string_view comment,
                                        const ProcessorFamily &family);

/// Adds an instruction to the counts that its text tells.
void countInstruction(LoopCode &loop, std::string_view instruction, const ProcessorFamily &family);

} // namespace nestwright::backend
