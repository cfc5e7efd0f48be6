// SPDX-License-Identifier: Apache-2.0
/// Other shapes for the same elements, where sizes are known only when the model runs.
#include "core/frontend/onnx/late/late_node.h"

#include <algorithm>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

using Axes = LateSizes::Axes;

LateNumber numberOf(std::int64_t value) { return {value, value, {}}; }

LateNumber productOf(LateNode &late, const std::vector<LateNumber> &sizes)
{
    LateNumber product = numberOf(1);
    for (const LateNumber &size : sizes)
        product = late.product(size, product);
    return product;
}

std::vector<LateNumber> sizesOf(LateNode &late)
{
    std::vector<LateNumber> sizes;
    for (std::int64_t axis = 0; axis < late.node.rank(); ++axis)
        sizes.push_back(late.size(late.node.input(), axis));
    return sizes;
}

/// The sizes of the result: those that the node copies or leaves open are filled in.
std::vector<LateNumber> filledIn(LateNode &late, const std::vector<LateNumber> &from,
                                 std::vector<LateNumber> wanted)
{
    NodeImport &node = late.node;
    const bool copies = node.integer("allowzero", 0) == 0;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].isKnown() && wanted[i].low == 0 && copies && i < from.size())
            wanted[i] = from[i];
        else if (wanted[i].isKnown() && wanted[i].low == -1)
            open = i;
    }
    if (!open)
        return wanted;
    wanted[*open] = numberOf(1);
    const LateNumber all = productOf(late, from), others = productOf(late, wanted);
    if (others.isKnown() && others.low > 0) {
        wanted[*open] = late.quotient(all, others.low);
    } else {
        const LateNumber divisor = late.larger(others, numberOf(1));
        wanted[*open] = {0, all.high, node.call("divide", {late.valueOf(all), late.valueOf(divisor)})};
    }
    return wanted;
}

/// Element by element, by the place of each among those that count.
Values regrouped(LateNode &late, const std::vector<LateNumber> &from, const std::vector<LateNumber> &to)
{
    NodeImport &node = late.node;
    const auto call = [&](std::string_view op, Value a, Value b) { return node.call(op, {a, b}); };
    const auto atLeastOne = [&](const LateNumber &size) {
        return late.valueOf(late.larger(size, numberOf(1)));
    };
    Ints most, source = node.shape();
    Axes axes;
    for (std::size_t i = 0; i < to.size(); ++i) {
        most.push_back(to[i].high);
        late.put(axes, static_cast<std::int64_t>(i), to[i]);
    }
    Value place = node.constant(integerArray({0}, Ints(to.size(), 1)));
    for (std::size_t i = 0; i < to.size(); ++i) {
        place = call("multiply", place, late.valueOf(to[i]));
        place = call("add", place, late.counting(to[i].high, static_cast<std::int64_t>(i), std::ssize(to)));
    }
    Value index;
    std::int64_t stride = 1;
    for (std::size_t i = from.size(); i-- > 0;) {
        const Value size = atLeastOne(from[i]);
        const Value own =
            call("multiply", call("floor_mod", place, size), node.constant(integerArray({stride}, {})));
        index = index ? call("add", index, own) : own;
        place = call("divide", place, size);
        stride *= source[i];
    }
    const Value flat = node.reshape(node.input(), {-1});
    const Value result = node.call("take", {flat, node.reshape(index, {-1})}, {{"axis", std::int64_t{0}}});
    return late.give({node.reshape(result, most)}, axes);
}

std::vector<LateNumber> flattened(LateNode &late, const std::vector<LateNumber> &from)
{
    const std::int64_t rank = late.node.rank(), given = late.node.integer("axis", 1);
    const auto middle = from.begin() + (given == rank ? rank : late.node.axis(given, rank));
    return {productOf(late, {from.begin(), middle}), productOf(late, {middle, from.end()})};
}

/// Whether the node's input has as many elements as this shape of Reshape, at the most of all sizes.
bool isShapeOf(NodeImport &node, const Ints &shape)
{
    const Ints from = node.shape();
    const bool copies = node.integer("allowzero", 0) == 0;
    const std::int64_t all = std::accumulate(from.begin(), from.end(), std::int64_t{1}, std::multiplies<>());
    std::int64_t others = 1;
    bool isOpen = false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool isCopied = shape[i] == 0 && copies && i < from.size();
        if (shape[i] == -1)
            isOpen = true;
        else if (__builtin_mul_overflow(others, isCopied ? from[i] : shape[i], &others))
            return false;
    }
    return isOpen ? others > 0 && all % others == 0 : others == all;
}

/// Reshapes the tensor at its maximum sizes if that keeps the valid elements together, else element by
/// element.
Values reshape(LateNode &late)
{
    NodeImport &node = late.node;
    const bool isFlat = node.node().op == "Flatten";
    const std::vector<LateNumber> from = sizesOf(late);
    std::vector<LateNumber> wanted;
    Values results;
    if (isFlat) {
        results = late.plain();
    } else {
        wanted = late.list(1);
        Ints most;
        for (const LateNumber &size : wanted)
            most.push_back(size.high);
        const bool fits = isShapeOf(node, most);
        if (fits)
            results = late.with({{1, node.constant(integerArray(most))}});
    }
    if (!results.empty()) {
        if (const auto axes = late.afterReshape(node.input(), results[0])) {
            bool isWhole = true;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const bool isLate = axes->contains(static_cast<std::int64_t>(i)),
                           isFixed = wanted[i].isKnown() && wanted[i].low > 0;
                isWhole = isWhole && (isLate ? !isFixed : wanted[i].isKnown());
            }
            if (isWhole)
                return late.give(results, *axes);
        }
    }
    if (std::ranges::any_of(from, [](const LateNumber &size) { return size.high == 0; }))
        node.unsupported("nothing gets a shape that is known only when the model runs");
    return regrouped(late, from, isFlat ? flattened(late, from) : filledIn(late, from, std::move(wanted)));
}

constexpr LateRow reshapeRows[] = {
    {"Flatten", &reshape},
    {"Reshape", &reshape},
};

} // namespace

std::span<const LateRow> lateReshapes() { return reshapeRows; }

} // namespace nestwright::graph::onnx
