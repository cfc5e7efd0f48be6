// SPDX-License-Identifier: Apache-2.0
/// Sizes, inputs and result type of attention.
#pragma once

#include "core/ops/table/shapes.h"

#include <array>
#include <string_view>
#include <vector>

namespace nestwright::ops {

/// The places of the dimensions batch, head, position and element of a head in a tensor.
using Layout = std::array<std::size_t, 4>;

/// The one that an attribute names.
Layout layoutOf(const CallSite &site, std::string_view attribute);
/// Batch, head, position, element as the tensor's own dimensions or indices.
std::vector<ir::Expr> arranged(const Layout &layout, const std::vector<ir::Expr> &given);
std::vector<ir::Expr> inOrder(const Layout &layout, const std::vector<ir::Expr> &own);

struct AttentionSizes {
    ir::Expr batch, queries, keys, depth, width; ///< depth: of queries and keys; width: of values
    std::int64_t heads = 1, groups = 1;          ///< groups: heads of keys and values
};

/// The inputs behind queries, keys and values, where they are given.
struct FurtherInputs {
    std::size_t bias = 0, mask = 0, lengths = 0, sink = 0;
};

FurtherInputs furtherInputs(const CallSite &site);
AttentionSizes attentionSizes(const CallSite &site);
/// The result that is asked for: 0 … 4, from the products of queries and keys to the output.
std::size_t resultOf(const CallSite &site);
std::vector<TensorType> inferAttention(const CallSite &site);

} // namespace nestwright::ops
