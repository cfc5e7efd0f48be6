// SPDX-License-Identifier: Apache-2.0
/// Windows that slide over the trailing dimensions of a tensor, for convolutions and pools.
#pragma once

#include "core/ops/table/shapes.h"

namespace nestwright::ops {

/// One window: per spatial dimension its size, stride and dilation, and the padding.
struct Window {
    std::vector<std::int64_t> size, strides, dilation, before, after;
    bool ceil = false; ///< a window that begins within the padded input counts though it ends outside

    /// The window of the attributes strides, padding (before each dimension, then after) and dilation, which
    /// may be left out. Throws "ops.type" where their lengths are not that of `size`. `mayCut`: padding of
    /// less than 0 cuts as many elements off the input.
    static Window of(const CallSite &site, std::vector<std::int64_t> size, bool mayCut = false);

    std::size_t rank() const { return size.size(); }
    /// Elements that a window spans in dimension `i`.
    std::int64_t span(std::size_t i) const { return (size[i] - 1) * dilation[i] + 1; }
    bool isPadded() const;
    /// Number of windows along dimension `i` of an input of that size. Throws "ops.type" when there
    /// is none.
    ir::Expr count(std::size_t i, const ir::Expr &input) const;
    /// The place in the input (without padding) of element `k` of window `at`.
    ir::Expr place(std::size_t i, const ir::Expr &at, const ir::Expr &k) const;
};

/// `x` with zeros around its spatial dimensions (the third and those after it, as many as the window has), as
/// the stage "pad".
te::Tensor padded(te::Builder &builder, const te::Tensor &x, const Window &window);

inline const std::vector<AttributeField> windowAttributes = {
    {"strides", std::vector<std::int64_t>{}, "distance between windows, per dimension; none: 1"},
    {"padding", std::vector<std::int64_t>{}, "padding before each dimension, then after; none: 0"},
    {"dilation", std::vector<std::int64_t>{}, "distance between the elements of a window; none: 1"},
};

} // namespace nestwright::ops
