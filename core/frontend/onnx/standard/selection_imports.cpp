// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX that pick elements by their values: how many they give is known only where those values
/// are.
#include "core/frontend/onnx/kept_boxes.h"
#include "core/ir/exact_integers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

/// Slices of an array along an axis as values that can be compared, element by element.
class Slices {
public:
    /// Each element by itself.
    explicit Slices(const ir::NdArray &data) : m_data(data), m_count(data.size()) {}
    Slices(const ir::NdArray &data, std::size_t axis) : m_data(data)
    {
        const Ints &shape = data.shape();
        const auto total = [&](std::size_t from, std::size_t to) {
            std::int64_t elements = 1;
            for (std::size_t i = from; i < to; ++i)
                elements *= shape[i];
            return elements;
        };
        m_outer = total(0, axis);
        m_count = shape[axis];
        m_inner = total(axis + 1, shape.size());
    }

    std::int64_t count() const { return m_count; }
    /// Below 0, 0 or above 0 as slice `a` comes before, equals or comes after slice `b`.
    int compare(std::int64_t a, std::int64_t b) const
    {
        for (std::int64_t o = 0; o < m_outer; ++o) {
            for (std::int64_t i = 0; i < m_inner; ++i) {
                const int order =
                    compareElements((o * m_count + a) * m_inner + i, (o * m_count + b) * m_inner + i);
                if (order != 0)
                    return order;
            }
        }
        return 0;
    }

private:
    int compareElements(std::int64_t a, std::int64_t b) const
    {
        const auto order = [](auto x, auto y) { return x < y ? -1 : y < x ? 1 : 0; };
        if (m_data.dtype() == ir::DataType::uint(64)) // a double may not hold it
            return order(m_data.data<std::uint64_t>()[a], m_data.data<std::uint64_t>()[b]);
        if (m_data.dtype().isIntegral())
            return order(ir::integerAt(m_data, a), ir::integerAt(m_data, b));
        // NaN comes behind all numbers, and is equal to itself.
        const double x = m_data.at(a), y = m_data.at(b);
        return std::isnan(x) || std::isnan(y) ? order(std::isnan(x), std::isnan(y)) : order(x, y);
    }

    const ir::NdArray &m_data;
    std::int64_t m_outer = 1, m_count = 1, m_inner = 1;
};

/// Each distinct slice once, in the order of their values or of their first occurrence.
Values unique(NodeImport &node)
{
    const bool flat = !node.hasAttribute("axis");
    const std::int64_t axis = flat ? 0 : node.axis(node.integer("axis", 0), node.rank());
    const Slices slices = flat ? Slices(node.data(0)) : Slices(node.data(0), static_cast<std::size_t>(axis));
    Ints order(static_cast<std::size_t>(slices.count()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) { return slices.compare(a, b) < 0; });
    Ints first; // occurrence of each distinct slice
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || slices.compare(order[i - 1], order[i]) != 0)
            first.push_back(order[i]);
    }
    Ints number(first.size()); // its place in the result
    std::iota(number.begin(), number.end(), 0);
    if (node.integer("sorted", 1) == 0)
        std::ranges::sort(number, {}, [&](std::int64_t i) { return first[static_cast<std::size_t>(i)]; });
    Ints picked, inverse(order.size()), counts(first.size()), placeOf(first.size());
    for (std::size_t i = 0; i < number.size(); ++i) {
        picked.push_back(first[static_cast<std::size_t>(number[i])]);
        placeOf[static_cast<std::size_t>(number[i])] = static_cast<std::int64_t>(i);
    }
    for (std::size_t i = 0, group = 0; i < order.size(); ++i) {
        if (i != 0 && slices.compare(order[i - 1], order[i]) != 0)
            ++group;
        inverse[static_cast<std::size_t>(order[i])] = placeOf[group];
        ++counts[static_cast<std::size_t>(placeOf[group])];
    }
    const Value x = flat ? node.reshape(node.input(), {-1}) : node.input();
    const Value places = node.constant(integerArray(picked));
    return {node.call("take", {x, places}, {{"axis", axis}}), places, node.constant(integerArray(inverse)),
            node.constant(integerArray(counts))};
}

/// The inputs must be known when the model is opened, since the number of kept boxes is the size of the
/// result.
Values nonMaxSuppression(NodeImport &node)
{
    const std::int64_t boxes = node.size(1, 2);
    const Value kept =
        keptBoxes(node, node.input(0), node.input(1), node.constant(integerArray({boxes}, {})), boxes);
    const Data count = node.builder().dataOf({kept.node, 1});
    if (!count)
        node.unsupported("there are too many boxes");
    return {node.slice(kept, 0, 0, ir::integerAt(*count, 0))};
}

constexpr ImportRow selectionRows[] = {
    {"NonMaxSuppression", &nonMaxSuppression},
    {"Unique", &unique},
};

} // namespace

Value keptBoxes(NodeImport &node, Value boxes, Value scores, Value count, std::int64_t most)
{
    return node.call("nn.non_max_suppression", {boxes, scores, count},
                     {{"most", node.has(2) ? std::clamp(node.number(2), std::int64_t{0}, most) : 0},
                      {"overlap", node.has(3) ? node.realNumber(3) : 0.0},
                      {"has_least", node.has(4)},
                      {"least", node.has(4) ? node.realNumber(4) : 0.0},
                      {"by_center", node.integer("center_point_box", 0) != 0}});
}

std::span<const ImportRow> selectionImports() { return selectionRows; }

} // namespace nestwright::graph::onnx
