// SPDX-License-Identifier: Apache-2.0
/// Arguments of a kernel from files: read, told apart, and checked against the kernel's parameters.
#pragma once

#include "core/ir/node/function.h"
#include "core/ir/npy.h"
#include "core/measure/measurement.h"
#include "core/support/errors/result.h"

#include <optional>

namespace nestwright::measure {

/// Symbolic sizes by name.
using Sizes = std::map<std::string, std::int64_t>;

/// A hash of the array's type, shape and elements; never 0.
std::uint64_t contentOf(const ir::NdArray &array);

/// Whether the arguments were the same, whatever their files are called. Arguments that were not read yet
/// never are.
bool haveSameContent(const GivenInputs &a, const GivenInputs &b);

struct ReadInputs {
    std::map<std::string, ir::NdArray> arrays;
    GivenInputs given; ///< with the content of the arrays read
};
/// Errors: those of readNpy.
support::Result<ReadInputs> readInputs(const GivenInputs &inputs);

/// Value of `extent` with these sizes; nothing where one of them is not known.
std::optional<std::int64_t> extentWith(const ir::Expr &extent, const Sizes &sizes);

/// Adds the sizes that a shape of the argument `buffer` tells: those of dimensions such as n * 2 + 4 too,
/// where n alone is not known.
void tellSizes(const ir::Buffer &buffer, const std::vector<std::int64_t> &shape, Sizes &sizes);

/// Whether an array of that type can be the argument `buffer`: error "measure.input" with the expected and
/// the found type. Symbolic sizes that `sizes` does not name are taken from it (tellSizes).
support::Result<void> bindInput(const ir::Buffer &buffer, const ir::ArrayType &given, Sizes &sizes);

/// Why `inputs` do not fit: error "measure.input" for a name that is no argument, and those of bindInput.
support::Result<void> bindInputs(const ir::PrimFunc &function,
                                 const std::map<std::string, ir::NdArray> &inputs, Sizes &sizes);

} // namespace nestwright::measure
