// SPDX-License-Identifier: Apache-2.0
/// The LLVM backend: flat programs to LLVM IR, assembly and object code.
#pragma once

#include "core/backend/link/exported_code.h"
#include "core/backend/listing/loop_code.h"
#include "core/backend/processor_needs.h"
#include "core/backend/vector_unit.h"

namespace nestwright::backend {

/// `unit` as LLVM IR or as assembly, with the lines of each statement. Errors: "target.option" (a processor
/// or triple LLVM does not know), "backend.unsupported", "cancelled".
support::Result<Source> llvmSource(const Unit &unit, const target::Target &target, SourceKind kind,
                                   std::stop_token stop);

/// `unit` as a relocatable object. Errors as above.
support::Result<Artifact> llvmCompile(const Unit &unit, const target::Target &target, std::stop_token stop);

/// Assembly whose functions ask for the processor first (processor_needs.h).
support::Result<Source> llvmAskingSource(const Unit &unit, const target::Target &target, SourceKind kind,
                                         std::stop_token stop);
/// An object that is linked elsewhere. It comes of no file: `fileName` is without use.
support::Result<Artifact> llvmExportedObject(const Unit &unit, const target::Target &target, Asks asks,
                                             const std::string &fileName, std::stop_token stop);

/// Loops of the assembly of `unit`. Errors as llvmSource.
support::Result<std::vector<LoopCode>> llvmLoopCode(const Unit &unit, const target::Target &target,
                                                    std::stop_token stop);

/// Checks LLVM's target, or another that names a processor. Error: "target.option".
support::Result<void> llvmCheck(const target::Target &target);
/// Same as needsOf, for such a target.
support::Result<ProcessorNeeds> llvmNeeds(const target::Target &target);

/// Error: "target.option".
support::Result<CodeSystem> llvmSystem(const target::Target &target);

/// Nothing where the target has an option that LLVM does not know.
std::optional<VectorUnit> llvmVectorUnit(const target::Target &target);

/// The version of the loaded library: "LLVM 19.1.7".
std::string llvmVersion();

} // namespace nestwright::backend
