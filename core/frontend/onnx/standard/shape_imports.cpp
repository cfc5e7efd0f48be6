// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX that move elements about.
#include "core/frontend/onnx/node_import.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <format>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

Values reshape(NodeImport &node)
{
    return {node.call("reshape", {node.input()},
                      {{"newshape", node.list(1)}, {"allowzero", node.integer("allowzero", 0) != 0}})};
}

Values transpose(NodeImport &node) { return {node.transpose(node.input(), node.integers("perm"))}; }

Values flatten(NodeImport &node)
{
    const std::int64_t rank = node.rank(), given = node.integer("axis", 1);
    const std::int64_t axis = given == rank ? rank : node.axis(given, rank);
    const Ints shape = node.shape();
    const auto total = [](auto from, auto to) {
        return std::accumulate(from, to, std::int64_t{1}, std::multiplies<>());
    };
    return {node.call("reshape", {node.input()},
                      {{"newshape", Ints{total(shape.begin(), shape.begin() + axis),
                                         total(shape.begin() + axis, shape.end())}},
                       {"allowzero", true}})};
}

/// The dimensions of the input that stay when `axes` (all of size 1) are left out.
Values squeeze(NodeImport &node)
{
    const auto &shape = node.type().shape;
    std::vector<bool> dropped(shape.size());
    if (const auto axes = node.listOf("axes", 1)) {
        for (const std::int64_t axis : *axes)
            dropped[static_cast<std::size_t>(node.axis(axis, node.rank()))] = true;
    } else {
        for (std::size_t i = 0; i < shape.size(); ++i)
            dropped[i] = ir::isConstInt(shape[i], 1);
    }
    Ints kept;
    bool open = false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (dropped[i])
            continue;
        const std::int64_t *size = ir::asInt(shape[i]);
        if (!size && open)
            node.shape(); // tells that it must be known
        open = open || !size;
        kept.push_back(size ? *size : -1);
    }
    return {node.call("reshape", {node.input()}, {{"newshape", kept}, {"allowzero", !open}})};
}

Values unsqueeze(NodeImport &node)
{
    const Ints given = node.listOf("axes", 1).value_or(Ints());
    const std::int64_t rank = node.rank() + static_cast<std::int64_t>(given.size());
    std::vector<bool> added(static_cast<std::size_t>(rank));
    for (const std::int64_t axis : given)
        added[static_cast<std::size_t>(node.axis(axis, rank))] = true;
    if (std::ranges::count(added, true) != static_cast<std::ptrdiff_t>(given.size()))
        node.unsupported("an axis is named twice");
    Ints shape;
    std::size_t next = 0;
    bool open = false;
    for (const bool isNew : added) {
        const std::int64_t *size = isNew ? nullptr : ir::asInt(node.type().shape[next]);
        if (!isNew && !size && open)
            node.shape();
        open = open || (!isNew && !size);
        shape.push_back(isNew ? 1 : size ? *size : -1);
        next += isNew ? 0 : 1;
    }
    return {node.call("reshape", {node.input()}, {{"newshape", shape}, {"allowzero", !open}})};
}

Values concat(NodeImport &node)
{
    return {node.concatenate(node.inputs(), node.axis(node.integer("axis", 1), node.rank()))};
}

Value slice(NodeImport &node, Value value, Ints begin, Ints end, Ints axes, Ints strides)
{
    return node.call("strided_slice", {value},
                     {{"begin", std::move(begin)},
                      {"end", std::move(end)},
                      {"axes", std::move(axes)},
                      {"strides", std::move(strides)}});
}

Values split(NodeImport &node)
{
    const std::int64_t axis = node.axis(node.integer("axis", 0), node.rank());
    const std::int64_t size = node.shape()[static_cast<std::size_t>(axis)];
    const auto count = static_cast<std::int64_t>(node.node().outputs.size());
    if (count < 1)
        node.unsupported("it has no results");
    node.requireOnly("num_outputs", count);
    Ints sizes = node.listOf("split", 1).value_or(Ints());
    if (sizes.empty()) {
        const std::int64_t each = (size + count - 1) / count;
        for (std::int64_t i = 0; i < count; ++i)
            sizes.push_back(std::clamp(size - i * each, std::int64_t{0}, each));
    }
    const auto isPart = [&](std::int64_t part) { return part >= 0 && part <= size; };
    if (static_cast<std::int64_t>(sizes.size()) != count || !std::ranges::all_of(sizes, isPart)
        || std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != size)
        node.unsupported("the parts do not add up to the dimension that is split");
    Values results;
    std::int64_t begin = 0;
    for (const std::int64_t part : sizes) {
        results.push_back(node.slice(node.input(), axis, begin, begin + part));
        begin += part;
    }
    return results;
}

Values sliceNode(NodeImport &node)
{
    const Ints begin = node.listOf("starts", 1).value_or(Ints()),
               end = node.listOf("ends", 2).value_or(Ints());
    Ints axes(begin.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (const auto given = node.listOf("axes", 3))
        axes = *given;
    const Ints steps = node.has(4) ? node.list(4) : Ints(begin.size(), 1);
    return {slice(node, node.input(), begin, end, axes, steps)};
}

Values expand(NodeImport &node)
{
    return {node.call("broadcast_to", {node.input()}, {{"shape", node.list(1)}})};
}

Values tile(NodeImport &node) { return {node.call("tile", {node.input()}, {{"reps", node.list(1)}})}; }

Values pad(NodeImport &node)
{
    const auto given = node.listOf("pads", 1);
    if (!given)
        node.unsupported("there are no pads");
    const auto rank = static_cast<std::size_t>(node.rank());
    Ints widths = *given;
    if (node.has(3)) {
        const Ints axes = node.list(3);
        if (widths.size() != 2 * axes.size())
            node.unsupported("pads and axes differ in length");
        widths.assign(2 * rank, 0);
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const auto axis = static_cast<std::size_t>(node.axis(axes[i], node.rank()));
            widths[axis] = (*given)[i];
            widths[rank + axis] = (*given)[axes.size() + i];
        }
    }
    const std::string mode = node.text("mode", "constant");
    node.accept({"value"}); // of the mode "constant"
    node.acceptInputs({2});
    Values inputs{node.input()};
    if (mode == "constant" && node.has(2))
        inputs.push_back(node.input(2));
    else if (mode == "constant" && node.hasAttribute("value"))
        inputs.push_back(node.scalarLike(node.real("value", 0), node.input()));
    return {node.call("nn.pad", inputs, {{"pad_width", widths}, {"mode", mode}})};
}

/// Largest block whose square is still an index.
constexpr std::int64_t largestBlock = 1 << 15;

Values depthToSpace(NodeImport &node)
{
    const Ints s = node.shape();
    const std::int64_t b = node.integer("blocksize", 1);
    if (s.size() != 4 || b < 1 || b > largestBlock || s[1] % (b * b) != 0)
        node.unsupported("it needs four dimensions, and channels that the block divides");
    const bool depthFirst = node.text("mode", "DCR") == "DCR";
    const std::int64_t c = s[1] / (b * b);
    const Value parted = node.reshape(node.input(), depthFirst ? Ints{s[0], b, b, c, s[2], s[3]}
                                                               : Ints{s[0], c, b, b, s[2], s[3]});
    const Value moved = node.transpose(parted, depthFirst ? Ints{0, 3, 4, 1, 5, 2} : Ints{0, 1, 4, 2, 5, 3});
    return {node.reshape(moved, {s[0], c, s[2] * b, s[3] * b})};
}

Values spaceToDepth(NodeImport &node)
{
    const Ints s = node.shape();
    const std::int64_t b = node.integer("blocksize", 1);
    if (s.size() != 4 || b < 1 || b > largestBlock || s[2] % b != 0 || s[3] % b != 0)
        node.unsupported("it needs four dimensions, and an image that the block divides");
    const std::string mode = node.text("mode", "DCR");
    if (mode != "DCR" && mode != "CRD")
        node.unsupported("the mode must be DCR or CRD");
    const Value parted = node.reshape(node.input(), {s[0], s[1], s[2] / b, b, s[3] / b, b});
    const Ints axes = mode == "DCR" ? Ints{0, 3, 5, 1, 2, 4} : Ints{0, 1, 3, 5, 2, 4};
    return {node.reshape(node.transpose(parted, axes), {s[0], s[1] * b * b, s[2] / b, s[3] / b})};
}

Values centerCropPad(NodeImport &node)
{
    const Ints wanted = node.list(1), shape = node.shape();
    Ints axes = node.integers("axes");
    if (!node.hasAttribute("axes")) {
        axes.resize(shape.size());
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (axes.size() != wanted.size())
        node.unsupported("axes and sizes differ in length");
    Ints begin, end, named, widths(2 * shape.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(node.axis(axes[i], node.rank()));
        if (wanted[i] < 0)
            node.unsupported(std::format("a size of {}", wanted[i]));
        const std::int64_t more = wanted[i] - shape[axis];
        named.push_back(static_cast<std::int64_t>(axis));
        begin.push_back(more < 0 ? -more / 2 : 0);
        end.push_back(more < 0 ? -more / 2 + wanted[i] : shape[axis]);
        if (more > 0) {
            widths[axis] = more / 2;
            widths[shape.size() + axis] = more - more / 2;
        }
    }
    const Value cropped = slice(node, node.input(), begin, end, named, Ints(named.size(), 1));
    return {node.call("nn.pad", {cropped}, {{"pad_width", widths}})};
}

constexpr ImportRow shapeRows[] = {
    {"CenterCropPad", &centerCropPad},
    {"Concat", &concat},
    {"DepthToSpace", &depthToSpace},
    {"Expand", &expand},
    {"Flatten", &flatten},
    {"Pad", &pad},
    {"Reshape", &reshape},
    {"Slice", &sliceNode},
    {"SpaceToDepth", &spaceToDepth},
    {"Split", &split},
    {"Squeeze", &squeeze},
    {"Tile", &tile},
    {"Transpose", &transpose},
    {"Unsqueeze", &unsqueeze},
};

} // namespace

std::span<const ImportRow> shapeImports() { return shapeRows; }

} // namespace nestwright::graph::onnx
