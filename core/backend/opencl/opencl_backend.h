// SPDX-License-Identifier: Apache-2.0
/// OpenCL C for any device, which its driver compiles.
#pragma once

#include "core/backend/backend.h"

namespace nestwright::backend {

support::Result<Source> openClSource(const Unit &unit, const target::Target &target, SourceKind kind,
                                     std::stop_token stop);
/// The text, which the driver compiles where it is loaded.
support::Result<Artifact> openClCompile(const Unit &unit, const target::Target &target, std::stop_token stop);
/// The platform's version, or empty where there is none.
std::string openClVersion();

} // namespace nestwright::backend
