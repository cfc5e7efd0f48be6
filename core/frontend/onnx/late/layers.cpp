// SPDX-License-Identifier: Apache-2.0
/// Layers of networks with inputs whose sizes are known only at run time: windows along such an axis, norms
/// over it, and layers with such a batch.
#include "core/frontend/onnx/file/made_array.h"
#include "core/frontend/onnx/late/late_node.h"
#include "core/frontend/onnx/reduction_identity.h"
#include "core/frontend/onnx/window_attributes.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

using Axes = LateSizes::Axes;

/// Late axes of the image: all but batch and channels.
Axes spatialOf(LateNode &late)
{
    Axes spatial = late.axes();
    spatial.erase(0);
    spatial.erase(1);
    return spatial;
}

/// Throws where channels of the input have a late size, or an axis of another input.
void requireSpatial(LateNode &late)
{
    NodeImport &node = late.node;
    if (late.axes().contains(1))
        node.unsupported("how many channels there are is known only when the model runs");
    for (std::size_t i = 1; i < node.inputCount(); ++i)
        late.requireKnown(i);
}

/// The windows of a node, as far as late sizes follow from them.
struct Windows {
    Ints kernel, strides, dilation, pads; ///< pads: before and behind each axis together

    std::int64_t span(std::size_t i) const { return (kernel[i] - 1) * dilation[i] + 1; }
};

Windows windowsOf(LateNode &late, const Ints &kernel, bool isTransposed)
{
    NodeImport &node = late.node;
    const ops::Attributes attributes = windowAttributes(node, kernel);
    const auto list = [&](std::string_view name) { return std::get<Ints>(attributes.find(name)->second); };
    Windows windows{kernel, list("strides"), list("dilation"), list("padding")};
    const bool isSame = node.text("auto_pad", "NOTSET").starts_with("SAME");
    for (const auto &[axis, count] : spatialOf(late)) {
        const auto i = static_cast<std::size_t>(axis - 2);
        if (node.integer("ceil_mode", 0) != 0 || node.hasAttribute("output_shape")
            || (isSame && (isTransposed || windows.strides.at(i) != 1)))
            node.unsupported("its padding depends on a size that is known only when the model runs");
        if (windows.strides.at(i) < 1)
            node.unsupported("a stride is below 1");
    }
    const std::size_t rank = kernel.size();
    for (std::size_t i = 0; i < rank; ++i)
        windows.pads[i] += windows.pads[rank + i];
    windows.pads.resize(rank);
    return windows;
}

/// Late sizes of the result of windows that go over the input.
Axes windowedAxes(LateNode &late, const Windows &windows)
{
    Axes axes;
    late.put(axes, 0, late.size(late.node.input(), 0));
    for (const auto &[axis, count] : spatialOf(late)) {
        const auto i = static_cast<std::size_t>(axis - 2);
        const std::int64_t more = windows.pads[i] - windows.span(i) + windows.strides[i];
        const LateNumber room = late.sum(late.size(late.node.input(), axis), {more, more, {}});
        late.put(axes, axis, late.quotient(late.larger(room, {0, 0, {}}), windows.strides[i]));
    }
    return axes;
}

Ints kernelOfWeights(LateNode &late)
{
    const Ints shape = late.node.shape(1);
    return shape.size() < 2 ? Ints() : Ints(shape.begin() + 2, shape.end());
}

Values conv(LateNode &late)
{
    requireSpatial(late);
    const Axes axes = windowedAxes(late, windowsOf(late, kernelOfWeights(late), false));
    return late.give(late.with({{0, late.masked(late.node.input(), spatialOf(late), 0)}}), axes);
}

Values convTranspose(LateNode &late)
{
    NodeImport &node = late.node;
    requireSpatial(late);
    const Windows windows = windowsOf(late, kernelOfWeights(late), true);
    const Ints more = node.integers("output_padding");
    Axes axes;
    late.put(axes, 0, late.size(node.input(), 0));
    for (const auto &[axis, count] : spatialOf(late)) {
        const auto i = static_cast<std::size_t>(axis - 2);
        const std::int64_t rest =
            windows.span(i) - windows.strides[i] - windows.pads[i] + (i < more.size() ? more[i] : 0);
        const LateNumber spread =
            late.product(late.size(node.input(), axis), {windows.strides[i], windows.strides[i], {}});
        late.put(axes, axis, late.larger(late.sum(spread, {rest, rest, {}}), {0, 0, {}}));
    }
    return late.give(late.with({{0, late.masked(node.input(), spatialOf(late), 0)}}), axes);
}

Values maxPool(LateNode &late)
{
    NodeImport &node = late.node;
    if (!spatialOf(late).empty() && node.wantsOutput(1))
        node.unsupported("places in an image whose size is known only when the model runs");
    requireSpatial(late);
    const Axes axes = windowedAxes(late, windowsOf(late, node.integers("kernel_shape"), false));
    const double least = reductionIdentity("max", node.type().dtype);
    return late.give(late.with({{0, late.masked(node.input(), spatialOf(late), least)}}), axes);
}

/// The mean of elements that are 0 where they do not count, over the mean of ones that are so, too.
Values averagePool(LateNode &late)
{
    NodeImport &node = late.node;
    requireSpatial(late);
    const Axes spatial = spatialOf(late),
               axes = windowedAxes(late, windowsOf(late, node.integers("kernel_shape"), false));
    Value y = late.with({{0, late.masked(node.input(), spatial, 0)}}).at(0);
    if (!spatial.empty() && node.integer("count_include_pad", 0) == 0) {
        Ints shape = node.shape();
        shape[0] = shape[1] = 1;
        const Value ones = node.constant(madeArray(node, node.type().dtype, shape, 1));
        y = node.call("divide", {y, late.with({{0, late.masked(ones, spatial, 0)}}).at(0)});
    }
    return late.give({y}, axes);
}

/// Number of elements of the image.
Value imageSize(LateNode &late)
{
    NodeImport &node = late.node;
    LateNumber count{1, 1, {}};
    for (std::int64_t axis = 2; axis < node.rank(); ++axis)
        count = late.product(late.size(node.input(), axis), count);
    return node.cast(late.valueOf(count), node.type().dtype);
}

Value imageMean(LateNode &late, Value masked)
{
    Ints all(static_cast<std::size_t>(late.node.rank() - 2));
    std::iota(all.begin(), all.end(), 2);
    return late.node.call("divide", {late.node.call("sum", {masked}, {{"axes", all}}), imageSize(late)});
}

Values globalPool(LateNode &late)
{
    NodeImport &node = late.node;
    const Axes spatial = spatialOf(late);
    Axes axes = late.axes();
    std::erase_if(axes, [](const auto &each) { return each.first > 1; });
    if (node.node().op == "GlobalMaxPool" || spatial.empty()) {
        const double least = reductionIdentity("max", node.type().dtype);
        return late.give(late.with({{0, late.masked(node.input(), spatial, least)}}), axes);
    }
    return late.give({imageMean(late, late.masked(node.input(), spatial, 0))}, axes);
}

Values instanceNorm(LateNode &late)
{
    NodeImport &node = late.node;
    requireSpatial(late);
    const Axes spatial = spatialOf(late);
    if (spatial.empty())
        return late.give(late.plain(), late.axes());
    const Value mean = imageMean(late, late.masked(node.input(), spatial, 0));
    const Value centred = late.masked(node.call("subtract", {node.input(), mean}), spatial, 0);
    const Value variance = imageMean(late, node.call("multiply", {centred, centred}));
    const Value epsilon = node.scalarLike(node.real("epsilon", 1e-5), variance);
    const Value deviation = node.call("sqrt", {node.call("add", {variance, epsilon})});
    Ints column(static_cast<std::size_t>(node.rank()), 1);
    column[1] = -1;
    const Value scaled = node.call(
        "multiply", {node.call("divide", {centred, deviation}), node.reshape(node.input(1), column)});
    return late.give({node.call("add", {scaled, node.reshape(node.input(2), column)})}, late.axes());
}

/// Channel by channel, or across channels, at each place of the image by itself.
Values pointwise(LateNode &late)
{
    if (late.node.integer("training_mode", 0) != 0)
        late.node.unsupported("training over a batch whose size is known only when the model runs");
    requireSpatial(late);
    return late.give(late.plain(), late.axes());
}

/// Axes of the image become longer or shorter by whole blocks.
template <bool grows> Values blocks(LateNode &late)
{
    NodeImport &node = late.node;
    requireSpatial(late);
    const std::int64_t block = node.integer("blocksize", 1);
    Axes axes;
    late.put(axes, 0, late.size(node.input(), 0));
    for (const auto &[axis, count] : spatialOf(late)) {
        const LateNumber size = late.size(node.input(), axis);
        late.put(axes, axis, grows ? late.product(size, {block, block, {}}) : late.quotient(size, block));
    }
    return late.give(late.plain(), axes);
}

/// The first axis of both inputs, and the places of the grid.
Values gridSample(LateNode &late)
{
    NodeImport &node = late.node;
    late.requireKnown(0, {0});
    Value x = node.input(0), grid = node.input(1);
    Axes axes;
    late.put(axes, 0, late.common(std::vector{std::pair(&x, std::int64_t{0}), {&grid, std::int64_t{0}}}));
    for (std::int64_t axis = 1; axis < node.rank(1) - 1; ++axis)
        late.put(axes, axis + 1, late.size(grid, axis));
    return late.give(late.with({{0, x}, {1, grid}}), axes);
}

/// Cuts inputs to the same batch. `batchAxes`: the batch axis of each input; inputs that are broadcast or
/// left out are skipped.
std::map<std::size_t, Value> sameBatch(LateNode &late, const std::map<std::size_t, std::int64_t> &batchAxes,
                                       LateNumber &batch)
{
    NodeImport &node = late.node;
    std::map<std::size_t, Value> inputs;
    std::vector<std::pair<Value *, std::int64_t>> tensors;
    for (const auto &[i, axis] : batchAxes) {
        if (!node.has(i))
            continue;
        const LateNumber size = late.size(node.input(i), axis);
        if (i != 0 && size.isKnown() && size.low == 1)
            continue;
        tensors.emplace_back(&inputs.emplace(i, node.input(i)).first->second, axis);
    }
    batch = late.common(tensors);
    return inputs;
}

/// The mask of an attention, or one that lets all keys through, without keys that do not count.
Value maskOfLateKeys(LateNode &late, Value mask, Value keys, std::int64_t keyAxis, std::int64_t queries)
{
    NodeImport &node = late.node;
    LateNumber count = late.size(keys, keyAxis);
    if (!mask)
        mask = node.constant(madeArray(node, ir::DataType::boolean(), {queries, count.high}, 1));
    const std::int64_t last = node.typeOf(mask).rank() - 1;
    if (late.size(mask, last).high == 1)
        node.unsupported("one element of the mask stands for keys that are counted only when the model runs");
    const bool isBool = node.typeOf(mask).dtype.isBool();
    return late.masked(late.firstAlong(mask, last, count.high), {{last, count.value}},
                       isBool ? 0 : -std::numeric_limits<double>::infinity());
}

/// The batch, the queries, and keys with their values.
Values attention(LateNode &late)
{
    NodeImport &node = late.node;
    const std::int64_t sequence = node.rank() == 3 ? 1 : 2;
    std::map<std::size_t, std::int64_t> batchAxes{{0, 0}, {1, 0}, {2, 0}, {4, 0}, {5, 0}, {6, 0}};
    if (node.has(3) && node.rank(3) == 4)
        batchAxes[3] = 0;
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        if (i < 3)
            late.requireKnown(i, {0, sequence});
        else if (i == 3 && node.has(3))
            late.requireKnown(i, {node.rank(3) == 4 ? 0 : -1, node.rank(3) - 2, node.rank(3) - 1});
        else
            late.requireKnown(i, {0});
    }
    LateNumber batch;
    std::map<std::size_t, Value> inputs = sameBatch(late, batchAxes, batch);
    const auto given = [&](std::size_t i) {
        return inputs.contains(i) ? inputs[i] : node.has(i) ? node.input(i) : Value{};
    };
    Value q = given(0), k = given(1), v = given(2), mask = given(3);
    const LateNumber keys = late.common(std::vector{std::pair(&k, sequence), {&v, sequence}});
    const LateNumber queries = late.size(q, sequence);
    if (!keys.isKnown()) {
        if (node.has(4) || node.has(6))
            node.unsupported("former keys come before others that are counted only when the model runs");
        late.set(k, {{sequence, keys.value}});
        mask = maskOfLateKeys(late, mask, k, sequence, queries.high);
    }
    if (mask && node.typeOf(mask).rank() > 1)
        mask = late.firstAlong(mask, node.typeOf(mask).rank() - 2, std::max<std::int64_t>(queries.high, 1));
    inputs.insert_or_assign(1, k);
    inputs.insert_or_assign(2, v);
    if (mask)
        inputs.insert_or_assign(3, mask);
    const Values results = late.with(inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
        Axes axes;
        late.put(axes, 0, batch);
        late.put(axes, i == 0 ? sequence : 2, i == 0 || i == 3 ? queries : keys);
        if (i == 3)
            late.put(axes, 3, keys);
        late.set(results[i], axes);
    }
    return results;
}

/// RNN, GRU and LSTM: the batch, and the length of all sequences, which becomes the length of each.
Values recurrent(LateNode &late)
{
    NodeImport &node = late.node;
    const std::int64_t layout = node.integer("layout", 0), steps = layout == 0 ? 0 : 1;
    const std::int64_t batchAxis = 1 - steps, stateAxis = layout == 0 ? 1 : 0;
    const std::map<std::size_t, std::int64_t> batchAxes{
        {0, batchAxis}, {4, 0}, {5, stateAxis}, {6, stateAxis}};
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        if (const auto found = batchAxes.find(i); found == batchAxes.end())
            late.requireKnown(i);
        else if (i == 0)
            late.requireKnown(i, {batchAxis, steps});
        else
            late.requireKnown(i, {found->second});
    }
    LateNumber batch;
    std::map<std::size_t, Value> inputs = sameBatch(late, batchAxes, batch);
    const LateNumber length = late.size(node.input(), steps);
    if (!length.isKnown() && !node.has(4)) {
        const Value each = node.cast(length.value, ir::DataType::int32());
        inputs[4] = node.call("broadcast_to", {each}, {{"shape", Ints{batch.high}}});
    }
    const Values results = late.with(inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
        Axes axes;
        if (i == 0) {
            late.put(axes, layout == 0 ? 0 : 1, length);
            late.put(axes, layout == 0 ? 2 : 0, batch);
        } else {
            late.put(axes, stateAxis, batch);
        }
        if (results[i])
            late.set(results[i], axes);
    }
    return results;
}

/// Layers that treat each image or row by itself: the first axis of their inputs may be late.
Values images(LateNode &late)
{
    for (std::size_t i = 0; i < late.node.inputCount(); ++i)
        late.requireKnown(i, {0});
    return late.give(late.plain(), late.axes());
}

/// Aligns regions; each has a row of the second and third inputs.
Values roiAlign(LateNode &late)
{
    NodeImport &node = late.node;
    late.requireKnown(0, {0});
    Value regions = node.input(1), places = node.input(2);
    Axes axes;
    late.put(axes, 0,
             late.common(std::vector{std::pair(&regions, std::int64_t{0}), {&places, std::int64_t{0}}}));
    return late.give(late.with({{1, regions}, {2, places}}), axes);
}

constexpr LateRow layerRows[] = {
    {"Attention", &attention},
    {"AveragePool", &averagePool},
    {"BatchNormalization", &pointwise},
    {"Conv", &conv},
    {"ConvTranspose", &convTranspose},
    {"DepthToSpace", &blocks<true>},
    {"GRU", &recurrent},
    {"GlobalAveragePool", &globalPool},
    {"GlobalMaxPool", &globalPool},
    {"GridSample", &gridSample},
    {"GroupNormalization", &images},
    {"InstanceNormalization", &instanceNorm},
    {"LRN", &pointwise},
    {"LSTM", &recurrent},
    {"MaxPool", &maxPool},
    {"RNN", &recurrent},
    {"RoiAlign", &roiAlign},
    {"SpaceToDepth", &blocks<false>},
};

} // namespace

std::span<const LateRow> lateLayers() { return layerRows; }

} // namespace nestwright::graph::onnx
