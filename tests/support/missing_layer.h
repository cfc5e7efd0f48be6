// SPDX-License-Identifier: Apache-2.0
/// A system that lacks a part of the sandbox, as an older kernel or a container does: the calls that set it
/// up are not there.
#pragma once

#include "core/measure/sandbox/sandbox.h"

namespace nestwright::tests {

/// From now on this process and those that it starts have no "seccomp", or no "landlock"; "": all is there.
void withoutLayer(const char *missing);

/// As measure::probeSandbox, on such a system.
measure::Sandbox sandboxWithout(const char *missing);

} // namespace nestwright::tests
