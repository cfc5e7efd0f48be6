// SPDX-License-Identifier: Apache-2.0
/// Linear models of the domain ai.onnx.ml.
#include "core/frontend/onnx/ml/class_scores.h"

#include <format>

namespace nestwright::graph::onnx {

namespace {

/// Products of the rows with those of the coefficients, one for each target, and what is added.
Value linearScores(NodeImport &node, Value x, std::int64_t targets)
{
    const ir::DataType type = node.typeOf(x).dtype;
    const std::int64_t features = featuresOf(node, x);
    const Value weights = constantOf(node, node.reals("coefficients"), {targets, features}, type);
    const Value scores = node.call("nn.matmul", {x, weights}, {{"transpose_b", true}});
    const std::vector<double> added = node.reals("intercepts");
    return added.empty() ? scores : node.call("add", {scores, constantOf(node, added, {1, targets}, type)});
}

ImportedValues linearRegressor(NodeImport &node, const ImportedValues &inputs)
{
    const Value x = featureRows(node, inputs, ir::DataType::float32());
    const std::int64_t targets = node.integer("targets", 1);
    const std::string transform = scoreTransform(node);
    const Value scores = linearScores(node, x, targets);
    return {{.values = {targets == 1 ? transformedColumn(node, scores, transform)
                                     : transformed(node, scores, transform)}}};
}

ImportedValues linearClassifier(NodeImport &node, const ImportedValues &inputs)
{
    const Value x = featureRows(node, inputs, ir::DataType::float32());
    const ClassLabels labels = classLabels(node, "classlabels_ints", "classlabels_strings");
    const std::int64_t features = featuresOf(node, x);
    const std::int64_t scored = std::ssize(node.reals("coefficients")) / std::max<std::int64_t>(features, 1);
    (void)node.integer("multi_class", 0); // says how the model was trained
    const std::string transform = scoreTransform(node);
    const Value scores = linearScores(node, x, scored);
    if (scored != 1) {
        if (scored != static_cast<std::int64_t>(labels.count()))
            node.unsupported(std::format("it scores {} classes, but names {}", scored, labels.count()));
        return {labelsAt(node, labels, largestPlace(node, scores)),
                {.values = {transformed(node, scores, transform)}}};
    }
    if (labels.count() != 2)
        node.unsupported(std::format("one score stands for two classes, but {} are named", labels.count()));
    const Value isSecond = node.call("greater", {node.reshape(scores, {-1}), node.scalarLike(0, scores)});
    return {labelsAt(node, labels, placeOfTwo(node, isSecond)),
            {.values = {bothScores(node, scores, SecondScore::Complement, transform)}}};
}

constexpr LabelledRow linearRows[] = {
    {"LinearClassifier", &linearClassifier},
    {"LinearRegressor", &linearRegressor},
};

} // namespace

std::span<const LabelledRow> linearModelImports() { return linearRows; }

} // namespace nestwright::graph::onnx
