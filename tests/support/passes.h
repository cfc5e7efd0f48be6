// SPDX-License-Identifier: Apache-2.0
/// Checks of lowering passes.
#pragma once

#include "core/ir/node/function.h"

#include <source_location>
#include <string_view>

namespace nestwright::tests {

/// Runs the pass `name` on `before` (TVMScript) and fails the running test, at the caller's line, where the
/// result is not structurally equal to `expected`, is not well-formed, or computes something else. Returns
/// whether all is well.
bool checkPass(std::string_view name, std::string_view before, std::string_view expected,
               std::source_location where = std::source_location::current());

/// The whole pipeline for a processor; aborts when it fails.
ir::Module lowered(const ir::Module &module);

/// The pipeline for a device, up to the program that threads run: kernels are not functions of their own yet.
/// Aborts when it fails.
ir::Module asThreadsRun(const ir::Module &module);

} // namespace nestwright::tests
