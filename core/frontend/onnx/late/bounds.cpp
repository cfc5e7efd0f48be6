// SPDX-License-Identifier: Apache-2.0
/// Bounds of numbers that are computed from sizes which are known only when the model runs.
#include "core/frontend/onnx/late/late_node.h"

#include <algorithm>

namespace nestwright::graph::onnx {

namespace {

/// Operators whose results grow with each of their inputs, as sizes are computed by (subtrahend and divisor
/// apart).
constexpr std::string_view growing[] = {
    "Add",       "Cast",     "Ceil",  "Concat", "Div",     "Expand",    "Flatten",   "Floor",
    "Gather",    "Identity", "Max",   "Min",    "Mul",     "ReduceMax", "ReduceMin", "ReduceProd",
    "ReduceSum", "Reshape",  "Slice", "Split",  "Squeeze", "Sub",       "Unsqueeze"};
constexpr std::int64_t mostBounded = 64; ///< elements

bool areEqual(const LateSizes::Bounds &bounds)
{
    for (std::int64_t i = 0; i < bounds.low->size(); ++i) {
        if (!bounds.areEqual(i))
            return false;
    }
    return true;
}

bool isNegative(const ir::NdArray &array)
{
    for (std::int64_t i = 0; i < array.size(); ++i) {
        if (array.at(i) < 0)
            return true;
    }
    return false;
}

/// An element of a list, or the number that stands for all.
double elementOf(const Data &list, std::int64_t i) { return list->at(list->size() == 1 ? 0 : i); }

} // namespace

std::optional<LateSizes::Bounds> LateNode::boundsOf(std::size_t i)
{
    const LateSizes::Bounds *bounds = m_sizes.bounds(node.input(i));
    if (bounds)
        return *bounds;
    if (!axes(i).empty() || !node.builder().isKnown(node.input(i)))
        return std::nullopt;
    Data data = node.builder().dataOf(node.input(i));
    if (!data)
        return std::nullopt;
    return LateSizes::Bounds{data, data};
}

/// Bounds of a result that is monotonic in each input.
std::optional<LateSizes::Bounds> LateNode::grownBounds()
{
    const std::string_view op = node.node().op;
    std::map<std::size_t, Value> low, high;
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        if (!node.has(i))
            continue;
        const auto bounds = boundsOf(i);
        const bool isOpen = m_sizes.bounds(node.input(i)) != nullptr;
        const bool multiplies = op == "Mul" || op == "Div" || op == "ReduceProd";
        const bool divides = op == "Div" && i == 1;
        if (!bounds || (multiplies && isNegative(*bounds->low)) || (divides && !areEqual(*bounds)))
            return std::nullopt;
        if (!isOpen)
            continue;
        const bool turns = op == "Sub" && i == 1;
        low[i] = node.builder().constant(turns ? bounds->high : bounds->low);
        high[i] = node.builder().constant(turns ? bounds->low : bounds->high);
    }
    return LateSizes::Bounds{node.builder().dataOf(with(low).at(0)), node.builder().dataOf(with(high).at(0))};
}

/// Bounds of a comparison: its outcome may be known although the operands are not.
std::optional<LateSizes::Bounds> LateNode::equalBounds()
{
    const auto a = boundsOf(0), b = boundsOf(1);
    if (!a || !b)
        return std::nullopt;
    const std::int64_t size = std::max(a->low->size(), b->low->size());
    ir::NdArray low(ir::DataType::boolean(), {size}), high(ir::DataType::boolean(), {size});
    for (std::int64_t i = 0; i < size; ++i) {
        const bool canMeet =
            elementOf(a->low, i) <= elementOf(b->high, i) && elementOf(b->low, i) <= elementOf(a->high, i);
        const bool mustMeet = canMeet && elementOf(a->low, i) == elementOf(a->high, i)
                              && elementOf(b->low, i) == elementOf(b->high, i);
        low.set(i, mustMeet ? 1 : 0);
        high.set(i, canMeet ? 1 : 0);
    }
    return LateSizes::Bounds::between(std::move(low), std::move(high));
}

/// Bounds of elements that a condition selects.
std::optional<LateSizes::Bounds> LateNode::choiceBounds()
{
    const auto condition = boundsOf(0), a = boundsOf(1), b = boundsOf(2);
    if (!condition || !a || !b)
        return std::nullopt;
    const std::int64_t size = std::max({condition->low->size(), a->low->size(), b->low->size()});
    ir::NdArray low(a->low->dtype(), {size}), high(a->low->dtype(), {size});
    for (std::int64_t i = 0; i < size; ++i) {
        const bool mayTakeA = elementOf(condition->high, i) != 0,
                   mayTakeB = elementOf(condition->low, i) == 0;
        low.set(i, !mayTakeB   ? elementOf(a->low, i)
                   : !mayTakeA ? elementOf(b->low, i)
                               : std::min(elementOf(a->low, i), elementOf(b->low, i)));
        high.set(i, !mayTakeB   ? elementOf(a->high, i)
                    : !mayTakeA ? elementOf(b->high, i)
                                : std::max(elementOf(a->high, i), elementOf(b->high, i)));
    }
    return LateSizes::Bounds::between(std::move(low), std::move(high));
}

void LateNode::boundResult(Value result)
{
    const std::string_view op = node.node().op;
    if (node.typeOf(result).rank() > 1
        || (node.typeOf(result).rank() == 1 && node.shapeOf(result)[0] > mostBounded))
        return;
    std::optional<LateSizes::Bounds> bounds;
    if (std::ranges::contains(growing, op))
        bounds = grownBounds();
    else if (op == "Equal")
        bounds = equalBounds();
    else if (op == "Where")
        bounds = choiceBounds();
    if (!bounds || !bounds->low || !bounds->high)
        return;
    bool byInterval = true;
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        const bool isOpen = node.has(i) && m_sizes.bounds(node.input(i));
        byInterval = byInterval && (!isOpen || m_sizes.areByInterval(node.input(i)));
    }
    m_sizes.setBounds(result, std::move(*bounds), byInterval);
}

} // namespace nestwright::graph::onnx
