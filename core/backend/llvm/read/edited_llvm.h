// SPDX-License-Identifier: Apache-2.0
/// LLVM IR and assembly that a person edits.
#pragma once

#include "core/backend/edited_code.h"

namespace nestwright::backend {

/// Same as llvmSource, with everything that LLVM needs to read it again.
support::Result<Source> llvmEditableSource(const Unit &unit, const target::Target &target, SourceKind kind,
                                           const std::stop_token &stop);

/// A relocatable object of a text. LLVM IR from before LLVM's passes goes through them, other LLVM IR is
/// translated as it is. Errors: "edited.compile", "target.option", "cancelled".
support::Result<Artifact> llvmCompileText(const TextUnit &unit, const std::stop_token &stop);

} // namespace nestwright::backend
