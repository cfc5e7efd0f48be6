// SPDX-License-Identifier: Apache-2.0
/// Resize and Upsample of ONNX: along each axis, weighted sums of elements that are known when the model is
/// opened.
#include "core/frontend/onnx/shared_forms.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

/// One axis that changes: `length` is its exact new length, `size` the integer one.
struct ResizedAxis {
    std::int64_t axis = 0, from = 1, size = 1;
    double length = 1;
    double begin = 0, end = 1; ///< the region cropped to, for tf_crop_and_resize

    double scale() const { return length / static_cast<double>(from); }
};

/// The elements that each element of the result sums, `count` each.
struct Taps {
    std::int64_t count = 1;
    Ints places; ///< within the axis
    std::vector<double> weights;
    std::vector<bool> inside; ///< per element of the result: whether it lies within the input
};

/// Cubic convolution (R. Keys, 1981).
double cubic(double distance, double a)
{
    const double d = std::abs(distance);
    if (d <= 1)
        return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// The rules that a node's attributes state.
class Resizing {
public:
    explicit Resizing(const NodeImport &node)
        : m_mode(node.text("mode", "nearest"))
        , m_coordinates(node.text("coordinate_transformation_mode", "half_pixel"))
        , m_nearest(node.text("nearest_mode", "round_prefer_floor"))
        , m_cubicA(node.real("cubic_coeff_a", -0.75))
        , m_excludeOutside(node.integer("exclude_outside", 0) != 0)
        , m_antialias(node.integer("antialias", 0) != 0)
        , m_old(node.opset() < 11)
    {
        if (m_old)
            m_coordinates = "asymmetric";
        if (m_mode != "nearest" && m_mode != "linear" && m_mode != "cubic")
            node.unsupported("there is no mode \"" + m_mode + "\"");
        for (const char *known : {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                  "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}) {
            if (m_coordinates == known)
                return;
        }
        node.unsupported("there is no coordinate transformation \"" + m_coordinates + "\"");
    }

    bool isNearest() const { return m_mode == "nearest"; }
    bool crops() const { return m_coordinates == "tf_crop_and_resize"; }

    /// Upper bound of the number of taps.
    double tapCount(const ResizedAxis &axis) const
    {
        const double wide = m_antialias ? std::max(1.0, 1 / axis.scale()) : 1;
        return static_cast<double>(axis.size) * (4 * wide + 2);
    }

    Taps tapsOf(const ResizedAxis &axis) const
    {
        Taps taps;
        for (std::int64_t i = 0; i < axis.size; ++i) {
            const double at = position(axis, static_cast<double>(i));
            taps.inside.push_back(!crops() || (at >= 0 && at <= static_cast<double>(axis.from - 1)));
            // The element before `at` and how far it is beyond that, in (0, 1].
            const double before = std::ceil(at) - 1;
            if (isNearest())
                addNearest(taps, axis, before, at - before);
            else
                addWeighted(taps, axis, before, at - before);
        }
        return taps;
    }

private:
    /// Coordinate of the result's element `i` in the input.
    double position(const ResizedAxis &axis, double i) const
    {
        const auto from = static_cast<double>(axis.from), size = static_cast<double>(axis.size);
        const auto halfPixel = [&] { return (i + 0.5) * from / axis.length - 0.5; };
        if (m_coordinates == "asymmetric")
            return i * from / axis.length;
        if (m_coordinates == "tf_half_pixel_for_nn")
            return (i + 0.5) * from / axis.length;
        if (m_coordinates == "align_corners")
            return axis.length == 1 ? 0 : i * (from - 1) / (axis.length - 1);
        if (m_coordinates == "pytorch_half_pixel")
            return axis.size == 1 ? 0 : halfPixel();
        if (m_coordinates == "half_pixel_symmetric")
            return from / 2 * (1 - size / axis.length) + halfPixel();
        if (crops()) {
            const double step = axis.size == 1 ? 0 : (axis.end - axis.begin) * (from - 1) / (size - 1);
            const double begin = axis.size == 1 ? (axis.begin + axis.end) / 2 : axis.begin;
            return begin * (from - 1) + i * step;
        }
        return halfPixel();
    }

    void addNearest(Taps &taps, const ResizedAxis &axis, double before, double beyond) const
    {
        const bool up = m_old                              ? axis.scale() < 1
                        : m_nearest == "floor"             ? false
                        : m_nearest == "ceil"              ? true
                        : m_nearest == "round_prefer_ceil" ? beyond >= 0.5
                                                           : beyond > 0.5;
        const auto place = static_cast<std::int64_t>(before) + (up || beyond == 1 ? 1 : 0);
        taps.places.push_back(std::clamp<std::int64_t>(place, 0, axis.from - 1));
        taps.weights.push_back(1);
    }

    void addWeighted(Taps &taps, const ResizedAxis &axis, double before, double beyond) const
    {
        // A filter that is as wide as the elements of the result, where those are the larger ones.
        const double scale = m_antialias ? std::min(1.0, axis.scale()) : 1;
        const double support = m_mode == "linear" ? 1 : 2;
        const auto first = static_cast<std::int64_t>(std::floor(-support / scale)) + 1;
        std::vector<double> weights;
        Ints places;
        for (std::int64_t k = first; k <= 1 - first; ++k) {
            const double distance = scale * (static_cast<double>(k) - beyond);
            const std::int64_t place = static_cast<std::int64_t>(before) + k;
            const bool counts = !m_excludeOutside || (place >= 0 && place < axis.from);
            const double weight =
                m_mode == "linear" ? std::max(0.0, 1 - std::abs(distance)) : cubic(distance, m_cubicA);
            weights.push_back(counts ? weight : 0);
            places.push_back(std::clamp<std::int64_t>(place, 0, axis.from - 1));
        }
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (double &weight : weights)
            weight = total == 0 ? 0 : weight / total;
        taps.count = static_cast<std::int64_t>(places.size());
        taps.places.insert(taps.places.end(), places.begin(), places.end());
        taps.weights.insert(taps.weights.end(), weights.begin(), weights.end());
    }

    std::string m_mode, m_coordinates, m_nearest;
    double m_cubicA;
    bool m_excludeOutside, m_antialias;
    bool m_old; ///< as before operator set 11, which states no rule but rounds down, and up where it makes
                ///< smaller
};

std::vector<double> realsOf(NodeImport &node, std::size_t input)
{
    const ir::NdArray &array = node.data(input);
    std::vector<double> values;
    for (std::int64_t i = 0; i < array.size(); ++i)
        values.push_back(array.at(i));
    return values;
}

/// The size for a scale in 32 bits, where an integer may be meant and just missed.
ResizedAxis scaledAxis(std::int64_t from, double scale)
{
    ResizedAxis axis;
    axis.from = from;
    axis.length = static_cast<double>(from) * scale;
    const double whole = std::round(axis.length);
    if (std::abs(axis.length - whole) <= 1e-6 * whole)
        axis.length = whole;
    axis.size = static_cast<std::int64_t>(std::floor(axis.length));
    return axis;
}

void requireScales(const NodeImport &node, const std::vector<double> &scales, std::size_t axes)
{
    if (scales.size() != axes)
        node.unsupported("there must be one scale for each axis");
    for (const double scale : scales) {
        if (!(scale > 0) || scale > 1e6)
            node.unsupported("a scale must be above 0, and no more than a million");
    }
}

std::vector<ResizedAxis> axesByScale(NodeImport &node, const std::vector<double> &scales, const Ints &axes)
{
    requireScales(node, scales, axes.size());
    std::vector<ResizedAxis> result;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const ir::Expr &size = node.type().shape[static_cast<std::size_t>(axes[i])];
        const std::int64_t *known = ir::asInt(size);
        if (!known) {
            if (scales[i] != 1)
                node.shape(); // tells that it must be known
            continue;
        }
        result.push_back(scaledAxis(*known, scales[i]));
        result.back().axis = axes[i];
    }
    return result;
}

std::vector<ResizedAxis> axesBySize(NodeImport &node, const Ints &sizes, const Ints &axes)
{
    if (sizes.size() != axes.size())
        node.unsupported("there must be one size for each axis");
    const Ints shape = node.shape();
    std::vector<ResizedAxis> result;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t from = shape[static_cast<std::size_t>(axes[i])];
        if (sizes[i] < 1 || from < 1)
            node.unsupported("sizes must be above 0");
        result.push_back({axes[i], from, sizes[i], static_cast<double>(sizes[i])});
    }
    const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
    if (policy == "stretch" || result.empty())
        return result;
    const auto [least, most] = std::ranges::minmax(result, {}, &ResizedAxis::scale);
    const double scale = policy == "not_larger" ? least.scale() : most.scale();
    for (ResizedAxis &axis : result) {
        axis.length = scale * static_cast<double>(axis.from);
        axis.size = static_cast<std::int64_t>(std::floor(axis.length + 0.5));
    }
    return result;
}

ir::NdArray tapArray(ir::DataType type, const Ints &shape, const auto &values)
{
    ir::NdArray array(type, shape);
    for (std::size_t i = 0; i < values.size(); ++i)
        array.set(static_cast<std::int64_t>(i), static_cast<double>(values[i]));
    return array;
}

bool changesNothing(const Taps &taps, const ResizedAxis &axis)
{
    if (taps.count != 1 || axis.size != axis.from)
        return axis.size == axis.from && axis.length == static_cast<double>(axis.from);
    for (std::int64_t i = 0; i < axis.size; ++i) {
        if (taps.places[static_cast<std::size_t>(i)] != i)
            return false;
    }
    return true;
}

Value resampled(NodeImport &node, Value x, const ResizedAxis &axis, const Taps &taps)
{
    if (taps.count == 1) {
        const Value places = node.constant(tapArray(ir::DataType::int64(), {axis.size}, taps.places));
        return node.call("take", {x, places}, {{"axis", axis.axis}});
    }
    const Ints shape{axis.size, taps.count};
    return node.call("image.resample",
                     {x, node.constant(tapArray(ir::DataType::int32(), shape, taps.places)),
                      node.constant(tapArray(node.typeOf(x).dtype, shape, taps.weights))},
                     {{"axis", axis.axis}});
}

/// `filling` where an element lies outside of the input along `axis`.
Value extrapolated(NodeImport &node, Value x, const ResizedAxis &axis, const Taps &taps, double filling)
{
    if (std::ranges::find(taps.inside, false) == taps.inside.end())
        return x;
    Ints shape(static_cast<std::size_t>(node.rank()), 1);
    shape[static_cast<std::size_t>(axis.axis)] = axis.size;
    const Value inside = node.constant(tapArray(ir::DataType::boolean(), shape, taps.inside));
    return node.call("where", {inside, x, node.scalarLike(filling, x)});
}

/// `x` in its old type; values of a smooth curve too large for that are cut.
Value inType(NodeImport &node, Value x, ir::DataType type)
{
    if (type.isIntegral() && !type.isBool()) {
        const double beyond = std::ldexp(1, type.isUInt() ? type.bits : type.bits - 1);
        const double largest = beyond * (1 - 0x1p-24); // the next smaller number of 32 bits
        x = node.call("maximum", {x, node.scalarLike(type.isUInt() ? 0 : -beyond, x)});
        x = node.call("minimum", {x, node.scalarLike(largest, x)});
    }
    return node.cast(x, type);
}

Values resizedBy(NodeImport &node, const Resizing &rules, std::vector<ResizedAxis> axes)
{
    const ir::DataType type = node.type().dtype;
    const bool computes = type == ir::DataType::float32() || type == ir::DataType::float_(64);
    Value x = node.input();
    if (!rules.isNearest() && !computes)
        x = node.cast(x, ir::DataType::float32());
    std::ranges::stable_sort(axes, {}, &ResizedAxis::scale); // shrinking axes go first
    std::erase_if(axes, [](const ResizedAxis &axis) { return axis.from == 0 && axis.size == 0; });
    for (const ResizedAxis &axis : axes) {
        if (axis.from < 1 || axis.size < 1 || !(rules.tapCount(axis) < 0x1p24))
            node.unsupported("a dimension would become empty or too large");
        const Taps taps = rules.tapsOf(axis);
        if (!changesNothing(taps, axis) || rules.crops())
            x = resampled(node, x, axis, taps);
    }
    if (rules.crops()) {
        for (const ResizedAxis &axis : axes)
            x = extrapolated(node, x, axis, rules.tapsOf(axis), node.real("extrapolation_value", 0));
    }
    return {rules.isNearest() ? x : inType(node, x, type)};
}

Values resize(NodeImport &node)
{
    acceptOtherModes(node);
    const Resizing rules(node);
    Ints axes = node.integers("axes");
    if (axes.empty()) {
        axes.resize(static_cast<std::size_t>(node.rank()));
        std::iota(axes.begin(), axes.end(), 0);
    }
    for (std::int64_t &axis : axes)
        axis = node.axis(axis, node.rank());
    const std::size_t scales = node.opset() < 11 ? 1 : 2;
    const bool bySize = node.has(3);
    if (!bySize && !node.has(scales))
        node.unsupported("it needs scales or sizes");
    std::vector<ResizedAxis> resized =
        bySize ? axesBySize(node, node.list(3), axes) : axesByScale(node, realsOf(node, scales), axes);
    if (rules.crops()) {
        const std::vector<double> roi = realsOf(node, 1);
        if (roi.size() != 2 * axes.size())
            node.unsupported("the region must have a begin and an end for each axis");
        for (ResizedAxis &axis : resized) {
            const auto i = static_cast<std::size_t>(std::ranges::find(axes, axis.axis) - axes.begin());
            axis.begin = roi[i];
            axis.end = roi[axes.size() + i];
        }
    }
    return resizedBy(node, rules, std::move(resized));
}

Values upsample(NodeImport &node)
{
    acceptOtherModes(node);
    const std::vector<double> scales = node.hasAttribute("scales") ? node.reals("scales") : realsOf(node, 1);
    Ints axes(static_cast<std::size_t>(node.rank()));
    std::iota(axes.begin(), axes.end(), 0);
    return resizedBy(node, Resizing(node), axesByScale(node, scales, axes));
}

constexpr ImportRow resizeRows[] = {
    {"Resize", &resize},
    {"Upsample", &upsample},
};

} // namespace

void acceptOtherModes(NodeImport &resize)
{
    resize.accept({"antialias", "cubic_coeff_a", "exclude_outside", "extrapolation_value",
                   "keep_aspect_ratio_policy", "nearest_mode"});
    resize.acceptInputs({1, 2}); // a region that is not cropped to, scales beside sizes
}

std::span<const ImportRow> resizeImports() { return resizeRows; }

} // namespace nestwright::graph::onnx
