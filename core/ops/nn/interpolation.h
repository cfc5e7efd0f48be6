// SPDX-License-Identifier: Apache-2.0
/// Elements at places between the elements of a tensor.
#pragma once

#include "core/ops/table/shapes.h"

namespace nestwright::ops {

enum class Interpolation : std::uint8_t { Nearest, Linear, Cubic };

/// The values outside of a tensor.
enum class Outside : std::uint8_t {
    Zeros,
    Border,     ///< the nearest element
    Reflection, ///< the mirror image, at the middle of the first and last element or, see Sampler, at their
                ///< outer edges
};

/// Reads the trailing dimensions of a tensor at real places.
struct Sampler {
    te::Tensor tensor;
    std::vector<ir::Expr> leading; ///< indices of the other dimensions
    Interpolation interpolation = Interpolation::Linear;
    Outside outside = Outside::Zeros;
    bool mirrorsAtCenters = true; ///< of Reflection

    /// The value at `place`, one number per trailing dimension, which `boundedPlace` has kept in range.
    ir::Expr at(const std::vector<ir::Expr> &place) const;
    /// The element at integer indices that may lie outside.
    ir::Expr element(const std::vector<ir::Expr> &indices) const;

private:
    ir::Expr interpolated(const std::vector<ir::Expr> &place, std::vector<ir::Expr> indices) const;
};

/// `place` moved so far towards [0, size) that it fits an integer; where it is further out than a filter
/// reaches, nothing changes.
ir::Expr boundedPlace(const ir::Expr &place, const ir::Expr &size);

} // namespace nestwright::ops
