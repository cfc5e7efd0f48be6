// SPDX-License-Identifier: Apache-2.0
/// Running generated code apart from the command that asked for it.
#pragma once

#include "core/measure/sandbox/enclosure.h"

#include <functional>

namespace nestwright::cli {

/// The message with which the process apart ends; other values are free for the command.
enum class ChildWord : std::int32_t { Done = -1, Failed = -2 };

/// Runs `body` in a sandboxed process (it calls enterSandbox once all is loaded), since a kernel may crash,
/// loop for ever, or be a stranger's, for at most `timeout` seconds. The body succeeds when it returns
/// without an error. Other messages it sends go to `hear`. Errors: those of `body`, "kernel.time-out",
/// "kernel.crash", "graph.weights" (weights on which it ran were changed meanwhile).
support::Result<void> inChild(int timeout,
                              const std::function<support::Result<void>(const measure::Line &line)> &body,
                              const std::function<void(const measure::Message &)> &hear = {});

} // namespace nestwright::cli
