// SPDX-License-Identifier: Apache-2.0
/// Operators that make axes longer, where sizes or widths are known only when the model runs.
#include "core/frontend/onnx/late/late_node.h"

#include <algorithm>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

using Axes = LateSizes::Axes;

Values tile(LateNode &late)
{
    NodeImport &node = late.node;
    const std::vector<LateNumber> often = late.list(1);
    if (std::ssize(often) != node.rank())
        node.unsupported("the repeats must be one number for each axis");
    Ints known;
    Axes axes;
    Value x = node.input();
    for (std::int64_t axis = 0; axis < node.rank(); ++axis) {
        const LateNumber size = late.size(node.input(), axis), &times = often[static_cast<std::size_t>(axis)];
        if (times.isKnown() && (size.isKnown() || times.low == 1)) {
            known.push_back(times.low);
            late.put(axes, axis, size);
            continue;
        }
        // Element by element, since elements that do not count lie between the repeats.
        const LateNumber total = late.product(size, times);
        const Value counts = late.valueOf(late.larger(size, {1, 1, {}}));
        const Value places = node.call("floor_mod", {late.counting(total.high, 0, 1), counts});
        x = node.call("take", {x, places}, {{"axis", axis}});
        known.push_back(1);
        late.put(axes, axis, total);
    }
    return late.give({node.call("tile", {x}, {{"reps", known}})}, axes);
}

/// Source indices of the elements of a padded axis; in mode "constant" they may be out of range.
Value sourcesOf(LateNode &late, const LateNumber &size, const LateNumber &before, std::int64_t most,
                const std::string &mode)
{
    NodeImport &node = late.node;
    const Value place = node.call("subtract", {late.counting(most, 0, 1), late.valueOf(before)});
    const auto number = [&](std::int64_t value) { return LateNumber{value, value, {}}; };
    const Value last = late.valueOf(late.larger(late.difference(size, number(1)), number(0)));
    if (mode == "edge")
        return node.call("maximum", {node.call("minimum", {place, last}), node.scalarLike(0, place)});
    if (mode == "wrap")
        return node.call("floor_mod", {place, late.valueOf(late.larger(size, number(1)))});
    if (mode != "reflect")
        return place;
    const Value turn = node.call("multiply", {last, node.scalarLike(2, last)});
    const Value rest =
        node.call("floor_mod", {place, node.call("maximum", {turn, node.scalarLike(1, turn)})});
    return node.call("minimum", {rest, node.call("subtract", {turn, rest})});
}

/// An axis at a time: where its size and its widths are known as ever, else element by element.
Values pad(LateNode &late)
{
    NodeImport &node = late.node;
    const std::int64_t rank = node.rank();
    std::vector<LateNumber> given;
    if (node.has(1))
        given = late.list(1);
    for (const std::int64_t width : node.has(1) ? Ints() : node.integers("pads"))
        given.push_back({width, width, {}});
    Ints axes(static_cast<std::size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
    if (node.has(3))
        axes = node.list(3);
    if (given.size() != 2 * axes.size())
        node.unsupported("pads and axes differ in length");
    const std::string mode = node.text("mode", "constant");
    const Value filling =
        node.has(2) ? node.reshape(node.input(2), {}) : node.scalarLike(node.real("value", 0), node.input());
    Value x = node.input();
    Axes result = late.axes();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t axis = node.axis(axes[i], rank);
        const LateNumber size = late.size(node.input(), axis), &before = given[i],
                         &behind = given[axes.size() + i];
        if (before.isKnown() && behind.isKnown() && before.low == 0 && behind.low == 0)
            continue;
        if (size.isKnown() && before.isKnown() && behind.isKnown()) {
            Ints widths(static_cast<std::size_t>(2 * rank));
            widths[static_cast<std::size_t>(axis)] = before.low;
            widths[static_cast<std::size_t>(rank + axis)] = behind.low;
            const bool isFilled = mode == "constant";
            x = node.call("nn.pad", isFilled ? Values{x, filling} : Values{x},
                          {{"pad_width", widths}, {"mode", mode}});
            continue;
        }
        const LateNumber total = late.larger(late.sum(late.sum(size, before), behind), {0, 0, {}});
        if (size.high == 0)
            node.unsupported("nothing is padded by a width that is known only when the model runs");
        const Value places = sourcesOf(late, size, before, total.high, mode);
        const Value inside = node.call(
            "maximum", {node.call("minimum", {places, node.scalarLike(double(size.high - 1), places)}),
                        node.scalarLike(0, places)});
        x = node.call("take", {x, inside}, {{"axis", axis}});
        if (mode == "constant") {
            Ints column(static_cast<std::size_t>(rank), 1);
            column[static_cast<std::size_t>(axis)] = total.high;
            const Value from = node.reshape(places, column);
            const Value isOwn =
                node.call("logical_and", {node.call("greater_equal", {from, node.scalarLike(0, from)}),
                                          node.call("less", {from, late.valueOf(size)})});
            x = node.call("where", {isOwn, x, filling});
        }
        result.erase(axis);
        late.put(result, axis, total);
    }
    return late.give({x}, result);
}

constexpr LateRow extensionRows[] = {
    {"Pad", &pad},
    {"Tile", &tile},
};

} // namespace

std::span<const LateRow> lateExtensions() { return extensionRows; }

} // namespace nestwright::graph::onnx
