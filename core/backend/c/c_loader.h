// SPDX-License-Identifier: Apache-2.0
/// Loads shared objects into this process.
#pragma once

#include "core/backend/link/loaded_kernel.h"

namespace nestwright::backend {

/// Errors: "backend.load".
support::Result<std::unique_ptr<LoadedKernel>> loadSharedObject(const Artifact &artifact);

} // namespace nestwright::backend
