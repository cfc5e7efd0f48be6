// SPDX-License-Identifier: Apache-2.0
/// Pools of ONNX, and the attributes of windows.
#include "core/frontend/onnx/shared_forms.h"
#include "core/frontend/onnx/window_attributes.h"

#include <algorithm>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

Ints listOr(NodeImport &node, std::string_view name, std::size_t length, std::int64_t value)
{
    Ints given = node.integers(name);
    return given.empty() ? Ints(length, value) : given;
}

Ints spatialAxes(NodeImport &node)
{
    Ints axes(static_cast<std::size_t>(std::max<std::int64_t>(0, node.rank() - 2)));
    std::iota(axes.begin(), axes.end(), 2);
    return axes;
}

ops::Attributes poolAttributes(NodeImport &node)
{
    const Ints kernel = node.integers("kernel_shape");
    ops::Attributes attributes = windowAttributes(node, kernel);
    attributes["kernel"] = kernel;
    attributes["ceil_mode"] = node.integer("ceil_mode", 0) != 0;
    return attributes;
}

Values maxPool(NodeImport &node)
{
    node.accept({"storage_order"}); // of the second result
    const ops::Attributes attributes = poolAttributes(node);
    Values results{node.call("nn.max_pool", {node.input()}, attributes)};
    if (node.wantsOutput(1)) {
        ops::Attributes where = attributes;
        where["column_major"] = node.integer("storage_order", 0) != 0;
        results.push_back(node.call("nn.max_pool_position", {node.input()}, where));
    }
    return results;
}

Values averagePool(NodeImport &node) { return {averagePoolOf(node, node.input())}; }

Values lpPool(NodeImport &node)
{
    ops::Attributes attributes = poolAttributes(node);
    attributes["p"] = node.integer("p", 2);
    return {node.call("nn.lp_pool", {node.input()}, attributes)};
}

Values globalAverage(NodeImport &node)
{
    return {node.call("mean", {node.input()}, {{"axes", spatialAxes(node)}})};
}

Values globalMax(NodeImport &node)
{
    return {node.call("max", {node.input()}, {{"axes", spatialAxes(node)}})};
}

Values globalLp(NodeImport &node)
{
    if (const std::int64_t p = node.integer("p", 2); p != 2) {
        const Ints shape = node.shape();
        return {node.call("nn.lp_pool", {node.input()},
                          {{"kernel", Ints(shape.begin() + 2, shape.end())}, {"p", p}})};
    }
    return {node.call("norm", {node.input()}, {{"axes", spatialAxes(node)}})};
}

/// Elements put back where MaxPool says that it took them from, zeros elsewhere.
Values maxUnpool(NodeImport &node)
{
    const Ints kernel = node.integers("kernel_shape"), input = node.shape();
    const ops::Attributes attributes = windowAttributes(node, kernel);
    const auto list = [&](std::string_view name) { return std::get<Ints>(attributes.find(name)->second); };
    const Ints strides = list("strides"), pads = list("padding");
    Ints shape{input[0], input[1]};
    for (std::size_t i = 0; i < kernel.size(); ++i)
        shape.push_back((input[i + 2] - 1) * strides[i] + kernel[i] - pads[i] - pads[kernel.size() + i]);
    std::int64_t elements = 1;
    for (const std::int64_t size : shape) {
        if (size < 1 || size > mostWindow / elements)
            node.unsupported("the result would be empty, or have 2^31 elements or more");
        elements *= size;
    }
    const Value zeros =
        node.call("broadcast_to", {node.scalarLike(0, node.input())}, {{"shape", Ints{elements}}});
    const Value put = node.call(
        "scatter_elements", {zeros, node.reshape(node.input(1), {-1}), node.reshape(node.input(0), {-1})});
    const Value unpooled = node.reshape(put, shape);
    if (!node.has(2))
        return {unpooled};
    // The places are those in the shape that follows from the input; a larger one adds zeros behind.
    const Ints wanted = node.list(2);
    if (wanted.size() != shape.size())
        node.unsupported("output_shape must have a size for each dimension");
    Ints widths(2 * shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i)
        widths[shape.size() + i] = wanted[i] - shape[i];
    return {node.call("nn.pad", {unpooled}, {{"pad_width", widths}})};
}

constexpr ImportRow windowRows[] = {
    {"AveragePool", &averagePool}, {"GlobalAveragePool", &globalAverage},
    {"GlobalLpPool", &globalLp},   {"GlobalMaxPool", &globalMax},
    {"LpPool", &lpPool},           {"MaxPool", &maxPool},
    {"MaxUnpool", &maxUnpool},
};

} // namespace

Value averagePoolOf(NodeImport &node, Value x)
{
    ops::Attributes attributes = poolAttributes(node);
    attributes["count_include_pad"] = node.integer("count_include_pad", 0) != 0;
    return node.call("nn.avg_pool", {x}, attributes);
}

void requireKernel(NodeImport &node, const Ints &kernel)
{
    if (const Ints given = node.integers("kernel_shape"); !given.empty() && given != kernel)
        node.unsupported("\"kernel_shape\" differs from the shape of the weights");
}

ops::Attributes windowAttributes(NodeImport &node, const Ints &kernel)
{
    const std::size_t rank = kernel.size();
    const Ints strides = listOr(node, "strides", rank, 1), dilation = listOr(node, "dilations", rank, 1);
    Ints pads = listOr(node, "pads", 2 * rank, 0);
    const std::string mode = node.text("auto_pad", "NOTSET");
    if (strides.size() != rank || dilation.size() != rank || pads.size() != 2 * rank
        || static_cast<std::int64_t>(rank) + 2 != node.rank())
        node.unsupported("kernel_shape, strides, dilations, pads and the input do not fit together");
    for (const Ints &list : {kernel, strides, dilation, pads}) {
        if (std::ranges::any_of(list,
                                [](std::int64_t each) { return each > mostWindow || each < -mostWindow; }))
            node.unsupported("kernel_shape, strides, dilations and pads must be below 2^31");
    }
    if (mode == "VALID")
        std::ranges::fill(pads, 0);
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
        const Ints input = node.shape();
        for (std::size_t i = 0; i < rank; ++i) {
            if (strides[i] < 1)
                node.unsupported("a stride is below 1");
            const std::int64_t windows = (input[i + 2] + strides[i] - 1) / strides[i];
            const std::int64_t span = (kernel[i] - 1) * dilation[i] + 1;
            const std::int64_t total =
                std::max<std::int64_t>(0, (windows - 1) * strides[i] + span - input[i + 2]);
            pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
            pads[rank + i] = total - pads[i];
        }
    }
    return {{"strides", strides}, {"dilation", dilation}, {"padding", pads}};
}

std::span<const ImportRow> windowImports() { return windowRows; }

} // namespace nestwright::graph::onnx
