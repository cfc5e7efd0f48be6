// SPDX-License-Identifier: Apache-2.0
/// Code that leaves this program: it will run where nobody knows the processor.
#pragma once

#include "core/backend/backend.h"

namespace nestwright::backend {

/// Who asks whether the processor has what exported machine code needs (processor_needs.h).
enum class Asks : std::uint8_t {
    Functions, ///< every exported function, which returns KernelCode::ProcessorLacks where something is
               ///< missing
    Caller
};

/// Same as `source`, for compiling elsewhere; assembly asks as `asks` says and may call functions of
/// `libraries`.
support::Result<Source> exportedSource(const ir::Module &scheduled, const target::Target &target,
                                       SourceKind kind, Asks asks, std::stop_token stop,
                                       const ExternLibraries &libraries);

/// Same as `compile`, for an artifact that is linked elsewhere. A text that becomes it is called `fileName`.
support::Result<Artifact> exportedArtifact(const ir::Module &scheduled, const target::Target &target,
                                           const std::string &fileName, Asks asks, std::stop_token stop,
                                           const ExternLibraries &libraries);

} // namespace nestwright::backend
