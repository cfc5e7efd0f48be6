// SPDX-License-Identifier: Apache-2.0
/// Operators that move elements about, and those on shapes, where sizes are known only when the model runs.
#include "core/frontend/onnx/file/made_array.h"
#include "core/frontend/onnx/late/late_node.h"

#include <algorithm>
#include <format>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

using Axes = LateSizes::Axes;

/// Longer steps leave every axis.
constexpr std::int64_t farthestStep = std::int64_t{1} << 31;

Values shape(LateNode &late)
{
    const std::int64_t rank = late.node.rank();
    const auto placed = [&](std::int64_t at) {
        return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank);
    };
    const std::int64_t end = placed(late.node.integer("end", rank));
    std::vector<LateNumber> sizes;
    for (std::int64_t axis = placed(late.node.integer("start", 0)); axis < end; ++axis)
        sizes.push_back(late.size(late.node.input(), axis));
    return {late.boundedVector(sizes)};
}

Values size(LateNode &late)
{
    LateNumber total{1, 1, {}};
    for (std::int64_t axis = 0; axis < late.node.rank(); ++axis)
        total = late.product(late.size(late.node.input(), axis), total);
    return {late.boundedNumber(total)};
}

Values transpose(LateNode &late)
{
    const Values results = late.plain();
    Ints order = late.node.integers("perm");
    if (order.empty()) {
        order.resize(static_cast<std::size_t>(late.node.rank()));
        std::iota(order.rbegin(), order.rend(), 0);
    }
    Axes axes;
    for (std::size_t i = 0; i < order.size(); ++i)
        late.put(axes, static_cast<std::int64_t>(i), late.size(late.node.input(), order[i]));
    return late.give(results, axes);
}

/// Squeeze and Unsqueeze: the axes that stay keep their order.
template <bool adds> Values axesOfOne(LateNode &late)
{
    const auto given = late.node.listOf("axes", 1);
    Value x = late.node.input();
    if (!adds && !given && !late.axes().empty())
        late.node.unsupported(std::format(
            "it drops axes of size 1, and whether axis {} is one is known only when the model runs: "
            "name the axes that it drops",
            late.axes().begin()->first));
    if (!adds && given) { // an axis that is named has one place
        for (const std::int64_t axis : *given)
            x = late.firstAlong(x, late.node.axis(axis, late.node.rank()), 1);
    }
    const Values results = late.with({{0, x}});
    const std::int64_t rank = adds ? late.node.typeOf(results[0]).rank() : late.node.rank();
    std::vector<bool> changed(static_cast<std::size_t>(rank));
    if (given) {
        for (const std::int64_t axis : *given)
            changed[static_cast<std::size_t>(late.node.axis(axis, rank))] = true;
    } else {
        for (std::size_t i = 0; i < changed.size(); ++i)
            changed[i] = late.node.shape()[i] == 1;
    }
    Axes axes;
    std::int64_t other = 0;
    for (std::int64_t i = 0; i < rank; ++i) {
        if (changed[static_cast<std::size_t>(i)])
            continue;
        late.put(axes, adds ? i : other, late.size(late.node.input(), adds ? other : i));
        ++other;
    }
    return late.give(results, axes);
}

/// Closes the gaps between the parts of `joined`: each part has room for its maximum size, and only the
/// elements within its actual size are kept, in order. `count` becomes their number.
Value closedUp(LateNode &late, Value joined, const std::vector<LateNumber> &sizes, std::int64_t axis,
               Value &count)
{
    NodeImport &node = late.node;
    std::int64_t total = 0;
    for (const LateNumber &size : sizes)
        total += size.high;
    ir::NdArray place = madeArray(node, ir::DataType::int64(), {total}),
                part = madeArray(node, ir::DataType::int64(), {total});
    std::int64_t next = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        for (std::int64_t own = 0; own < sizes[i].high; ++own, ++next) {
            place.data<std::int64_t>()[next] = own;
            part.data<std::int64_t>()[next] = static_cast<std::int64_t>(i);
        }
    }
    const Value sizeOfPart =
        node.call("take", {late.vector(sizes), node.constant(std::move(part))}, {{"axis", std::int64_t{0}}});
    const Value counts = node.call("less", {node.constant(std::move(place)), sizeOfPart});
    const Value found = node.call("nonzero", {counts});
    count = {found.node, 1};
    return node.call("take", {joined, node.reshape(found, {total})}, {{"axis", axis}});
}

Values concat(LateNode &late)
{
    NodeImport &node = late.node;
    const std::int64_t axis = node.axis(node.integer("axis", 1), node.rank());
    Values inputs = node.inputs();
    std::erase_if(inputs, [&](Value input) { return late.size(input, axis).high == 0; });
    if (inputs.empty())
        return late.plain();
    Axes axes;
    for (std::int64_t other = 0; other < node.rank(); ++other) {
        if (other == axis)
            continue;
        LateNumber least = late.size(inputs[0], other);
        for (const Value input : inputs) {
            const LateNumber size = late.size(input, other);
            least = size.high < least.high || size.isKnown() ? size : least;
        }
        for (Value &input : inputs)
            input = late.firstAlong(input, other, least.high);
        late.put(axes, other, least);
    }
    std::vector<LateNumber> sizes;
    LateNumber total{0, 0, {}};
    for (const Value input : inputs) {
        sizes.push_back(late.size(input, axis));
        total = late.sum(total, sizes.back());
    }
    Value joined = node.concatenate(inputs, axis);
    const bool hasGaps = std::ranges::any_of(sizes.begin(), sizes.end() - 1,
                                             [](const LateNumber &size) { return !size.isKnown(); });
    if (hasGaps)
        joined = closedUp(late, joined, sizes, axis, total.value);
    late.put(axes, axis, total);
    return late.give({joined}, axes);
}

/// So many places from `begin` on, `step` apart.
Value placesFrom(LateNode &late, const LateNumber &begin, std::int64_t count, std::int64_t step)
{
    NodeImport &node = late.node;
    Value places = late.counting(count, 0, 1);
    if (step != 1)
        places = node.call("multiply", {places, node.constant(integerArray({step}, {}))});
    return node.call("add", {places, late.valueOf(begin)});
}

/// Begin or end of a slice, as an index into an axis of `size`.
LateNumber placeIn(LateNode &late, const LateNumber &given, const LateNumber &size)
{
    const LateNumber zero{0, 0, {}};
    if (given.low >= 0)
        return late.smaller(given, size);
    const LateNumber fromEnd = late.larger(late.sum(size, given), zero);
    if (given.high < 0)
        return fromEnd;
    const Value isNegative = late.node.call("less", {given.value, late.node.scalarLike(0, given.value)});
    return late.choice(isNegative, fromEnd, late.smaller(given, size));
}

/// The same of a slice that goes backwards, from an element of the axis to one or to the place before all.
LateNumber placeBackwards(LateNode &late, const LateNumber &given, const LateNumber &size, bool isBegin)
{
    if (given.low < 0 && given.high >= 0)
        late.node.unsupported("it is known only when the model runs whether a slice is counted from the end");
    const LateNumber front = given.low < 0 ? late.sum(size, given) : given,
                     last = late.difference(size, {1, 1, {}});
    return isBegin ? late.smaller(late.larger(front, {0, 0, {}}), last)
                   : late.larger(late.smaller(front, last), {-1, -1, {}});
}

/// Number of steps from one place to before another.
LateNumber stepsBetween(LateNode &late, const LateNumber &begin, const LateNumber &end, std::int64_t step)
{
    const std::int64_t length = step > 0 ? step : -step;
    const LateNumber distance =
        late.larger(step > 0 ? late.difference(end, begin) : late.difference(begin, end), {0, 0, {}});
    return late.quotient(late.sum(distance, {length - 1, length - 1, {}}), length);
}

Values slice(LateNode &late)
{
    NodeImport &node = late.node;
    const auto listOf = [&](std::string_view name, std::size_t input) {
        std::vector<LateNumber> numbers;
        if (node.has(input))
            return late.list(input);
        for (const std::int64_t number : node.integers(name))
            numbers.push_back({number, number, {}});
        return numbers;
    };
    const std::vector<LateNumber> begins = listOf("starts", 1), ends = listOf("ends", 2);
    Ints axes(begins.size()), steps(begins.size(), 1);
    std::iota(axes.begin(), axes.end(), 0);
    if (const auto given = node.listOf("axes", 3))
        axes = *given;
    if (node.has(4))
        steps = node.list(4);
    if (ends.size() != begins.size() || axes.size() != begins.size() || steps.size() != begins.size())
        node.unsupported("its lists differ in length");
    Value x = node.input();
    Axes kept = late.axes();
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const std::int64_t axis = node.axis(axes[i], node.rank());
        const LateNumber size = late.size(node.input(), axis);
        if (size.isKnown() && begins[i].isKnown() && ends[i].isKnown()) {
            x = node.call("strided_slice", {x},
                          {{"begin", Ints{begins[i].low}},
                           {"end", Ints{ends[i].low}},
                           {"axes", Ints{axis}},
                           {"strides", Ints{steps[i]}}});
            continue;
        }
        const std::int64_t step = std::clamp(steps[i], -farthestStep, farthestStep);
        if (step == 0)
            node.unsupported("its step is 0");
        const LateNumber begin = step > 0 ? placeIn(late, begins[i], size)
                                          : placeBackwards(late, begins[i], size, true),
                         end = step > 0 ? placeIn(late, ends[i], size)
                                        : placeBackwards(late, ends[i], size, false);
        // The last few, of which there are no more, however many there are in all.
        const bool isEnd = step == 1 && begins[i].isKnown() && begins[i].low < 0 && ends[i].isKnown()
                           && ends[i].low >= size.high;
        const LateNumber length = isEnd ? late.smaller(size, {-begins[i].low, -begins[i].low, {}})
                                        : stepsBetween(late, begin, end, step);
        if (begin.isKnown() && step == 1) {
            x = node.slice(x, axis, begin.low, begin.low + length.high);
        } else {
            x = node.call("take", {x, placesFrom(late, begin, length.high, step)}, {{"axis", axis}});
        }
        kept.erase(axis);
        late.put(kept, axis, length);
    }
    return late.give({x}, kept);
}

/// Splits along an axis whose size is known only at run time, or into parts with such sizes.
Values split(LateNode &late)
{
    NodeImport &node = late.node;
    const std::int64_t axis = node.axis(node.integer("axis", 0), node.rank());
    const auto count = static_cast<std::int64_t>(node.node().outputs.size());
    node.requireOnly("num_outputs", count);
    const LateNumber size = late.size(node.input(), axis);
    std::vector<LateNumber> parts;
    if (node.has(1))
        parts = late.list(1);
    for (const std::int64_t part : node.has(1) ? Ints() : node.integers("split"))
        parts.push_back({part, part, {}});
    if (size.isKnown() && std::ranges::all_of(parts, &LateNumber::isKnown))
        return late.give(late.plain(), late.axes());
    const bool areEqual = parts.empty() && count > 0;
    const LateNumber each =
        areEqual ? late.quotient(late.sum(size, {count - 1, count - 1, {}}), count) : LateNumber{};
    LateNumber begin{0, 0, {}};
    Values results;
    for (std::int64_t i = 0; i < count && (areEqual || i < std::ssize(parts)); ++i) {
        const LateNumber rest = late.larger(late.difference(size, begin), {0, 0, {}});
        const LateNumber length = late.smaller(areEqual ? each : parts[static_cast<std::size_t>(i)], rest);
        const Value part =
            node.call("take", {node.input(), placesFrom(late, begin, length.high, 1)}, {{"axis", axis}});
        Axes axes = late.axes();
        axes.erase(axis);
        late.put(axes, axis, length);
        late.set(part, axes);
        results.push_back(part);
        begin = late.sum(begin, length);
    }
    return results;
}

Values expand(LateNode &late)
{
    NodeImport &node = late.node;
    const std::vector<LateNumber> wanted = late.list(1);
    const auto rank = std::max(static_cast<std::size_t>(node.rank()), wanted.size());
    const std::size_t before = rank - wanted.size(), own = rank - static_cast<std::size_t>(node.rank());
    Ints sizes;
    Axes axes;
    Value x = node.input();
    for (std::size_t i = 0; i < rank; ++i) {
        const LateNumber one{1, 1, {}};
        const auto axis = static_cast<std::int64_t>(i - own);
        const LateNumber given = i < own ? one : late.size(x, axis);
        const LateNumber asked = i < before ? one : wanted[i - before];
        LateNumber size = given;
        if (given.isKnown()) {
            size = given.low == 1 ? asked : given;
        } else if ((!asked.isKnown() || asked.low != 1) && asked.value != given.value) {
            size = asked.isKnown() ? asked : late.unlessOne(given, asked);
            x = late.repeated(x, axis, size);
        }
        sizes.push_back(size.high);
        late.put(axes, static_cast<std::int64_t>(i), size);
    }
    return late.give(late.with({{0, x}, {1, node.constant(integerArray(sizes))}}), axes);
}

/// Each element by its own place.
Values unchanged(LateNode &late) { return late.give(late.plain(), late.axes()); }

Values constantOfShape(LateNode &late)
{
    Ints most;
    Axes axes;
    for (const LateNumber &size : late.list(0)) {
        late.put(axes, static_cast<std::int64_t>(most.size()), size);
        most.push_back(size.high);
    }
    return late.give(late.with({{0, late.node.constant(integerArray(most))}}), axes);
}

Values range(LateNode &late)
{
    NodeImport &node = late.node;
    const LateNumber begin = late.number(0), end = late.number(1), step = late.number(2);
    if (!begin.isKnown() || !step.isKnown() || step.low < 1 || node.type().dtype.isFloating())
        node.unsupported("it needs a known start, and a known step upwards");
    const LateNumber distance = late.difference(end, begin);
    const LateNumber count = late.larger(
        late.quotient(late.sum(distance, {step.low - 1, step.low - 1, {}}), step.low), {0, 0, {}});
    Value places = late.counting(count.high, 0, 1);
    places = node.call("multiply", {places, node.scalarLike(static_cast<double>(step.low), places)});
    places = node.call("add", {places, late.valueOf(begin)});
    Axes axes;
    late.put(axes, 0, count);
    return late.give({node.cast(places, node.type().dtype)}, axes);
}

Values gather(LateNode &late)
{
    NodeImport &node = late.node;
    const std::int64_t axis = node.axis(node.integer("axis", 0), node.rank()), picked = node.rank(1);
    const Values results = late.with({{1, late.fromFront(node.input(1), late.size(node.input(), axis))}});
    Axes axes;
    for (const auto &[at, count] : late.axes()) {
        if (at != axis)
            axes[at < axis ? at : at - 1 + picked] = count;
    }
    for (const auto &[at, count] : late.axes(1))
        axes[axis + at] = count;
    return late.give(results, axes);
}

Values gatherNd(LateNode &late)
{
    NodeImport &node = late.node;
    if (node.rank(1) == 0)
        node.unsupported("the indices need a dimension that holds the tuples");
    const std::int64_t batch = node.integer("batch_dims", 0), tuple = node.shape(1).back(),
                       outer = node.rank(1) - 1;
    Axes axes;
    for (const auto &[at, count] : late.axes(1))
        axes[at] = count;
    for (const auto &[at, count] : late.axes()) {
        if (at >= batch + tuple)
            axes[outer + at - batch - tuple] = count;
        else if (at < batch)
            axes[at] = count;
    }
    return late.give(late.with({{1, late.tuplesFromFront(node.input(1), node.input(), batch)}}), axes);
}

Values gatherElements(LateNode &late)
{
    const std::int64_t axis = late.node.axis(late.node.integer("axis", 0), late.node.rank());
    const LateNumber size = late.size(late.node.input(), axis);
    return late.give(late.with({{1, late.fromFront(late.node.input(1), size)}}), late.axes(1));
}

constexpr LateRow moveRows[] = {
    {"Concat", &concat},
    {"ConstantOfShape", &constantOfShape},
    {"Expand", &expand},
    {"EyeLike", &unchanged},
    {"Gather", &gather},
    {"GatherElements", &gatherElements},
    {"GatherND", &gatherNd},
    {"Range", &range},
    {"Shape", &shape},
    {"Size", &size},
    {"Slice", &slice},
    {"Split", &split},
    {"Squeeze", &axesOfOne<false>},
    {"Transpose", &transpose},
    {"Trilu", &unchanged},
    {"Unsqueeze", &axesOfOne<true>},
};

} // namespace

std::span<const LateRow> lateMoves() { return moveRows; }

} // namespace nestwright::graph::onnx
