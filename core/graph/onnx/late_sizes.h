// SPDX-License-Identifier: Apache-2.0
/// Sizes that are known only when a model runs: of tensors whose elements are picked by their values. In the
/// graph such a tensor has the most elements that there can be, and how many there are is a tensor of its
/// own. What stands behind those is any number.
#pragma once

#include "core/graph/builder.h"

#include <map>
#include <span>

namespace nestwright::graph::onnx {

class LateSizes {
public:
    /// By axis: the size, an int64 without dimensions.
    using Axes = std::map<std::int64_t, Value>;
    /// Numbers that are computed from late sizes lie between these, element by element.
    struct Bounds {
        Data low, high;
        static Bounds between(ir::NdArray low, ir::NdArray high)
        {
            return {std::make_shared<const ir::NdArray>(std::move(low)),
                    std::make_shared<const ir::NdArray>(std::move(high))};
        }
        bool areEqual(std::int64_t i) const { return low->at(i) == high->at(i); }
    };

    const Axes &of(Value tensor) const;
    void set(Value tensor, Axes axes);
    /// Null where they are not known.
    const Bounds *bounds(Value numbers) const;
    void setBounds(Value numbers, Bounds bounds) { m_bounds.insert_or_assign(numbers, std::move(bounds)); }

    /// Whether a size of one of these, or one of their elements, is known late.
    bool concern(std::span<const Value> tensors) const;

private:
    std::map<Value, Axes> m_axes;
    std::map<Value, Bounds> m_bounds;
};

} // namespace nestwright::graph::onnx
