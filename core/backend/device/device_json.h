// SPDX-License-Identifier: Apache-2.0
/// Facts about devices as JSON: for people, and between the processes that ask for them.
#pragma once

#include "core/backend/backend.h"
#include "core/support/text/json_fwd.h"

namespace nestwright::backend {

/// {"name", "driver", "architecture", "gpu", "compute-units", "memory-bytes", "shared-memory-bytes",
/// "threads-in-a-block", "cache-bytes"}
support::Json toJson(const DeviceFacts &device);

/// Throws Json::exception where it is no such object.
DeviceFacts deviceFromJson(const support::Json &value);

} // namespace nestwright::backend
