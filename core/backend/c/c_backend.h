// SPDX-License-Identifier: Apache-2.0
/// The C backend: flat programs as one C11 file that compiles alone, and through the system's compiler.
#pragma once

#include "core/backend/edited_code.h"

namespace nestwright::backend {

support::Result<Source> cSource(const Unit &unit, const target::Target &target, SourceKind kind,
                                std::stop_token stop);

/// A shared object, made by `cc` (or $CC). Errors: "backend.no-compiler", "backend.compiler", "cancelled".
support::Result<Artifact> cCompile(const Unit &unit, const target::Target &target, std::stop_token stop);

/// A shared object of a text that a person wrote. Errors: "backend.no-compiler", "edited.compile",
/// "cancelled".
support::Result<Artifact> cCompileText(const TextUnit &unit, const std::stop_token &stop);

/// The first that the compiler says of itself; empty where there is none.
std::string cVersion();

} // namespace nestwright::backend
