// SPDX-License-Identifier: Apache-2.0
/// Normalizations and losses of ONNX.
#include "core/frontend/onnx/root_mean_square.h"
#include "core/ops/table/shapes.h"

#include <algorithm>
#include <numeric>

namespace nestwright::graph::onnx {

namespace {

Ints axesFrom(std::int64_t first, std::int64_t rank)
{
    Ints axes(static_cast<std::size_t>(rank - first));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

/// A vector with one element per channel, in the form that broadcasts over `like`.
Value perChannel(NodeImport &node, Value vector, Value like)
{
    Ints shape(static_cast<std::size_t>(node.typeOf(like).rank()), 1);
    shape[1] = -1;
    return node.reshape(vector, shape);
}

/// `x` with float32 for floats of 16 bits, whose squares may be beyond them.
Value inSumType(NodeImport &node, Value x) { return node.cast(x, ops::sumType(node.typeOf(x).dtype)); }

Value meanOver(NodeImport &node, Value x, const Ints &axes)
{
    return node.call("mean", {x}, {{"axes", axes}});
}

/// Batch normalization with the statistics of this batch; also gives the running ones, mixed with these.
Values batchNormTraining(NodeImport &node)
{
    const ir::DataType type = node.type().dtype;
    const Value x = inSumType(node, node.input());
    const auto given = [&](std::size_t i) {
        return perChannel(node, node.cast(node.input(i), node.typeOf(x).dtype), x);
    };
    Ints axes = axesFrom(2, node.rank());
    axes.insert(axes.begin(), 0);
    const Value center = meanOver(node, x, axes);
    const Value distance = node.call("subtract", {x, center});
    const Value variance = meanOver(node, node.call("multiply", {distance, distance}), axes);
    const Value scale = inverseRoot(node, variance, node.real("epsilon", 1e-5));
    const Value y = node.call(
        "add", {node.call("multiply", {node.call("multiply", {distance, scale}), given(1)}), given(2)});
    const double momentum = node.real("momentum", 0.9);
    const auto running = [&](Value old, Value now) {
        const Value flat = node.cast(node.reshape(now, {-1}), node.typeOf(old).dtype);
        return node.call("add", {node.call("multiply", {old, node.scalarLike(momentum, old)}),
                                 node.call("multiply", {flat, node.scalarLike(1 - momentum, flat)})});
    };
    return {node.cast(y, type), running(node.input(3), center), running(node.input(4), variance)};
}

Values batchNormalization(NodeImport &node)
{
    node.requireOnly("spatial", 1);
    node.accept({"is_test", "momentum"});
    if (node.integer("training_mode", 0) != 0)
        return batchNormTraining(node);
    const ir::DataType type = node.type().dtype;
    Values inputs{node.input()};
    for (std::size_t i = 1; i < 5; ++i)
        inputs.push_back(node.cast(node.input(i), type));
    return {node.call("nn.batch_norm", inputs, {{"epsilon", node.real("epsilon", 1e-5)}})};
}

Values instanceNormalization(NodeImport &node)
{
    const Value x = node.input();
    const Value y = node.call("nn.normalize", {x},
                              {{"axes", axesFrom(2, node.rank())}, {"epsilon", node.real("epsilon", 1e-5)}});
    return {node.call("add", {node.call("multiply", {y, perChannel(node, node.input(1), x)}),
                              perChannel(node, node.input(2), x)})};
}

/// Sums are taken in float32 at least, as "stash_type" has it by itself.
void checkSumsType(NodeImport &node)
{
    const auto type = declaredTypeOf(node.integer("stash_type", 1));
    if (!type || !type->isFloating() || type->bits > std::max<int>(32, node.type().dtype.bits))
        node.unsupported("\"stash_type\" must be a floating-point type, no wider than float32 or the input");
}

Values layerNormalization(NodeImport &node)
{
    checkSumsType(node);
    const Value x = node.input();
    const Ints axes = axesFrom(node.axis(node.integer("axis", -1), node.rank()), node.rank());
    const double epsilon = node.real("epsilon", 1e-5);
    Value y = node.call(
        "multiply", {node.call("nn.normalize", {x}, {{"axes", axes}, {"epsilon", epsilon}}), node.input(1)});
    if (node.has(2))
        y = node.call("add", {y, node.input(2)});
    Values results{y};
    if (node.wantsOutput(1) || node.wantsOutput(2)) {
        const Value wide = inSumType(node, x), center = meanOver(node, wide, axes);
        const Value distance = node.call("subtract", {wide, center});
        const Value variance = meanOver(node, node.call("multiply", {distance, distance}), axes);
        results.push_back(center);
        results.push_back(inverseRoot(node, variance, epsilon));
    }
    return results;
}

Values rmsNormalization(NodeImport &node)
{
    checkSumsType(node);
    const Ints axes = axesFrom(node.axis(node.integer("axis", -1), node.rank()), node.rank());
    const Value y = byRootMeanSquare(node, node.input(), axes, node.real("epsilon", 1e-5));
    return {node.call("multiply", {y, node.input(1)})};
}

Values groupNormalization(NodeImport &node)
{
    checkSumsType(node);
    const Ints shape = node.shape();
    const std::int64_t groups = node.integer("num_groups", 1);
    if (shape.size() < 2 || groups < 1 || shape[1] % groups != 0)
        node.unsupported("the groups do not divide the channels");
    const Value parted = node.reshape(node.input(), {shape[0], groups, -1});
    Value y =
        node.call("nn.normalize", {parted}, {{"axes", Ints{2}}, {"epsilon", node.real("epsilon", 1e-5)}});
    const bool eachChannel = node.size(1, 0) == shape[1];
    if (!eachChannel) { // before operator set 21, one scale per group
        y = node.call("add", {node.call("multiply", {y, node.reshape(node.input(1), {1, groups, 1})}),
                              node.reshape(node.input(2), {1, groups, 1})});
        return {node.reshape(y, shape)};
    }
    y = node.reshape(y, shape);
    return {node.call("add", {node.call("multiply", {y, perChannel(node, node.input(1), y)}),
                              perChannel(node, node.input(2), y)})};
}

Values meanVarianceNormalization(NodeImport &node)
{
    node.requireOnly("across_channels", 0);
    node.requireOnly("normalize_variance", 1);
    const Ints axes = node.hasAttribute("axes") ? node.integers("axes") : Ints{0, 2, 3};
    return {node.call("nn.normalize", {node.input()}, {{"axes", axes}, {"epsilon", 1e-9}})};
}

Values lrn(NodeImport &node)
{
    return {node.call("nn.lrn", {node.input()},
                      {{"size", node.integer("size", 5)},
                       {"alpha", node.real("alpha", 1e-4)},
                       {"beta", node.real("beta", 0.75)},
                       {"bias", node.real("bias", 1)}})};
}

Values lpNormalization(NodeImport &node)
{
    const std::int64_t axis = node.axis(node.integer("axis", -1), node.rank()), p = node.integer("p", 2);
    if (p != 1 && p != 2)
        node.unsupported("only norms of power 1 and 2 are supported");
    const Value norm = node.call(p == 1 ? "sum_abs" : "norm", {node.input()}, {{"axes", Ints{axis}}});
    const Value zero = node.scalarLike(0, norm), quotient = node.call("divide", {node.input(), norm});
    return {node.call("where", {node.call("equal", {norm, zero}), zero, quotient})};
}

/// The loss for logarithms of probabilities `x` (N×C×…) and classes (N×…): mean or sum of the samples'
/// losses.
Value likelihoodLoss(NodeImport &node, Value x, Value classes, Value weights)
{
    const Ints shape = node.shapeOf(x);
    const ir::DataType type = node.typeOf(x).dtype;
    Ints one = node.shapeOf(classes);
    one.insert(one.begin() + 1, 1);
    const Value picked =
        node.call("gather_elements", {x, node.reshape(classes, one)}, {{"axis", std::int64_t{1}}});
    Value loss = node.call("negative", {node.reshape(picked, node.shapeOf(classes))});
    Value weight, ignored;
    if (weights)
        weight = node.call("take", {weights, classes}, {{"axis", std::int64_t{0}}});
    if (node.hasAttribute("ignore_index")) {
        ignored = node.call(
            "equal",
            {classes, node.scalarLike(static_cast<double>(node.integer("ignore_index", 0)), classes)});
        weight = node.call("where", {ignored, node.scalar(0, type), weight ? weight : node.scalar(1, type)});
    }
    if (weight)
        loss = node.call("multiply", {loss, weight});
    if (ignored) // infinite ones, too
        loss = node.call("where", {ignored, node.scalar(0, type), loss});
    const std::string mode = node.text("reduction", "mean");
    if (mode == "none")
        return loss;
    const Ints all = axesFrom(0, node.typeOf(loss).rank());
    const auto total = [&](Value value) {
        return node.call("sum", {value}, {{"axes", all}, {"keepdims", false}});
    };
    if (mode == "sum")
        return total(loss);
    return weight ? node.call("divide", {total(loss), total(weight)})
                  : node.call("mean", {loss}, {{"axes", all}, {"keepdims", false}});
}

Values negativeLogLikelihood(NodeImport &node)
{
    return {likelihoodLoss(node, node.input(0), node.input(1), node.has(2) ? node.input(2) : Value())};
}

Values softmaxCrossEntropy(NodeImport &node)
{
    const Value probabilities = node.call("nn.log_softmax", {node.input()}, {{"axis", std::int64_t{1}}});
    return {likelihoodLoss(node, probabilities, node.input(1), node.has(2) ? node.input(2) : Value()),
            probabilities};
}

constexpr ImportRow normalizationRows[] = {
    {"BatchNormalization", &batchNormalization},
    {"GroupNormalization", &groupNormalization},
    {"InstanceNormalization", &instanceNormalization},
    {"LRN", &lrn},
    {"LayerNormalization", &layerNormalization},
    {"LpNormalization", &lpNormalization},
    {"MeanVarianceNormalization", &meanVarianceNormalization},
    {"NegativeLogLikelihoodLoss", &negativeLogLikelihood},
    {"RMSNormalization", &rmsNormalization},
    {"SimplifiedLayerNormalization", &rmsNormalization}, // as ONNX Runtime writes it
    {"SoftmaxCrossEntropyLoss", &softmaxCrossEntropy},
};

} // namespace

Value inverseRoot(NodeImport &node, Value square, double epsilon)
{
    return node.call("rsqrt", {node.call("add", {square, node.scalarLike(epsilon, square)})});
}

Value byRootMeanSquare(NodeImport &node, Value x, const Ints &axes, double epsilon)
{
    const Value wide = inSumType(node, x);
    const Value square = meanOver(node, node.call("multiply", {wide, wide}), axes);
    return node.cast(node.call("multiply", {wide, inverseRoot(node, square, epsilon)}), node.typeOf(x).dtype);
}

std::span<const ImportRow> normalizationImports() { return normalizationRows; }

} // namespace nestwright::graph::onnx
