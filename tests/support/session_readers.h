// SPDX-License-Identifier: Apache-2.0
/// Checks, as those of readers.h, of the files that the program itself writes: sessions and cached kernels.
#pragma once

#include "tests/support/readers.h"

namespace nestwright::tests {

/// "nest" (a session on a kernel or on a model) and "kernel" (a file of the kernel cache). What is read can be written, and reads
/// the same again.
std::span<const Reader> sessionReaders();

/// The check of that name, as checkOrAbort.
void checkSessionOrAbort(std::string_view reader, std::string_view text);

} // namespace nestwright::tests
