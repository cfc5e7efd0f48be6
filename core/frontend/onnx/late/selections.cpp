// SPDX-License-Identifier: Apache-2.0
/// Operators that pick or place elements by their values, where those are known only when the model runs.
#include "core/frontend/onnx/kept_boxes.h"
#include "core/frontend/onnx/late/late_node.h"
#include "core/frontend/onnx/reduction_identity.h"

#include <algorithm>
#include <limits>

namespace nestwright::graph::onnx {

namespace {

using Axes = LateSizes::Axes;

/// The first result of "nonzero"; the second is how many there are.
Value nonZeroOf(LateNode &late, Value x)
{
    NodeImport &node = late.node;
    if (node.typeOf(x).rank() == 0)
        node.unsupported("the place of a number that is known only when the model runs");
    const Value found = node.call("nonzero", {late.masked(x, late.axesOf(x), 0)});
    late.set(found, {{1, {found.node, 1}}});
    return found;
}

Values nonZero(LateNode &late) { return {nonZeroOf(late, late.node.input())}; }

Values compress(LateNode &late)
{
    NodeImport &node = late.node;
    const bool flat = !node.hasAttribute("axis");
    if (flat && !late.axes().empty())
        node.unsupported("all elements of a tensor of which a size is known only when the model runs");
    const Value x = flat ? node.reshape(node.input(), {-1}) : node.input();
    const std::int64_t axis = flat ? 0 : node.axis(node.integer("axis", 0), node.rank());
    // A condition may be shorter than the axis, but no longer.
    const std::int64_t most = std::min(late.size(x, axis).high, late.size(node.input(1), 0).high);
    if (most == 0) {
        Axes others = late.axesOf(x);
        others.erase(axis);
        return late.give({node.slice(x, axis, 0, 0)}, others);
    }
    Value condition = late.masked(node.input(1), late.axes(1), 0);
    const Axes along = late.axesOf(x);
    if (const auto size = along.find(axis); size != along.end())
        condition = late.masked(condition, {{0, size->second}}, 0);
    const Value found = nonZeroOf(late, node.slice(condition, 0, 0, most));
    Axes axes = along;
    axes[axis] = {found.node, 1};
    return late.give({node.call("take", {x, node.reshape(found, {most})}, {{"axis", axis}})}, axes);
}

Values nonMaxSuppression(LateNode &late)
{
    NodeImport &node = late.node;
    if (node.rank(0) != 3 || node.rank(1) != 3)
        node.unsupported("boxes must be batch × boxes × 4, and scores batch × classes × boxes");
    if (late.axes().contains(0) || late.axes(1).contains(0) || late.axes(1).contains(1))
        node.unsupported("how many images or classes there are is known only when the model runs");
    LateNumber boxes = late.size(node.input(0), 1);
    const LateNumber scored = late.size(node.input(1), 2);
    if (boxes.isKnown() || scored.high < boxes.high)
        boxes = scored;
    const Value x = late.firstAlong(node.input(0), 1, boxes.high),
                scores = late.firstAlong(node.input(1), 2, boxes.high);
    const Value kept = keptBoxes(node, x, scores, late.valueOf(boxes), boxes.high);
    return late.give({kept}, {{0, {kept.node, 1}}});
}

/// The number that comes last in an order by size.
double lastOf(LateNode &late, bool largestFirst)
{
    return reductionIdentity(largestFirst ? "max" : "min", late.node.type().dtype);
}

Values topK(LateNode &late)
{
    NodeImport &node = late.node;
    node.accept({"sorted"}); // where it is 0 any order will do
    const std::int64_t axis = node.axis(node.integer("axis", -1), node.rank());
    const bool largest = node.integer("largest", 1) != 0;
    const std::int64_t attribute = node.opset() < 10 ? node.integer("k", -1) : 0;
    const LateNumber asked = node.opset() < 10 ? LateNumber{attribute, attribute, {}} : late.number(1);
    const LateNumber size = late.size(node.input(), axis);
    if (asked.low < 0)
        node.unsupported("it cannot give less than none");
    const std::int64_t most = std::min(asked.high, size.high);
    Axes axes = late.axes();
    Value x = node.input();
    if (!size.isKnown())
        x = late.masked(x, {{axis, size.value}}, lastOf(late, largest));
    const Value values = node.call("topk", {x}, {{"k", most}, {"axis", axis}, {"largest", largest}});
    axes.erase(axis);
    // Not more than there are, also where a model asks for more.
    late.put(axes, axis, late.smaller(asked, size));
    return late.give({values, {values.node, 1}}, axes);
}

template <bool largest> Values position(LateNode &late)
{
    NodeImport &node = late.node;
    const std::int64_t axis = node.axis(node.integer("axis", 0), node.rank());
    const Axes &given = late.axes();
    std::map<std::size_t, Value> others;
    const auto along = given.find(axis);
    if (along != given.end())
        others[0] = late.masked(node.input(), {*along}, lastOf(late, largest));
    const bool keeps = node.integer("keepdims", 1) != 0;
    Axes axes;
    for (const auto &[at, count] : given) {
        if (at != axis)
            axes[keeps || at < axis ? at : at - 1] = count;
    }
    Values results = late.with(others);
    if (along != given.end() && node.integer("select_last_index", 0) != 0) {
        // Elements that do not count may equal the largest, where that is the least there can be.
        const Value last = node.call("subtract", {along->second, node.scalarLike(1, along->second)});
        results[0] = node.call("minimum", {results[0], last});
    }
    return late.give(results, axes);
}

Values oneHot(LateNode &late)
{
    const std::int64_t axis = late.node.axis(late.node.integer("axis", -1), late.node.rank() + 1);
    Axes axes;
    for (const auto &[at, count] : late.axes())
        axes[at < axis ? at : at + 1] = count;
    return late.give(late.plain(), axes);
}

/// Updates that do not count get an index out of range, which drops them. Indices and updates are equally
/// many, though one of the two tensors may have room for more: masked_scatter reads no more of its elements
/// than there are indices.
Values scatter(LateNode &late)
{
    NodeImport &node = late.node;
    const bool byTuples = node.node().op == "ScatterND";
    Value given = node.input(1), updates = node.input(2);
    const std::int64_t shared = node.rank(1) - (byTuples ? 1 : 0);
    Axes axes;
    for (std::int64_t axis = 0; axis < std::min(shared, node.rank(2)); ++axis)
        late.put(axes, axis, late.common(std::vector{std::pair(&given, axis), std::pair(&updates, axis)}));
    Value indices = node.cast(given, ir::DataType::int64());
    if (byTuples)
        indices = late.tuplesFromFront(indices, node.input(), 0);
    else
        indices =
            late.fromFront(indices, late.size(node.input(), node.axis(node.integer("axis", 0), node.rank())));
    constexpr double outside = std::numeric_limits<std::int32_t>::max();
    return late.give(late.with({{1, late.masked(indices, axes, outside)}, {2, updates}}), late.axes());
}

constexpr LateRow selectionRows[] = {
    {"ArgMax", &position<true>}, {"ArgMin", &position<false>},
    {"Compress", &compress},     {"NonMaxSuppression", &nonMaxSuppression},
    {"NonZero", &nonZero},       {"OneHot", &oneHot},
    {"Scatter", &scatter},       {"ScatterElements", &scatter},
    {"ScatterND", &scatter},     {"TopK", &topK},
};

} // namespace

std::span<const LateRow> lateSelections() { return selectionRows; }

} // namespace nestwright::graph::onnx
