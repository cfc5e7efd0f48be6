// SPDX-License-Identifier: Apache-2.0
/// Loads object code into this process.
#pragma once

#include "core/backend/link/loaded_kernel.h"

namespace nestwright::backend {

/// Links an Object artifact with the runtime and the C library. Errors: "backend.load".
support::Result<std::unique_ptr<LoadedKernel>> loadObject(const Artifact &artifact);

} // namespace nestwright::backend
