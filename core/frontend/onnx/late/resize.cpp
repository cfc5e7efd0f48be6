// SPDX-License-Identifier: Apache-2.0
/// Resize, where sizes before or after are known only when the model runs: places and weights of the elements
/// that are summed are computed then, by the rules of resize_imports.cpp.
#include "core/frontend/onnx/file/made_array.h"
#include "core/frontend/onnx/late/late_node.h"
#include "core/frontend/onnx/shared_forms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

using Axes = LateSizes::Axes;

const ir::DataType float64 = ir::DataType::float_(64);

/// Arithmetic on vectors of numbers of 64 bits.
class Vectors {
public:
    explicit Vectors(NodeImport &node) : m_node(node) {}

    Value number(double value) { return m_node.scalar(value, float64); }
    Value of(const LateNumber &size)
    {
        return size.isKnown() ? number(static_cast<double>(size.low)) : m_node.cast(size.value, float64);
    }
    Value call(std::string_view op, Value a, Value b) { return m_node.call(op, {a, b}); }
    Value add(Value a, double b) { return b == 0 ? a : call("add", a, number(b)); }
    Value times(Value a, double b) { return b == 1 ? a : call("multiply", a, number(b)); }
    Value clamped(Value a, double low, Value high)
    {
        return call("maximum", call("minimum", a, high), number(low));
    }
    Value where(Value condition, Value a, Value b) { return m_node.call("where", {condition, a, b}); }

private:
    NodeImport &m_node;
};

/// An axis that becomes another size.
struct LateResizedAxis {
    std::int64_t axis = 0;
    LateNumber from, size;
    double scale = 0; ///< given, else size / from
};

class LateResize {
public:
    LateResize(LateNode &late, Value x)
        : m_node(late.node)
        , m_late(late)
        , m_vectors(late.node)
        , m_mode(late.node.text("mode", "nearest"))
        , m_coordinates(late.node.text("coordinate_transformation_mode", "half_pixel"))
        , m_nearest(late.node.text("nearest_mode", "round_prefer_floor"))
        , m_x(x)
    {
        constexpr std::string_view known[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                                              "align_corners", "asymmetric"};
        if (m_node.integer("antialias", 0) != 0 || m_node.opset() < 11
            || !std::ranges::contains(known, m_coordinates)
            || m_node.text("keep_aspect_ratio_policy", "stretch") != "stretch")
            m_node.unsupported(
                "it is smoothed, cropped or keeps its ratio, along an axis whose size is known only "
                "when the model runs");
    }

    void along(const LateResizedAxis &axis)
    {
        const Value at = position(axis);
        const Value last = m_vectors.add(m_vectors.of(axis.from), -1);
        // The element before and how far it is beyond that, in (0, 1].
        const Value before = m_vectors.add(m_node.call("ceil", {at}), -1);
        const Value beyond = m_vectors.call("subtract", at, before);
        m_x =
            m_mode == "nearest" ? nearest(axis, before, beyond, last) : weighted(axis, before, beyond, last);
    }

    Value result() const { return m_x; }

private:
    /// Coordinates of the result's elements in the input.
    Value position(const LateResizedAxis &axis)
    {
        Vectors &v = m_vectors;
        const Value i = m_node.cast(m_late.counting(axis.size.high, 0, 1), float64);
        const Value from = v.of(axis.from), size = v.of(axis.size);
        const Value length = axis.scale == 0 ? size : v.times(from, axis.scale);
        const auto scaled = [&](Value place) {
            return axis.scale != 0 ? v.call("divide", place, v.number(axis.scale))
                                   : v.call("divide", v.call("multiply", place, from), length);
        };
        if (m_coordinates == "asymmetric")
            return scaled(i);
        const Value half = v.add(scaled(v.add(i, 0.5)), -0.5);
        if (m_coordinates == "half_pixel")
            return half;
        if (m_coordinates == "half_pixel_symmetric") {
            const Value share = v.add(v.times(v.call("divide", size, length), -1), 1);
            return v.call("add", v.times(v.call("multiply", from, share), 0.5), half);
        }
        const bool byCorners = m_coordinates == "align_corners";
        const Value isOne = v.call("equal", byCorners ? length : size, v.number(1));
        const Value corners = v.call("divide", v.call("multiply", i, v.add(from, -1)), v.add(length, -1));
        return v.where(isOne, v.times(i, 0), byCorners ? corners : half);
    }

    Value taken(const LateResizedAxis &axis, Value places, Value last)
    {
        const Value inside = m_vectors.clamped(places, 0, last);
        return m_node.call("take", {m_x, m_node.cast(inside, ir::DataType::int64())}, {{"axis", axis.axis}});
    }

    Value nearest(const LateResizedAxis &axis, Value before, Value beyond, Value last)
    {
        Vectors &v = m_vectors;
        Value isUp = v.call("equal", beyond, v.number(1));
        if (m_nearest == "ceil")
            isUp = v.call("greater", beyond, v.number(0));
        else if (m_nearest != "floor")
            isUp =
                v.call(m_nearest == "round_prefer_ceil" ? "greater_equal" : "greater", beyond, v.number(0.5));
        return taken(axis, v.call("add", before, m_node.cast(isUp, float64)), last);
    }

    Value weighted(const LateResizedAxis &axis, Value before, Value beyond, Value last)
    {
        Vectors &v = m_vectors;
        const int support = m_mode == "linear" ? 1 : 2;
        Values weights;
        Value total;
        for (int k = 1 - support; k <= support; ++k) {
            Value weight = weightAt(v.call("subtract", v.number(k), beyond));
            if (m_node.integer("exclude_outside", 0) != 0) {
                const Value place = v.add(before, k);
                const Value inside = m_node.call("logical_and", {v.call("greater_equal", place, v.number(0)),
                                                                 v.call("less_equal", place, last)});
                weight = v.where(inside, weight, v.number(0));
            }
            total = total ? v.call("add", total, weight) : weight;
            weights.push_back(weight);
        }
        const ir::DataType type = m_node.typeOf(m_x).dtype;
        const bool computes = type == ir::DataType::float32() || type == float64;
        const ir::DataType wide = computes ? type : ir::DataType::float32();
        m_x = m_node.cast(m_x, wide);
        Value sum;
        for (int k = 1 - support; k <= support; ++k) {
            const Value weight = v.call("divide", weights[static_cast<std::size_t>(k + support - 1)], total);
            Ints column(static_cast<std::size_t>(m_node.typeOf(m_x).rank() - axis.axis), 1);
            column[0] = axis.size.high;
            const Value part = m_node.call("multiply", {taken(axis, v.add(before, k), last),
                                                        m_node.reshape(m_node.cast(weight, wide), column)});
            sum = sum ? m_node.call("add", {sum, part}) : part;
        }
        return m_node.cast(sum, type);
    }

    /// Weight of an element at `distance`: linear, or cubic convolution (R. Keys, 1981).
    Value weightAt(Value distance)
    {
        Vectors &v = m_vectors;
        const Value d = m_node.call("abs", {distance});
        if (m_mode == "linear")
            return v.call("maximum", v.add(v.times(d, -1), 1), v.number(0));
        const double a = m_node.real("cubic_coeff_a", -0.75);
        const auto next = [&](Value sum, double coefficient) {
            return v.add(v.call("multiply", sum, d), coefficient);
        };
        const Value nearby = next(next(v.add(v.times(d, a + 2), -(a + 3)), 0), 1);
        const Value far = next(next(v.add(v.times(d, a), -5 * a), 8 * a), -4 * a);
        return v.where(v.call("less_equal", d, v.number(1)), nearby,
                       v.where(v.call("less", d, v.number(2)), far, v.number(0)));
    }

    NodeImport &m_node;
    LateNode &m_late;
    Vectors m_vectors;
    std::string m_mode, m_coordinates, m_nearest;
    Value m_x;
};

/// The late size of an axis that is scaled.
LateNumber scaledSize(LateNode &late, const LateNumber &from, double scale)
{
    const auto sizeOf = [&](std::int64_t size) {
        return static_cast<std::int64_t>(std::floor(static_cast<double>(size) * scale));
    };
    if (from.isKnown())
        return {sizeOf(from.low), sizeOf(from.low), {}};
    if (scale == std::floor(scale))
        return late.product(from, {sizeOf(1), sizeOf(1), {}});
    Vectors v(late.node);
    const Value size = late.node.call("floor", {v.times(v.of(from), scale)});
    return {sizeOf(from.low), sizeOf(from.high), late.node.cast(size, ir::DataType::int64())};
}

Values resize(LateNode &late)
{
    NodeImport &node = late.node;
    acceptOtherModes(node);
    Ints axes = node.integers("axes");
    if (axes.empty()) {
        axes.resize(static_cast<std::size_t>(node.rank()));
        std::iota(axes.begin(), axes.end(), 0);
    }
    std::vector<LateNumber> sizes;
    std::vector<double> scales;
    if (node.has(3)) {
        sizes = late.list(3);
    } else {
        const ir::NdArray &given = node.data(node.opset() < 11 ? 1 : 2);
        for (std::int64_t i = 0; i < given.size(); ++i)
            scales.push_back(given.at(i));
    }
    if (sizes.size() + scales.size() != axes.size())
        node.unsupported("there must be one size or scale for each axis");
    std::vector<LateResizedAxis> resized;
    bool isLate = false;
    Axes result = late.axes();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t axis = node.axis(axes[i], node.rank());
        const LateNumber from = late.size(node.input(), axis);
        const double scale = scales.empty() ? 0 : scales[i];
        if (!scales.empty() && (!(scale > 0) || scale > 1e6))
            node.unsupported("a scale must be above 0, and no more than a million");
        // Batch and channels stay.
        const bool stays = scale == 1 || (axis < 2 && !sizes.empty() && sizes[i].high == from.high);
        if (stays)
            continue;
        const LateNumber size = sizes.empty() ? scaledSize(late, from, scale) : sizes[i];
        isLate = isLate || !from.isKnown() || !size.isKnown();
        resized.push_back({axis, from, size, scale});
        result.erase(axis);
        late.put(result, axis, size);
    }
    if (!isLate && (sizes.empty() || std::ranges::all_of(sizes, &LateNumber::isKnown)))
        return late.give(late.plain(), late.axes());
    LateResize steps(late, node.input());
    for (const LateResizedAxis &axis : resized)
        steps.along(axis);
    return late.give({steps.result()}, result);
}

constexpr LateRow resizeRows[] = {
    {"Resize", &resize},
};

} // namespace

std::span<const LateRow> lateResizes() { return resizeRows; }

} // namespace nestwright::graph::onnx
