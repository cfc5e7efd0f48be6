// SPDX-License-Identifier: GPL-3.0-or-later
/// Models made node by node, optimised and divided into kernels as an opened one is.
#pragma once

#include "core/analysis/kernel/counts.h"
#include "core/session/model/model.h"
#include "tests/core/graph/passes.h"

namespace nestwright::tests {

/// Random weights with the name that a file has for them.
inline Value namedWeights(Builder &builder, const Ints &shape, const std::string &name)
{
    ir::NdArray data(ir::DataType::float32(), shape);
    data.fillRandom(shape.size());
    return builder.constant(std::move(data), name);
}

/// As session::openModel makes it of a file. `level`: of optimisation; 1 fuses.
inline session::Model modelOf(const Function &function, int level = 1)
{
    auto program = makeProgram(optimizedWith(function, level));
    if (!program)
        qFatal("%s", program.error().render().c_str());
    session::Model model{"folder/small.onnx", "small.onnx", *std::move(program), {}, {}};
    for (const Kernel &kernel : model.program.kernels)
        model.flops.push_back(analysis::countsOf(*kernel.module.mainEntry()->function).flops);
    return model;
}

/// A convolution fused with its relu, a pooling, and a product; as PyTorch's exporter names them, but for
/// the product, whose name is made up.
inline Function paneNetwork()
{
    Builder b;
    const Value x = b.input("x", floats({1, 3, 8, 8}));
    Value y = b.call("nn.conv", {x, namedWeights(b, {4, 3, 3, 3}, "layer1.conv.weight")},
                     {{"padding", Ints{1, 1, 1, 1}}}, "/net/layer1/conv/Conv");
    y = b.call("nn.relu", {y}, {}, "/net/layer1/act/Relu");
    y = b.call("nn.max_pool", {y}, {{"kernel", Ints{2, 2}}, {"strides", Ints{2, 2}}}, "/net/pool/MaxPool");
    b.nameTensor(y, "pooled");
    y = b.call("reshape", {y}, {{"newshape", Ints{1, 64}}}, "/net/Flatten");
    y = b.call("nn.matmul", {y, namedWeights(b, {10, 64}, "net/head/dense.weight")}, {{"transpose_b", true}},
               "MatMul_7");
    return b.finish({y}, {"scores"});
}

/// The node of that name; aborts where there is none.
inline const Node &nodeNamed(const Function &function, std::string_view name)
{
    const auto found = std::ranges::find(function.nodes, name, &Node::name);
    if (found == function.nodes.end())
        qFatal("no node is named so");
    return *found;
}

} // namespace nestwright::tests
