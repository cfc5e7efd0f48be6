// SPDX-License-Identifier: Apache-2.0
/// Operators that ONNX Runtime's optimiser writes in place of several of ONNX's own (domain com.microsoft).
#include "core/frontend/onnx/contraction_attributes.h"
#include "core/frontend/onnx/file/made_array.h"
#include "core/frontend/onnx/index_places.h"
#include "core/frontend/onnx/root_mean_square.h"

#include <format>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

Value activated(NodeImport &node, Value x, const std::string &name)
{
    const std::vector<double> given = node.reals("activation_params");
    const auto parameter = [&](std::size_t i, const char *attribute, double otherwise) {
        return i < given.size() ? given[i] : node.real(attribute, otherwise);
    };
    if (name.empty())
        return x;
    if (name == "Relu")
        return node.call("nn.relu", {x});
    if (name == "Tanh" || name == "Sigmoid")
        return node.call(name == "Tanh" ? "tanh" : "sigmoid", {x});
    if (name == "LeakyRelu")
        return node.call("nn.leaky_relu", {x}, {{"alpha", parameter(0, "activation_alpha", 0.01)}});
    if (name == "HardSigmoid")
        return node.call("nn.hard_sigmoid", {x},
                         {{"alpha", parameter(0, "activation_alpha", 0.2)},
                          {"beta", parameter(1, "activation_beta", 0.5)}});
    if (name == "Clip" && given.size() == 2) {
        x = node.call("maximum", {node.scalarLike(given[0], x), x});
        return node.call("minimum", {node.scalarLike(given[1], x), x});
    }
    node.unsupported(std::format("there is no activation \"{}\"", name));
}

/// Times a factor that is an attribute.
Value scaled(NodeImport &node, Value x, const char *attribute)
{
    const double factor = node.real(attribute, 1);
    return factor == 1 ? x : node.call("multiply", {x, node.scalarLike(factor, x)});
}

/// FusedMatMul and, with a third input, FusedGemm.
Values fusedProduct(NodeImport &node)
{
    const auto matrices = [&](std::size_t i, const char *firstBehindBatch) {
        const std::int64_t rank = node.rank(i);
        if (node.integer(firstBehindBatch, 0) == 0 || rank < 3)
            return node.input(i);
        Ints order(static_cast<std::size_t>(rank));
        std::iota(order.begin(), order.end(), 1);
        order[order.size() - 2] = 0;
        order.back() = rank - 1;
        return node.transpose(node.input(i), order);
    };
    const Value product = node.call(
        "nn.matmul", {matrices(0, "transBatchA"), matrices(1, "transBatchB")},
        {{"transpose_a", node.integer("transA", 0) != 0}, {"transpose_b", node.integer("transB", 0) != 0}});
    Value result = scaled(node, product, "alpha");
    if (node.has(2))
        result = node.call("add", {result, scaled(node, node.input(2), "beta")});
    return {activated(node, result, node.text("activation", ""))};
}

Values fusedConv(NodeImport &node)
{
    Value y = node.call("nn.conv", {node.input(0), node.input(1)}, convolutionAttributes(node, 1));
    if (node.has(2)) {
        Ints shape(static_cast<std::size_t>(node.typeOf(y).rank()), 1);
        shape[1] = -1;
        y = node.call("add", {y, node.reshape(node.input(2), shape)});
    }
    if (node.has(3))
        y = node.call("add", {y, node.input(3)});
    return {activated(node, y, node.text("activation", ""))};
}

Value geluOf(NodeImport &node, Value x, const char *form)
{
    return node.call("nn.gelu", {x}, {{"approximate", std::string(form)}});
}

Values plainGelu(NodeImport &node) { return {geluOf(node, node.input(), "none")}; }

Values biasGelu(NodeImport &node)
{
    return {geluOf(node, node.call("add", {node.input(0), node.input(1)}), "none")};
}

Values fastGelu(NodeImport &node)
{
    const Value x = node.has(1) ? node.call("add", {node.input(0), node.input(1)}) : node.input();
    return {geluOf(node, x, "tanh")};
}

Values quickGelu(NodeImport &node)
{
    const Value x = node.input();
    const Value scaled = node.call("multiply", {x, node.scalarLike(node.real("alpha", 1.702), x)});
    return {node.call("multiply", {x, node.call("sigmoid", {scaled})})};
}

/// The last dimension less its mean and divided by its deviation, or only by its root mean square; then
/// scaled, and moved where `beta` is given.
Value normalized(NodeImport &node, Value x, Value gamma, Value beta, bool isCentred, double epsilon)
{
    Value y;
    const Ints last{node.typeOf(x).rank() - 1};
    if (isCentred) {
        y = node.call("nn.normalize", {x}, {{"axes", last}, {"epsilon", epsilon}});
    } else {
        y = byRootMeanSquare(node, x, last, epsilon);
    }
    y = node.call("multiply", {y, gamma});
    return beta ? node.call("add", {y, beta}) : y;
}

/// Results: what is normalized, nothing, nothing, the sum.
Values skipNormalization(NodeImport &node, bool isCentred)
{
    Value sum = node.call("add", {node.input(0), node.input(1)});
    if (const std::size_t bias = isCentred ? 4 : 3; node.has(bias))
        sum = node.call("add", {sum, node.input(bias)});
    const Value beta = isCentred ? node.optionalInput(3) : Value{};
    const double epsilon = node.real("epsilon", isCentred ? 1e-12 : 1e-5);
    return {normalized(node, sum, node.input(2), beta, isCentred, epsilon), {}, {}, sum};
}

Values skipLayerNormalization(NodeImport &node) { return skipNormalization(node, true); }
Values skipSimplifiedLayerNormalization(NodeImport &node) { return skipNormalization(node, false); }

/// Inputs: tokens, segments, three tables, gamma, beta, a mask, positions. Results: the embedding, how many
/// tokens of each sequence count, the sum.
Values embedLayerNormalization(NodeImport &node)
{
    node.accept({"mask_index_type"}); // tells the shape of a result that follows from the inputs
    node.acceptInputs({7});           // for that result alone
    if (node.rank(2) > 0)
        requirePlaces(node, 0, {node.type(2).shape[0]});
    const auto rows = [&](std::size_t table, Value places) {
        return node.call("take", {node.input(table), places}, {{"axis", std::int64_t{0}}});
    };
    const Ints shape = node.shape();
    if (shape.size() != 2)
        node.unsupported("the tokens must have 2 dimensions");
    Value positions = node.optionalInput(8);
    if (!positions) {
        Ints counted(static_cast<std::size_t>(shape[1]));
        std::iota(counted.begin(), counted.end(), 0);
        positions = node.constant(integerArray(counted, {1, shape[1]}));
    }
    Value sum = node.call("add", {rows(2, node.input(0)), rows(3, positions)});
    if (node.has(1) && node.has(4))
        sum = node.call("add", {sum, rows(4, node.input(1))});
    Values results{
        normalized(node, sum, node.input(5), node.input(6), true, node.real("epsilon", 1e-12)), {}, sum};
    if (node.wantsOutput(1)) {
        const ir::DataType type = ir::DataType::int32();
        results[1] = node.has(7) ? node.call("sum", {node.cast(node.input(7), type)},
                                             {{"axes", Ints{1}}, {"keepdims", false}})
                                 : node.constant(madeArray(node, type, {shape[0]}, 0));
    }
    return results;
}

constexpr ImportRow microsoftRows[] = {
    {"BiasGelu", &biasGelu},
    {"EmbedLayerNormalization", &embedLayerNormalization},
    {"FastGelu", &fastGelu},
    {"FusedConv", &fusedConv},
    {"FusedGemm", &fusedProduct},
    {"FusedMatMul", &fusedProduct},
    {"Gelu", &plainGelu},
    {"QuickGelu", &quickGelu},
    {"SkipLayerNormalization", &skipLayerNormalization},
    {"SkipSimplifiedLayerNormalization", &skipSimplifiedLayerNormalization},
};

} // namespace

std::span<const ImportRow> microsoftImports() { return microsoftRows; }

} // namespace nestwright::graph::onnx
