// SPDX-License-Identifier: Apache-2.0
/// Random arguments of programs that are sealed.
#pragma once

#include "core/analysis/index_inputs.h"
#include "core/ir/ndarray.h"
#include "core/support/result.h"

#include <random>
#include <span>

namespace nestwright::explore {

struct SealInput {
    ir::DataType dtype;
    std::vector<std::int64_t> shape;
    const analysis::IndexRange *range = nullptr; ///< of indices; null: any
    std::span<const std::int64_t> integers{};    ///< that the programs name
};

/// Elements of the field in place of floating-point numbers; of integers a third of the type's whole range, a
/// third small, the others those that the programs name. Error: "seal.too-large".
support::Result<ir::NdArray> sealInput(const SealInput &input, std::mt19937_64 &random);

} // namespace nestwright::explore
