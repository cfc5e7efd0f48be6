// SPDX-License-Identifier: Apache-2.0
/// Intervals that hold all elements of a tensor: whole numbers between two known ones can be sizes, such as
/// those of boxes that are clipped to an image.
#include "core/frontend/onnx/late/late_node.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::graph::onnx {

namespace {

using Interval = LateSizes::Interval;

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Elements of a constant that is looked at, which no weight of a layer is, and of a list of sizes.
constexpr std::int64_t mostLooked = 1 << 10, mostNumbers = 64;
constexpr double mostSize = 0x1p31;

/// Operators whose results hold elements of their first input.
constexpr std::string_view movesFirst[] = {
    "Compress",  "Expand",  "Flatten", "Gather", "GatherElements", "GatherND", "Identity",  "ReduceMax",
    "ReduceMin", "Reshape", "Slice",   "Split",  "Squeeze",        "Tile",     "Transpose", "Unsqueeze"};

Interval hull(const Interval &a, const Interval &b)
{
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Interval sum(const Interval &a, const Interval &b) { return {a.low + b.low, a.high + b.high}; }

Interval product(const Interval &a, const Interval &b)
{
    const double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    const auto [low, high] = std::ranges::minmax(ends);
    return {low, high};
}

Interval rounded(const Interval &a, double (*round)(double)) { return {round(a.low), round(a.high)}; }

/// Interval of an operator's result from those of its inputs; nothing where it may be any number.
std::optional<Interval> resultOf(const NodeImport &node, const std::vector<Interval> &in)
{
    const std::string &op = node.node().op;
    const auto all = [&](const auto &combine) {
        Interval result = in[0];
        for (std::size_t i = 1; i < in.size(); ++i)
            result = combine(result, in[i]);
        return result;
    };
    if (std::ranges::contains(movesFirst, op))
        return in[0];
    if (op == "Concat")
        return all(&hull);
    if (op == "Max")
        return all([](Interval a, Interval b) -> Interval {
            return {std::max(a.low, b.low), std::max(a.high, b.high)};
        });
    if (op == "Min")
        return all([](Interval a, Interval b) -> Interval {
            return {std::min(a.low, b.low), std::min(a.high, b.high)};
        });
    if (op == "Where" && in.size() == 3)
        return hull(in[1], in[2]);
    if (op == "Add" && in.size() == 2)
        return sum(in[0], in[1]);
    if (op == "Sub" && in.size() == 2)
        return sum(in[0], {-in[1].high, -in[1].low});
    if (op == "Mul" && in.size() == 2)
        return product(in[0], in[1]);
    if (op == "Div" && in.size() == 2 && in[1].low > 0 && !node.type().dtype.isIntegral())
        return product(in[0], {1 / in[1].high, 1 / in[1].low});
    if (op == "Neg")
        return Interval{-in[0].high, -in[0].low};
    if (op == "Floor" || op == "Ceil" || op == "Round")
        return Interval{std::floor(in[0].low), std::ceil(in[0].high)};
    if (op == "Relu")
        return Interval{std::max(in[0].low, 0.0), std::max(in[0].high, 0.0)};
    if (op == "Clip") {
        const double low = node.has(1) ? in[1].low : node.real("min", -infinity);
        const std::size_t last = node.has(1) ? 2 : 1;
        const double high = node.has(2) ? in[last].high : node.real("max", infinity);
        return Interval{std::min(std::max(in[0].low, low), high), std::min(std::max(in[0].high, low), high)};
    }
    return std::nullopt;
}

bool isShortList(const TensorType &type)
{
    const auto shape = type.constantShape();
    return shape && (shape->empty() || (shape->size() == 1 && (*shape)[0] <= mostNumbers));
}

/// A few numbers that follow from constants: they themselves are looked at.
bool isKnownList(const Builder &builder, Value tensor)
{
    return isShortList(builder.typeOf(tensor)) && builder.isKnown(tensor);
}

/// Interval of a number that is converted to a type.
std::optional<Interval> converted(const Interval &a, ir::DataType type)
{
    if (!type.isIntegral() || type.isBool())
        return a;
    const Interval cut = rounded(a, &std::trunc);
    const bool holds = std::abs(cut.low) <= mostSize && std::abs(cut.high) <= mostSize;
    return holds && (type.bits >= 64 || type.isInt()) ? std::optional(cut) : std::nullopt;
}

} // namespace

std::optional<LateSizes::Interval> LateSizes::interval(Builder &builder, Value tensor)
{
    if (const auto found = m_intervals.find(tensor); found != m_intervals.end())
        return found->second;
    Data low, high;
    if (const Bounds *known = bounds(tensor)) {
        low = known->low;
        high = known->high;
    } else if (builder.function().at(tensor).isConstant()) {
        low = high = builder.function().at(tensor).data;
    } else if (isKnownList(builder, tensor)) {
        low = high = builder.dataOf(tensor);
    }
    if (!low || low->size() < 1 || low->size() > mostLooked)
        return std::nullopt;
    Interval result{infinity, -infinity};
    for (std::int64_t i = 0; i < low->size(); ++i)
        result = {std::min(result.low, low->at(i)), std::max(result.high, high->at(i))};
    return std::isnan(result.low) || std::isnan(result.high) ? std::nullopt : std::optional(result);
}

void LateSizes::noteInterval(NodeImport &node, std::span<const Value> results)
{
    if (results.empty() || !results[0] || node.inputCount() == 0 || !node.node().domain.empty())
        return;
    std::vector<Interval> inputs;
    bool isAny = true;
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        if (!node.has(i))
            continue;
        const auto known = interval(node.builder(), node.input(i));
        isAny = isAny && !known;
        inputs.push_back(known.value_or(Interval{-infinity, infinity}));
    }
    if (isAny || inputs.empty())
        return;
    const ir::DataType type = node.typeOf(results[0]).dtype;
    const auto made = node.node().op == "Cast" ? converted(inputs[0], type) : resultOf(node, inputs);
    if (!made || std::isnan(made->low) || std::isnan(made->high)
        || (made->low == -infinity && made->high == infinity))
        return;
    for (const Value result : results) {
        if (!result || node.builder().function().at(result).isConstant()
            || isKnownList(node.builder(), result))
            continue;
        m_intervals.insert_or_assign(result, *made);
        boundSizes(node, result, *made);
    }
}

/// A short list of whole numbers that no constants give may be one of sizes.
void LateSizes::boundSizes(NodeImport &node, Value result, const Interval &interval)
{
    const TensorType &type = node.typeOf(result);
    if (!isShortList(type) || !type.dtype.isInt() || type.dtype.bits < 32 || bounds(result)
        || std::abs(interval.low) > mostSize || std::abs(interval.high) > mostSize
        || node.builder().isKnown(result) || !of(result).empty())
        return;
    const auto filled = [&](double value) {
        ir::NdArray array(type.dtype, *type.constantShape());
        for (std::int64_t i = 0; i < array.size(); ++i)
            array.set(i, value);
        return array;
    };
    setBounds(result, Bounds::between(filled(interval.low), filled(interval.high)), true);
}

Data LateSizes::dataOf(Builder &builder, Value numbers)
{
    if (m_takesTooLong || !areByInterval(numbers) || !builder.isAssumed(numbers))
        return nullptr;
    Data data = builder.dataOf(numbers);
    m_takesTooLong = !data;
    return data;
}

} // namespace nestwright::graph::onnx
