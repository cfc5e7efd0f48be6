// SPDX-License-Identifier: Apache-2.0
/// Loops of a program with the machine code that runs their iterations: `nestc loops`.
#pragma once

#include "core/backend/listing/loop_code.h"
#include "core/suggest/loop_facts.h"
#include "core/support/text/json_fwd.h"

#include <string>
#include <vector>

namespace nestwright::workbench {

/// A loop of a program, with the loops of machine code that run its iterations.
struct LoopRow {
    suggest::LoopFacts facts;
    std::string name;
    std::size_t depth = 0;
    std::vector<const backend::LoopCode *> code;
};

/// The loops of the program in its order. `code` must live as long as they do.
std::vector<LoopRow> loopRows(const suggest::LoopNest &nest, const std::vector<backend::LoopCode> &code);

/// [{"loop", "id", "depth", "iterations", "flops", "bytes", "code": […]}]; the three before the last are
/// there where they are known. Each of the code: {"function", "first-line", "last-line", "innermost",
/// "vector-bits", "instructions", "packed", "scalar", "loads", "stores", "gathers", "scatters", "spills",
/// "reloads", "prefetches", "branches", "calls", "multiply-adds", "flops"} and, where its time is known,
/// "cycles", "least-cycles", "units" and "limit".
support::Json toJson(const std::vector<LoopRow> &rows);

} // namespace nestwright::workbench
