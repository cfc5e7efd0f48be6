// SPDX-License-Identifier: Apache-2.0
/// Operators of ONNX that read images at places between their elements, and that put images together.
#include "core/frontend/onnx/file/made_array.h"
#include "core/frontend/onnx/window_attributes.h"

#include <algorithm>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

Values gridSample(NodeImport &node)
{
    std::string mode = node.text("mode", "linear");
    // Names before operator set 20.
    mode = mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode;
    return {node.call("image.grid_sample", {node.input(0), node.input(1)},
                      {{"mode", mode},
                       {"padding_mode", node.text("padding_mode", "zeros")},
                       {"align_corners", node.integer("align_corners", 0) != 0}})};
}

/// The places of all elements of an image whose sides are -1 and 1, last dimension first, each with a 1
/// behind it.
ir::NdArray regularGrid(NodeImport &node, const Ints &sizes, bool corners)
{
    const auto rank = static_cast<std::int64_t>(sizes.size());
    const std::int64_t count =
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    ir::NdArray grid = madeArray(node, node.type().dtype, {1, count, rank + 1});
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t rest = i;
        for (std::int64_t d = rank; d-- > 0;) {
            const std::int64_t size = sizes[static_cast<std::size_t>(d)];
            const auto at = static_cast<double>(rest % size), n = static_cast<double>(size);
            const double place = !corners ? (2 * at + 1) / n - 1 : size == 1 ? -1 : 2 * at / (n - 1) - 1;
            grid.set(i * (rank + 1) + rank - 1 - d, place);
            rest /= size;
        }
        grid.set(i * (rank + 1) + rank, 1);
    }
    return grid;
}

/// Each place of a regular grid times a matrix.
Values affineGrid(NodeImport &node)
{
    Ints size = node.list(1);
    double elements = 1;
    for (const std::int64_t each : size)
        elements *= static_cast<double>(std::max<std::int64_t>(0, each));
    if ((size.size() != 4 && size.size() != 5) || elements < 1 || elements >= 0x1p26)
        node.unsupported("the size must have 4 or 5 dimensions, and from 1 to 2^26 elements");
    const Ints image(size.begin() + 2, size.end());
    const Value grid = node.constant(regularGrid(node, image, node.integer("align_corners", 0) != 0));
    const Value places = node.call("nn.matmul", {grid, node.input()}, {{"transpose_b", true}});
    Ints shape{size[0]};
    shape.insert(shape.end(), image.begin(), image.end());
    shape.push_back(static_cast<std::int64_t>(image.size()));
    return {node.reshape(places, shape)};
}

Values roiAlign(NodeImport &node)
{
    const std::string otherwise = node.opset() < 16 ? "output_half_pixel" : "half_pixel";
    ops::Attributes attributes{
        {"size", Ints{node.integer("output_height", 1), node.integer("output_width", 1)}},
        {"spatial_scale", node.real("spatial_scale", 1)},
        {"half_pixel", node.text("coordinate_transformation_mode", otherwise) == "half_pixel"},
        {"mode", node.text("mode", "avg")}};
    const std::int64_t samples = node.integer("sampling_ratio", 0);
    if (samples != 0)
        attributes["samples"] = samples;
    return {node.call(samples == 0 ? "image.roi_align_adaptive" : "image.roi_align",
                      {node.input(0), node.input(1), node.input(2)}, attributes)};
}

/// A convolution over the elements of windows that were moved.
Values deformConv(NodeImport &node)
{
    const Ints weight = node.shape(1);
    if (weight.size() < 3)
        node.unsupported("the kernel must have three dimensions or more");
    const Ints kernel(weight.begin() + 2, weight.end());
    requireKernel(node, kernel);
    ops::Attributes attributes = windowAttributes(node, kernel);
    attributes["kernel"] = kernel;
    attributes["offset_groups"] = node.integer("offset_group", 1);
    Values inputs{node.input(0), node.input(2)};
    if (node.has(4))
        inputs.push_back(node.input(4));
    const Value columns = node.call("image.deformable_columns", inputs, attributes);
    Ints flat(weight.size(), 1), bias(weight.size(), 1);
    flat[0] = weight[0];
    flat[1] = std::accumulate(weight.begin() + 1, weight.end(), std::int64_t{1}, std::multiplies<>());
    bias[1] = -1;
    const Value y = node.call("nn.conv", {columns, node.reshape(node.input(1), flat)},
                              {{"groups", node.integer("group", 1)}});
    return {node.has(3) ? node.call("add", {y, node.reshape(node.input(3), bias)}) : y};
}

Values col2Im(NodeImport &node)
{
    const Ints image = node.list(1), kernel = node.list(2);
    return {node.call("image.fold", {node.input()},
                      {{"image", image},
                       {"kernel", kernel},
                       {"strides", node.integers("strides")},
                       {"dilation", node.integers("dilations")},
                       {"padding", node.integers("pads")}})};
}

constexpr ImportRow imageRows[] = {
    {"AffineGrid", &affineGrid}, {"Col2Im", &col2Im},     {"DeformConv", &deformConv},
    {"GridSample", &gridSample}, {"RoiAlign", &roiAlign},
};

} // namespace

std::span<const ImportRow> imageImports() { return imageRows; }

} // namespace nestwright::graph::onnx
