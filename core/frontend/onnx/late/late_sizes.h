// SPDX-License-Identifier: Apache-2.0
/// Sizes that are known only when a model runs: of tensors whose elements are picked by their values. In the
/// graph such a tensor has the most elements that there can be, and how many there are is a tensor of its
/// own. What stands behind those is any number.
#pragma once

#include "core/graph/builder.h"

#include <map>
#include <optional>
#include <set>
#include <span>

namespace nestwright::graph::onnx {

class NodeImport;

class LateSizes {
public:
    /// Sizes by axis, each an int64 without dimensions.
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
    /// `byInterval`: they follow from an interval, not from late sizes.
    void setBounds(Value numbers, Bounds bounds, bool byInterval = false)
    {
        m_bounds.insert_or_assign(numbers, std::move(bounds));
        if (byInterval)
            m_byInterval.insert(numbers);
    }
    bool areByInterval(Value numbers) const { return m_byInterval.contains(numbers); }
    /// Numbers that have bounds by an interval only, where data of the model's inputs give them; null where
    /// that would take too long.
    Data dataOf(Builder &builder, Value numbers);

    /// Interval that holds all elements of a tensor.
    struct Interval {
        double low = 0, high = 0;
    };
    /// Nothing where that is not known.
    std::optional<Interval> interval(Builder &builder, Value tensor);
    /// Notes intervals of the node's results where those of its inputs give them.
    void noteInterval(NodeImport &node, std::span<const Value> results);

    /// Whether a size of one of these, or one of their elements, is known late.
    bool concern(std::span<const Value> tensors) const;

private:
    void boundSizes(NodeImport &node, Value result, const Interval &interval);

    std::map<Value, Axes> m_axes;
    std::map<Value, Bounds> m_bounds;
    std::set<Value> m_byInterval;
    bool m_takesTooLong = false; ///< to compute what data of inputs give
    std::map<Value, Interval> m_intervals;
};

} // namespace nestwright::graph::onnx
