// SPDX-License-Identifier: Apache-2.0
/// Reading modules from TVMScript.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"

#include <string>
#include <string_view>

namespace nestwright::script {

namespace py {
struct Module;
}

/// Annotation of a block whose reads (bit 1) or writes (bit 2) the text leaves out, until
/// analysis::completeRegions computes them.
constexpr std::string_view detectAccessKey = "tir.script_parsing_detect_access";

/// Both dialects and the older spellings. Every loop and block has an id, numbered in pre-order. A single
/// function outside of any class is called "main" (its global_symbol keeps the name). Errors have a code
/// "script.…" and their place (file, line, column from 1).
support::Result<ir::Module> parseTvmScript(std::string_view text, const std::string &fileName);

/// Parses a tree that is read already.
support::Result<ir::Module> parseTvmScript(const py::Module &module);

} // namespace nestwright::script
