// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX that pick elements by their values: how many they give is known only where those values
/// are.
#include "core/graph/onnx/node_import.h"
#include "core/ir/exact_integers.h"

#include <algorithm>
#include <array>
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
        return order(m_data.at(a), m_data.at(b));
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

struct Box {
    double top = 0, left = 0, bottom = 0, right = 0;
    double area() const { return (bottom - top) * (right - left); }
};

/// Corners in any order, or the middle, width and height.
Box boxAt(const ir::NdArray &boxes, std::int64_t row, bool byCenter)
{
    std::array<double, 4> v{};
    for (std::size_t i = 0; i < 4; ++i)
        v[i] = boxes.at(row * 4 + static_cast<std::int64_t>(i));
    if (byCenter)
        return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
    return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

double overlap(const Box &a, const Box &b)
{
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0)
        return 0;
    const double common = height * width;
    return common / (a.area() + b.area() - common);
}

/// The boxes of best score, without those that overlap with a better one too much.
Values nonMaxSuppression(NodeImport &node)
{
    const ir::NdArray &boxes = node.data(0), &scores = node.data(1);
    if (boxes.shape().size() != 3 || boxes.shape()[2] != 4 || scores.shape().size() != 3
        || scores.shape()[0] != boxes.shape()[0] || scores.shape()[2] != boxes.shape()[1])
        node.unsupported("boxes must be batch × boxes × 4, and scores batch × classes × boxes");
    const std::int64_t count = boxes.shape()[1], classes = scores.shape()[1];
    const std::int64_t most = node.has(2) ? node.number(2) : 0;
    const double threshold = node.has(3) ? node.data(3).at(0) : 0;
    const bool hasLeast = node.has(4);
    const double least = hasLeast ? node.data(4).at(0) : 0;
    const bool byCenter = node.integer("center_point_box", 0) != 0;
    Ints selected;
    for (std::int64_t row = 0; row < scores.shape()[0] * classes; ++row) {
        const std::int64_t batch = row / classes;
        const auto score = [&](std::int64_t i) { return scores.at(row * count + i); };
        Ints waiting;
        for (std::int64_t i = 0; i < count; ++i) {
            if (!hasLeast || score(i) > least)
                waiting.push_back(i);
        }
        std::ranges::stable_sort(waiting, std::greater(), score);
        std::vector<Box> kept;
        for (const std::int64_t i : waiting) {
            const Box box = boxAt(boxes, batch * count + i, byCenter);
            const auto covers = [&](const Box &better) { return overlap(better, box) > threshold; };
            if (static_cast<std::int64_t>(kept.size()) >= most)
                break;
            if (std::ranges::any_of(kept, covers))
                continue;
            kept.push_back(box);
            selected.insert(selected.end(), {batch, row % classes, i});
        }
    }
    return {node.constant(integerArray(selected, {static_cast<std::int64_t>(selected.size()) / 3, 3}))};
}

constexpr ImportRow selectionRows[] = {
    {"NonMaxSuppression", &nonMaxSuppression},
    {"Unique", &unique},
};

} // namespace

std::span<const ImportRow> selectionImports() { return selectionRows; }

} // namespace nestwright::graph::onnx
