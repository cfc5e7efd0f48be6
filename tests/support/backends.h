// SPDX-License-Identifier: Apache-2.0
/// Checks of compiled kernels against the interpreter.
#pragma once

#include "core/backend/link/artifact.h"
#include "core/ir/node/function.h"
#include "core/target/target.h"
#include "tests/support/check.h"

#include <source_location>
#include <string_view>

namespace nestwright::backend {
class LoadedKernel;
}

namespace nestwright::tests {

/// Compiles `scheduled` for every target that this build has and this machine can run, runs it on random
/// inputs, and fails the running test, at the caller's line, where a result is not that of the interpreter on
/// `reference`. Returns whether all agree. A target that is missing is named in the log.
/// NESTWRIGHT_TEST_OPENCL=0 leaves OpenCL out, whose compiler is slow; NESTWRIGHT_TEST_CUDA=1 takes CUDA's
/// text in, as this processor runs it, whose compiler is slower.
bool checkBackends(const ir::Module &reference, const ir::Module &scheduled, const Equivalence &options = {},
                   std::source_location where = std::source_location::current());
bool checkBackends(const ir::Module &module, const Equivalence &options = {},
                   std::source_location where = std::source_location::current());

/// One target, one function: why not, or nothing. CUDA is emulated.
std::optional<std::string> whyNotCompiledRight(const ir::PrimFunc &reference, const ir::Module &scheduled,
                                               std::string_view target, const Equivalence &options);
/// The same of what is compiled already.
std::optional<std::string> whyNotRight(const ir::PrimFunc &reference, const backend::Artifact &artifact,
                                       const Equivalence &options = {});
/// The same of one function of a kernel that is loaded already.
std::optional<std::string> whyNotRight(const ir::PrimFunc &reference, const backend::LoadedKernel &kernel,
                                       const std::string &entry, const Equivalence &options = {});

} // namespace nestwright::tests
