// SPDX-License-Identifier: Apache-2.0
/// Running generated code apart from the command that asked for it.
#pragma once

#include <functional>

namespace nestwright::cli {

/// Runs `body` in a child process, since a kernel may crash or loop for ever, for at most `timeout` seconds; gives its exit
/// status, or reports what stopped it.
int inChild(int timeout, const std::function<int()> &body);

} // namespace nestwright::cli
