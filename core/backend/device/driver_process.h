// SPDX-License-Identifier: Apache-2.0
/// Compilers and drivers that others made, in a process of their own (`nestc driver`): they read text of any
/// origin, may be stopped and may crash, and a process that has NVIDIA's driver may not fork.
#pragma once

#include "core/backend/backend.h"
#include "core/support/errors/result.h"
#include "core/support/text/json_fwd.h"

#include <stop_token>
#include <string>
#include <vector>

namespace nestwright::backend {

/// Has the process answer: where the question has "compiler", the backend of the kind that it names.
/// `subject`, for people: "NVRTC". Errors: those that it answers with; "process.none"
/// (nestc is not there); "backend.compiler" (it ended without an answer, or not at all); "cancelled".
support::Result<support::Json> askDriver(const support::Json &question, const std::string &subject,
                                         const std::stop_token &stop);

/// The devices of a kind of target, one at least; asked for until there are some. Errors: "device.none",
/// "device.driver", and as above.
support::Result<std::vector<DeviceFacts>> askForDevices(target::TargetKind kind);

/// The other end: answers FOLDER/question in FOLDER/answer. Gives the exit status.
int answerAsDriver(const std::string &folder);

} // namespace nestwright::backend
