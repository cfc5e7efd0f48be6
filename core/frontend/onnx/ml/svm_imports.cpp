// SPDX-License-Identifier: Apache-2.0
/// Support vector machines of the domain ai.onnx.ml.
#include "core/frontend/onnx/ml/class_scores.h"

#include <algorithm>
#include <format>

namespace nestwright::graph::onnx {

namespace {

ir::DataType floats() { return ir::DataType::float32(); }

/// The kernel of each row with each of `count` vectors, without the kernel's own constant.
class VectorKernel {
public:
    explicit VectorKernel(NodeImport &node, bool isLinear) : m_node(node)
    {
        m_name = node.text("kernel_type", "LINEAR");
        if (isLinear) // without support vectors
            m_name = "LINEAR";
        const std::vector<double> given = node.reals("kernel_params");
        if (!given.empty() && given.size() != 3)
            node.unsupported("kernel_params must be gamma, coef0 and degree");
        m_parameters = given.empty() ? std::vector<double>(3) : given;
    }

    Value of(Value x, const std::vector<double> &vectors, std::int64_t count, double added) const
    {
        const std::int64_t features = featuresOf(m_node, x);
        const Value v = constantOf(m_node, vectors, {count, features}, floats());
        if (m_name == "RBF") {
            const Value difference = m_node.call(
                "subtract", {m_node.reshape(x, {-1, 1, features}), m_node.reshape(v, {1, count, features})});
            const Value distance =
                m_node.call("sum_square", {difference}, {{"axes", Ints{2}}, {"keepdims", false}});
            return m_node.call("exp", {scaled(distance, -m_parameters[0])});
        }
        const Value product = m_node.call("nn.matmul", {x, v}, {{"transpose_b", true}});
        if (m_name == "LINEAR")
            return plus(product, added);
        const Value moved = plus(scaled(product, m_parameters[0]), m_parameters[1]);
        if (m_name == "POLY")
            return m_node.call("power", {moved, m_node.scalar(m_parameters[2], floats())});
        if (m_name == "SIGMOID")
            return m_node.call("tanh", {moved});
        m_node.unsupported(std::format("there is no kernel_type \"{}\"", m_name));
    }

private:
    Value scaled(Value x, double factor) const
    {
        return m_node.call("multiply", {x, m_node.scalar(factor, floats())});
    }
    Value plus(Value x, double number) const
    {
        return number == 0 ? x : m_node.call("add", {x, m_node.scalar(number, floats())});
    }

    NodeImport &m_node;
    std::string m_name;
    std::vector<double> m_parameters;
};

std::vector<double> rhoOf(const NodeImport &node, std::size_t least)
{
    std::vector<double> rho = node.reals("rho");
    if (rho.size() < least)
        node.unsupported(std::format("rho must have {} numbers, but has {}", least, rho.size()));
    return rho;
}

ImportedValues vectorRegressor(NodeImport &node, const ImportedValues &inputs)
{
    const Value x = featureRows(node, inputs, floats());
    const std::vector<double> rho = rhoOf(node, 1), coefficients = node.reals("coefficients");
    const std::int64_t vectors = node.integer("n_supports", 0);
    if (scoreTransform(node) != "NONE")
        node.unsupported("a post_transform is not defined for it");
    const VectorKernel kernel(node, vectors == 0);
    Value y;
    if (vectors == 0) {
        y = kernel.of(x, coefficients, 1, rho[0]);
    } else {
        const Value kernels = kernel.of(x, node.reals("support_vectors"), vectors, 0);
        y = node.call("nn.matmul", {kernels, constantOf(node, coefficients, {vectors, 1}, floats())});
        y = node.call("add", {y, node.scalar(rho[0], floats())});
    }
    if (node.integer("one_class", 0) != 0) {
        const Value isInside = node.call("greater", {y, node.scalarLike(0, y)});
        y = node.call("where", {isInside, node.scalarLike(1, y), node.scalarLike(-1, y)});
    }
    return {{.values = {y}}};
}

/// The classes of each pair, the lower one first.
std::vector<std::pair<std::int64_t, std::int64_t>> classPairs(std::int64_t classes)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (std::int64_t i = 0; i < classes; ++i) {
        for (std::int64_t j = i + 1; j < classes; ++j)
            pairs.emplace_back(i, j);
    }
    return pairs;
}

/// The scores of each pair of classes: above 0 the first wins.
Value pairScores(NodeImport &node, Value x, std::int64_t classes)
{
    const Ints counts = node.integers("vectors_per_class");
    const std::vector<double> coefficients = node.reals("coefficients");
    const auto isNone = [&](std::int64_t count) { return count < 0 || count > std::ssize(coefficients); };
    if (std::ssize(counts) != classes || std::ranges::any_of(counts, isNone))
        node.unsupported("vectors_per_class must have a number for each class");
    Ints begins{0};
    for (const std::int64_t count : counts)
        begins.push_back(begins.back() + count);
    const std::int64_t vectors = begins.back();
    if (std::ssize(coefficients) < (classes - 1) * vectors)
        node.unsupported(std::format("it has {} coefficients where {} are expected", coefficients.size(),
                                     (classes - 1) * vectors));
    const auto pairs = classPairs(classes);
    const std::vector<double> rho = rhoOf(node, pairs.size());
    const std::int64_t columns = std::ssize(pairs);
    requireTable(node, vectors, columns);
    std::vector<double> weights(static_cast<std::size_t>(vectors * columns));
    for (std::int64_t pair = 0; pair < columns; ++pair) {
        const auto [i, j] = pairs[static_cast<std::size_t>(pair)];
        const auto put = [&](std::int64_t of, std::int64_t row) {
            for (std::int64_t v = begins[static_cast<std::size_t>(of)];
                 v < begins[static_cast<std::size_t>(of) + 1]; ++v)
                weights[static_cast<std::size_t>(v * columns + pair)] =
                    coefficients[static_cast<std::size_t>(row * vectors + v)];
        };
        put(i, j - 1);
        put(j, i);
    }
    const Value kernels = VectorKernel(node, false).of(x, node.reals("support_vectors"), vectors, 0);
    const Value scores =
        node.call("nn.matmul", {kernels, constantOf(node, weights, {vectors, columns}, floats())});
    return node.call(
        "add", {scores, constantOf(node, {rho.begin(), rho.begin() + columns}, {1, columns}, floats())});
}

/// The place of the class that wins most of its pairs, of several the first.
Value votedPlace(NodeImport &node, Value scores, std::int64_t classes)
{
    const auto pairs = classPairs(classes);
    const std::int64_t columns = std::ssize(pairs);
    requireTable(node, columns, classes);
    std::vector<double> first(static_cast<std::size_t>(columns * classes)), second(first.size());
    for (std::int64_t pair = 0; pair < columns; ++pair) {
        const auto [i, j] = pairs[static_cast<std::size_t>(pair)];
        first[static_cast<std::size_t>(pair * classes + i)] = 1;
        second[static_cast<std::size_t>(pair * classes + j)] = 1;
    }
    const Value wins = node.call("greater", {scores, node.scalarLike(0, scores)});
    const auto counted = [&](Value won, const std::vector<double> &of) {
        return node.call("nn.matmul",
                         {node.cast(won, floats()), constantOf(node, of, {columns, classes}, floats())});
    };
    const Value loses = node.call("logical_not", {wins});
    return largestPlace(node, node.call("add", {counted(wins, first), counted(loses, second)}));
}

/// Probabilities of classes, by Platt's sigmoid of each pair.
Value classProbabilities(NodeImport &node, Value scores, std::int64_t classes)
{
    const std::int64_t columns = classes * (classes - 1) / 2;
    const auto row = [&](const char *attribute) {
        std::vector<double> numbers = node.reals(attribute);
        if (std::ssize(numbers) < columns)
            node.unsupported(std::format("{} must have {} numbers", attribute, columns));
        numbers.resize(static_cast<std::size_t>(columns));
        return constantOf(node, numbers, {1, columns}, floats());
    };
    const Value moved = node.call("add", {node.call("multiply", {scores, row("prob_a")}), row("prob_b")});
    const Value sure = node.call("subtract", {node.scalarLike(1, moved), node.call("sigmoid", {moved})});
    const Value least = node.scalar(1.0e-7F, floats()), most = node.scalar(1 - 1.0e-7F, floats());
    const Value pairs = node.call("minimum", {node.call("maximum", {sure, least}), most});
    return node.call("ml.couple_pairs", {pairs}, {{"classes", classes}});
}

/// A machine without support vectors: scores of classes, as by liblinear.
ImportedValues linearMachine(NodeImport &node, Value x, const ClassLabels &labels)
{
    const auto classes = static_cast<std::int64_t>(labels.count());
    const std::vector<double> coefficients = node.reals("coefficients");
    const Value scores = VectorKernel(node, true).of(x, coefficients, classes, rhoOf(node, 1)[0]);
    Value place = largestPlace(node, scores);
    if (classes == 2 && !node.hasAttribute("prob_a")) {
        const bool isPositive = std::ranges::all_of(coefficients, [](double c) { return c >= 0; });
        const Value largest = node.call("max", {scores}, {{"axes", Ints{1}}, {"keepdims", false}});
        const Value limit = node.scalarLike(isPositive ? 0.5 : 0, largest);
        const Value isSecond = node.call(isPositive ? "greater_equal" : "greater", {largest, limit});
        place = node.call("where", {isSecond, node.scalarLike(1, place), place});
    }
    return {labelsAt(node, labels, place), {.values = {transformed(node, scores, scoreTransform(node))}}};
}

ImportedValues vectorClassifier(NodeImport &node, const ImportedValues &inputs)
{
    const Value x = featureRows(node, inputs, floats());
    const ClassLabels labels = classLabels(node, "classlabels_ints", "classlabels_strings");
    const auto classes = static_cast<std::int64_t>(labels.count());
    constexpr std::int64_t mostClasses = 1000;
    if (classes < 2 || classes > mostClasses)
        node.unsupported(std::format("it needs 2 to {} classes, but has {}", mostClasses, classes));
    const Ints counts = node.integers("vectors_per_class");
    if (std::ranges::all_of(counts, [](std::int64_t count) { return count == 0; }))
        return linearMachine(node, x, labels);
    const std::string transform = scoreTransform(node);
    const Value scores = pairScores(node, x, classes);
    const ImportedValue label = labelsAt(node, labels, votedPlace(node, scores, classes));
    if (!node.reals("prob_a").empty())
        return {label, {.values = {transformed(node, classProbabilities(node, scores, classes), transform)}}};
    if (classes > 2)
        return {label, {.values = {transformed(node, scores, transform)}}};
    const SecondScore form = transform == "NONE" ? SecondScore::Opposite : SecondScore::Complement;
    return {label, {.values = {bothScores(node, scores, form, transform)}}};
}

constexpr LabelledRow vectorRows[] = {
    {"SVMClassifier", &vectorClassifier},
    {"SVMRegressor", &vectorRegressor},
};

} // namespace

std::span<const LabelledRow> vectorMachineImports() { return vectorRows; }

} // namespace nestwright::graph::onnx
