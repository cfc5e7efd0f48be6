// SPDX-License-Identifier: Apache-2.0
/// The shape and indices after reducing over some axes.
#pragma once

#include "core/ops/table/shapes.h"

namespace nestwright::ops {

/// The axes that a reduction runs over, and those that stay.
struct ReducedShape {
    Shape input;
    std::vector<std::size_t> axes; ///< sorted
    bool keepsDims = false;

    bool reduces(std::size_t axis) const;
    /// The shape of the result: without the axes, or with 1 in their places.
    Shape result() const;
    /// Number of elements that make one of the result.
    ir::Expr terms() const;
    /// One axis to reduce over for each of `axes`: k0, k1, ….
    std::vector<te::IterVar> iterVars() const;
    /// The index in the input for `indices` of the result and the values of the axes reduced over.
    std::vector<ir::Expr> inputIndices(const std::vector<ir::Expr> &indices,
                                       const std::vector<te::IterVar> &reduced) const;
    /// The index in the result for `indices` of the input.
    std::vector<ir::Expr> resultIndices(const std::vector<ir::Expr> &indices) const;
};

/// The elements of `x` made into others and summed up (or whatever `combine` does), as the stage `name`.
te::Tensor reduceTensor(te::Builder &builder, const te::Tensor &x, const ReducedShape &shape,
                        te::Reduction (*combine)(const ir::Expr &, std::vector<te::IterVar>),
                        const std::function<ir::Expr(const ir::Expr &element,
                                                     const std::vector<ir::Expr> &resultIndices)> &before,
                        const std::string &name);

/// `function` of each element, as the stage `name`.
te::Tensor mapTensor(
    te::Builder &builder, const te::Tensor &x,
    const std::function<ir::Expr(const ir::Expr &element, const std::vector<ir::Expr> &indices)> &function,
    const std::string &name);

/// Least element of the type: of floats minus infinity.
ir::Expr leastOf(ir::DataType type);

/// Like te::max and te::min, but a term that is NaN changes nothing (the plain ones would forget all before
/// it), and of nothing but infinities the result is infinite.
te::Reduction largestOf(const ir::Expr &value, std::vector<te::IterVar> axes);
te::Reduction smallestOf(const ir::Expr &value, std::vector<te::IterVar> axes);

/// The elements converted; itself where it has that type.
te::Tensor inType(te::Builder &builder, const te::Tensor &x, ir::DataType type);

} // namespace nestwright::ops
