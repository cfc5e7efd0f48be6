// SPDX-License-Identifier: Apache-2.0
/// NVIDIA's compiler and driver in a process of their own (`nestc cuda`): foreign libraries, which read text
/// of any origin, may be stopped and may crash; a process that has the driver may not fork.
#pragma once

#include "core/backend/backend.h"
#include "core/support/json_fwd.h"
#include "core/support/result.h"

#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::backend {

/// Asks {"question": "compiler"}: gives its "path", "version" and "architectures"; or {"question": "compile",
/// "text", "architecture"}: gives "ptx", "cubin" and "log". Errors: those of Nvrtc; "process.none" (nestc is
/// not there); "backend.compiler" (it ended without an answer, or not at all); "cancelled".
support::Result<support::Json> askCuda(const support::Json &question, const std::stop_token &stop);

/// The GPUs of this machine. Errors: those of cudaDriver, and as above.
support::Result<std::vector<DeviceFacts>> askForGpus();

/// The other end, `nestc cuda`: answers FOLDER/question in FOLDER/answer. Gives the exit status.
int answerCuda(const std::string &folder);

} // namespace nestwright::backend
