// SPDX-License-Identifier: Apache-2.0
/// Operators of the domain ai.onnx.ml that prepare features.
#include "core/frontend/onnx/ml/class_scores.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <set>

namespace nestwright::graph::onnx {

namespace {

ImportedValue numbers(Value value) { return {.values = {value}}; }

/// Numbers for each feature, or one for all, as a constant that is repeated along rows.
Value perFeature(NodeImport &node, Value x, const std::vector<double> &given, std::string_view attribute)
{
    const std::int64_t features = featuresOf(node, x);
    if (given.size() != 1 && std::ssize(given) != features)
        node.unsupported(
            std::format("\"{}\" must have one number, or one for each of {} features, but has {}", attribute,
                        features, given.size()));
    return constantOf(node, given, {std::ssize(given)}, node.typeOf(x).dtype);
}

void requireRank(NodeImport &node)
{
    if (node.rank() < 1)
        node.unsupported("its input must have dimensions");
}

ImportedValues arrayFeatureExtractor(NodeImport &node, const ImportedValues &inputs)
{
    requireNumbers(node, inputs, 1);
    requireRank(node);
    const std::int64_t axis = node.rank() - 1, features = featuresOf(node, node.input());
    if (const Data places = node.builder().dataOf(node.input(1))) {
        for (std::int64_t i = 0; i < places->size(); ++i) {
            if (const double place = places->at(i); place < 0 || place >= static_cast<double>(features))
                node.unsupported(std::format("there is no feature {}: there are {}", place, features));
        }
    }
    Value x = node.call("take", {node.input(), node.reshape(node.input(1), {-1})}, {{"axis", axis}});
    if (axis == 0)
        x = node.reshape(x, {1, -1});
    return {{.values = {x}, .texts = inputs[0].texts}};
}

ImportedValues binarizer(NodeImport &node, const ImportedValues &inputs)
{
    requireNumbers(node, inputs);
    const Value x = node.cast(node.input(), ir::DataType::float32());
    const Value isAbove = node.call("greater", {x, node.scalarLike(node.real("threshold", 0), x)});
    return {numbers(node.cast(isAbove, node.type().dtype))};
}

ImportedValues imputer(NodeImport &node, const ImportedValues &inputs)
{
    requireNumbers(node, inputs);
    requireRank(node);
    const Value x = node.input();
    const bool isFloat = node.type().dtype.isFloating();
    std::vector<double> given = node.reals("imputed_value_floats");
    const Ints whole = node.integers("imputed_value_int64s");
    if (!isFloat)
        given.assign(whole.begin(), whole.end());
    const double real = node.real("replaced_value_float", 0);
    const auto integer = static_cast<double>(node.integer("replaced_value_int64", 0));
    const double replaced = isFloat ? real : integer;
    const Value isMissing = std::isnan(replaced) ? node.call("isnan", {x})
                                                 : node.call("equal", {x, node.scalarLike(replaced, x)});
    const Value values =
        perFeature(node, x, given, isFloat ? "imputed_value_floats" : "imputed_value_int64s");
    return {numbers(node.call("where", {isMissing, values, x}))};
}

/// Each row by the largest of it (by its sign), the sum of absolute values, or the root of the sum of
/// squares; by nothing where that is 0.
ImportedValues normalizer(NodeImport &node, const ImportedValues &inputs)
{
    requireNumbers(node, inputs);
    requireRank(node);
    const std::string norm = node.text("norm", "MAX");
    const std::string_view op = norm == "MAX" ? "max" : norm == "L1" ? "sum_abs" : norm == "L2" ? "norm" : "";
    if (op.empty())
        node.unsupported(std::format("there is no norm \"{}\"", norm));
    if (node.rank() > 2)
        node.unsupported("its input must be rows of features");
    const Value x = node.cast(node.input(), ir::DataType::float32());
    const Value size = node.call(op, {x}, {{"axes", Ints{node.rank() - 1}}, {"keepdims", true}});
    const Value isNone = node.call("equal", {size, node.scalarLike(0, size)});
    return {numbers(node.call("divide", {x, node.call("where", {isNone, node.scalarLike(1, size), size})}))};
}

ImportedValues scaler(NodeImport &node, const ImportedValues &inputs)
{
    requireNumbers(node, inputs);
    requireRank(node);
    Value x = node.cast(node.input(), ir::DataType::float32());
    x = node.call("subtract", {x, perFeature(node, x, node.reals("offset"), "offset")});
    return {numbers(node.call("multiply", {x, perFeature(node, x, node.reals("scale"), "scale")}))};
}

/// Features of all inputs side by side: of each as many as the attribute says.
ImportedValues featureVectorizer(NodeImport &node, const ImportedValues &inputs)
{
    const Ints counts = node.integers("inputdimensions");
    if (counts.size() != inputs.size())
        node.unsupported("inputdimensions must have a number for each input");
    Values parts;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        requireNumbers(node, inputs, i);
        Value x = node.cast(node.input(i), ir::DataType::float32());
        if (node.rank(i) == 1)
            x = node.reshape(x, {1, -1});
        const std::int64_t features = featuresOf(node, x);
        if (node.typeOf(x).rank() != 2 || counts[i] < 1)
            node.unsupported("its inputs must be rows of one feature or more");
        if (counts[i] < features)
            x = node.slice(x, 1, 0, counts[i]);
        if (counts[i] > features)
            x = node.call("nn.pad", {x, node.scalarLike(0, x)},
                          {{"pad_width", Ints{0, 0, 0, counts[i] - features}}});
        parts.push_back(x);
    }
    return {numbers(node.concatenate(std::move(parts), 1))};
}

/// Text: a row for each of its table.
Value oneHotOfText(NodeImport &node, const ImportedValue &input, const std::vector<std::string> &categories)
{
    requireTable(node, std::ssize(*input.texts), std::ssize(categories));
    std::vector<double> rows;
    for (const std::string &text : *input.texts) {
        for (const std::string &category : categories)
            rows.push_back(text == category ? 1 : 0);
    }
    const Value table =
        constantOf(node, rows, {std::ssize(*input.texts), std::ssize(categories)}, ir::DataType::float32());
    return node.call("take", {table, input.tensor()}, {{"axis", std::int64_t{0}}});
}

/// A category that is none of those gives zeros.
ImportedValues oneHotEncoder(NodeImport &node, const ImportedValues &inputs)
{
    const std::vector<std::string> texts = node.texts("cats_strings");
    const Ints whole = node.integers("cats_int64s");
    (void)node.integer("zeros", 1); // whether ONNX Runtime fails where there is such a one
    if (texts.empty() == whole.empty())
        node.unsupported("it needs either cats_int64s or cats_strings");
    if (std::set(whole.begin(), whole.end()).size() + std::set(texts.begin(), texts.end()).size()
        != whole.size() + texts.size())
        node.unsupported("a category is named twice");
    if (inputs.at(0).texts) {
        if (texts.empty())
            node.unsupported("its categories are numbers, but its input is text");
        return {numbers(oneHotOfText(node, inputs[0], texts))};
    }
    if (whole.empty())
        node.unsupported("its categories are text, but its input are numbers");
    Ints shape(static_cast<std::size_t>(node.rank()), 0); // 0: as before
    shape.push_back(1);
    const Value x = node.reshape(node.cast(node.input(), ir::DataType::int64()), shape);
    return {numbers(
        node.cast(node.call("equal", {x, node.constant(integerArray(whole))}), ir::DataType::float32()))};
}

constexpr LabelledRow featureRowsOf[] = {
    {"ArrayFeatureExtractor", &arrayFeatureExtractor},
    {"Binarizer", &binarizer},
    {"FeatureVectorizer", &featureVectorizer},
    {"Imputer", &imputer},
    {"Normalizer", &normalizer},
    {"OneHotEncoder", &oneHotEncoder},
    {"Scaler", &scaler},
};

} // namespace

std::span<const LabelledRow> featureImports() { return featureRowsOf; }

} // namespace nestwright::graph::onnx
