// SPDX-License-Identifier: Apache-2.0
/// Products of matrices and convolutions of ONNX.
#include "core/frontend/onnx/contraction_attributes.h"
#include "core/frontend/onnx/window_attributes.h"

#include <algorithm>

namespace nestwright::graph::onnx {

namespace {

Values matMul(NodeImport &node) { return {matrixProduct(node, node.input(0), node.input(1))}; }

Value scaledBy(NodeImport &node, Value x, double by)
{
    return by == 1 ? x : node.call("multiply", {x, node.scalarLike(by, x)});
}

Values gemm(NodeImport &node)
{
    node.accept({"broadcast"}); // always, from operator set 7 on
    Value y = node.call(
        "nn.matmul", {node.input(0), node.input(1)},
        {{"transpose_a", node.integer("transA", 0) != 0}, {"transpose_b", node.integer("transB", 0) != 0}});
    y = scaledBy(node, y, node.real("alpha", 1));
    const double beta = node.real("beta", 1);
    if (node.has(2) && beta != 0)
        y = node.call("add", {y, scaledBy(node, node.input(2), beta)});
    return {y};
}

/// `bias`, one element per channel, added.
Value withBias(NodeImport &node, Value y, Value bias)
{
    Ints shape(static_cast<std::size_t>(node.typeOf(y).rank()), 1);
    shape[1] = -1;
    return node.call("add", {y, node.reshape(bias, shape)});
}

Values conv(NodeImport &node)
{
    const Value y = node.call("nn.conv", {node.input(0), node.input(1)}, convolutionAttributes(node, 1));
    return {node.has(2) ? withBias(node, y, node.input(2)) : y};
}

/// The padding that gives the wanted shape, or that auto_pad stands for.
Ints spreadPadding(NodeImport &node, const Ints &kernel, const Ints &strides, const Ints &dilation,
                   Ints &more)
{
    const std::size_t rank = kernel.size();
    const Ints wanted = node.integers("output_shape"), input = node.shape();
    const std::string mode = node.text("auto_pad", "NOTSET");
    const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
    if (wanted.empty() && !same)
        return node.hasAttribute("pads") && mode != "VALID" ? node.integers("pads") : Ints(2 * rank);
    const auto isSize = [](std::int64_t each) { return each >= 0 && each <= mostWindow; };
    if ((!wanted.empty() && wanted.size() < rank) || !std::ranges::all_of(wanted, isSize)
        || !std::ranges::all_of(more, isSize))
        node.unsupported("output_shape and output_padding must be sizes, one for each axis of the image");
    Ints pads(2 * rank);
    more.resize(rank, 0);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t size =
            wanted.empty() ? input[i + 2] * strides[i] : wanted[wanted.size() - rank + i];
        const std::int64_t full =
            (input[i + 2] - 1) * strides[i] + more[i] + (kernel[i] - 1) * dilation[i] + 1;
        const std::int64_t total = std::max<std::int64_t>(0, full - size);
        if (full < size)
            more[i] += size - full;
        const std::int64_t less = total / 2;
        // The odd one goes behind with SAME_UPPER, before otherwise.
        pads[i] = mode == "SAME_UPPER" ? less : total - less;
        pads[rank + i] = total - pads[i];
    }
    return pads;
}

Values convTranspose(NodeImport &node)
{
    ops::Attributes attributes = convolutionAttributes(node, 1);
    const Ints weight = node.shape(1);
    const Ints kernel(weight.begin() + 2, weight.end());
    const auto list = [&](std::string_view name) { return std::get<Ints>(attributes.find(name)->second); };
    Ints more = node.integers("output_padding");
    attributes["padding"] = spreadPadding(node, kernel, list("strides"), list("dilation"), more);
    attributes["output_padding"] = more;
    const Value y = node.call("nn.conv_transpose", {node.input(0), node.input(1)}, attributes);
    return {node.has(2) ? withBias(node, y, node.input(2)) : y};
}

Values det(NodeImport &node) { return {node.call("linalg.det", {node.input()})}; }

constexpr ImportRow contractionRows[] = {
    {"Conv", &conv}, {"ConvTranspose", &convTranspose}, {"Det", &det}, {"Gemm", &gemm}, {"MatMul", &matMul},
};

} // namespace

Value matrixProduct(NodeImport &node, Value a, Value b)
{
    const std::int64_t left = node.typeOf(a).rank(), right = node.typeOf(b).rank();
    if (left == 0 || right == 0)
        node.unsupported("a number cannot be multiplied as a matrix");
    if (left == 1)
        a = node.reshape(a, {1, -1});
    if (right == 1)
        b = node.reshape(b, {-1, 1});
    Value c = node.call("nn.matmul", {a, b});
    if (left > 1 && right > 1)
        return c;
    Ints shape = node.shapeOf(c);
    if (right == 1)
        shape.pop_back();
    if (left == 1)
        shape.erase(shape.end() - (right == 1 ? 1 : 2));
    return node.reshape(c, shape);
}

ops::Attributes convolutionAttributes(NodeImport &node, std::size_t weight)
{
    const Ints kernel = node.shape(weight);
    if (kernel.size() < 3)
        node.unsupported("the kernel must have three dimensions or more");
    requireKernel(node, Ints(kernel.begin() + 2, kernel.end()));
    ops::Attributes attributes = windowAttributes(node, Ints(kernel.begin() + 2, kernel.end()));
    attributes["groups"] = node.integer("group", 1);
    return attributes;
}

std::span<const ImportRow> contractionImports() { return contractionRows; }

} // namespace nestwright::graph::onnx
