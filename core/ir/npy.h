// SPDX-License-Identifier: Apache-2.0
/// NumPy's .npy files (format version 1.0 to 3.0, row-major, little-endian).
#pragma once

#include "core/ir/ndarray.h"
#include "core/support/errors/result.h"

#include <span>
#include <string>
#include <vector>

namespace nestwright::ir {

/// Errors: those of support::InputFile::open; "npy.format" (no .npy file, one in a form that is not
/// understood, or one whose data are not as long as its shape needs: it says which). Nothing is allocated
/// that the file does not hold.
support::Result<NdArray> readNpy(const std::string &path);
/// Reads a file's bytes; `path` is named in messages.
support::Result<NdArray> readNpyBytes(std::span<const std::byte> bytes, const std::string &path);
/// Type and shape of an array.
struct ArrayType {
    DataType dtype;
    std::vector<std::int64_t> shape;
};
/// Reads the type of a file without its elements. Errors: those of readNpy.
support::Result<ArrayType> readNpyType(const std::string &path);
/// Error: "file.write". bfloat16 is written as its 16-bit patterns, since NumPy has no such type.
support::Result<void> writeNpy(const std::string &path, const NdArray &array);

} // namespace nestwright::ir
