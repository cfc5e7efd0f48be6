// SPDX-License-Identifier: Apache-2.0
/// NumPy's .npy files (format version 1.0 to 3.0, row-major, little-endian).
#pragma once

#include "core/ir/ndarray.h"
#include "core/support/result.h"

#include <string>

namespace nestwright::cli {

/// Errors: "open.no-file"; "npy.format" (no .npy file, or one in a form that is not understood: it says which).
support::Result<ir::NdArray> readNpy(const std::string &path);
/// Error: "file.write". bfloat16 is written as its 16-bit patterns, since NumPy has no such type.
support::Result<void> writeNpy(const std::string &path, const ir::NdArray &array);

} // namespace nestwright::cli
