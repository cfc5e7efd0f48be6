// SPDX-License-Identifier: Apache-2.0
/// Checks, as those of readers.h, of the files that the program itself writes: sessions and cached kernels.
#pragma once

#include "tests/support/readers.h"

namespace nestwright::tests {

/// Checks of a session on a kernel or on a model, and of a file of the kernel cache: a session that was read
/// can be written, and reads the same again.
std::string checkNest(std::string_view text);
std::string checkKernel(std::string_view text);

/// Both, as "nest" and "kernel".
std::span<const Reader> sessionReaders();

} // namespace nestwright::tests
