// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/ml/class_scores.h"

#include "core/frontend/onnx/codes.h"
#include "core/ir/build/builder.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <format>

namespace nestwright::graph::onnx {

namespace {

/// The inverse of the error function by S. Winitzki, "A handy approximation for the error function and its
/// inverse" (2008), with a = 0.147; the numbers are those of ONNX Runtime.
Value inverseError(NodeImport &node, Value x)
{
    const auto number = [&](double value) { return node.scalarLike(value, x); };
    const Value one = number(1);
    const Value log = node.call(
        "log", {node.call("multiply", {node.call("subtract", {one, x}), node.call("add", {one, x})})});
    const Value v =
        node.call("add", {number(2 / (3.14159F * 0.147F)), node.call("multiply", {number(0.5), log})});
    const Value square = node.call(
        "subtract", {node.call("multiply", {v, v}), node.call("multiply", {number(1 / 0.147F), log})});
    const Value root = node.call("sqrt", {node.call("subtract", {node.call("sqrt", {square}), v})});
    const Value isBelow = node.call("less", {x, number(0)});
    return node.call("where", {isBelow, node.call("negative", {root}), root});
}

Value probit(NodeImport &node, Value x)
{
    const Value centred =
        node.call("subtract", {node.call("multiply", {node.scalarLike(2, x), x}), node.scalarLike(1, x)});
    return node.call("multiply", {node.scalarLike(1.41421356F, x), inverseError(node, centred)});
}

/// Softmax that leaves out scores of 0.
Value softmaxOfOthers(NodeImport &node, Value x)
{
    const ops::Attributes alongRow{{"axes", Ints{1}}, {"keepdims", true}};
    const Value largest = node.call("max", {x}, alongRow);
    const Value counts = node.call("greater", {node.call("abs", {x}), node.scalarLike(0.0000001F, x)});
    const Value power = node.call("exp", {node.call("subtract", {x, largest})});
    const Value rest = node.call("multiply", {x, node.call("exp", {node.call("negative", {largest})})});
    const Value sum =
        node.call("sum", {node.call("where", {counts, power, node.scalarLike(0, x)})}, alongRow);
    return node.call("divide", {node.call("where", {counts, power, rest}), sum});
}

} // namespace

Value featureRows(NodeImport &node, const ImportedValues &inputs, ir::DataType type)
{
    requireNumbers(node, inputs);
    Value x = node.cast(node.input(), type);
    if (node.rank() == 1)
        x = node.reshape(x, {1, -1});
    if (node.typeOf(x).rank() != 2)
        node.unsupported(
            std::format("its input must be rows of features, but has {} dimensions", node.rank()));
    return x;
}

std::int64_t featuresOf(const NodeImport &node, Value x)
{
    const ops::Shape &shape = node.typeOf(x).shape;
    const std::int64_t *features = shape.empty() ? nullptr : ir::asInt(shape.back());
    if (!features)
        throw support::UserError(support::diagnostic(
            codes::valueNeeded,
            std::format("the number of features must be known, but its input is {}", node.typeOf(x).str())));
    return *features;
}

Value constantOf(NodeImport &node, const std::vector<double> &numbers, Ints shape, ir::DataType type)
{
    ir::NdArray array(type, std::move(shape));
    if (array.size() != std::ssize(numbers))
        node.unsupported(
            std::format("an attribute has {} numbers where {} are expected", numbers.size(), array.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        array.set(static_cast<std::int64_t>(i), numbers[i]);
    return node.constant(std::move(array));
}

void requireTable(const NodeImport &node, std::int64_t rows, std::int64_t columns)
{
    constexpr std::int64_t mostElements = 1 << 27;
    if (rows < 0 || columns < 0 || (columns > 0 && rows > mostElements / columns))
        node.unsupported(std::format("a table of {} by {} numbers would be made", rows, columns));
}

ClassLabels classLabels(const NodeImport &node, std::string_view numbers, std::string_view texts)
{
    ClassLabels labels{node.integers(numbers), node.texts(texts)};
    if (labels.count() == 0)
        node.unsupported(std::format("it needs \"{}\" or \"{}\"", numbers, texts));
    return labels;
}

ImportedValue labelsAt(NodeImport &node, const ClassLabels &labels, Value places)
{
    if (labels.isText())
        return {.values = {node.cast(places, ir::DataType::int64())}, .texts = textTable(labels.texts)};
    return {.values = {node.call("take", {node.constant(integerArray(labels.numbers)), places},
                                 {{"axis", std::int64_t{0}}})}};
}

Value placeOfTwo(NodeImport &node, Value isSecond) { return node.cast(isSecond, ir::DataType::int64()); }

Value largestPlace(NodeImport &node, Value scores)
{
    return node.call("argmax", {scores}, {{"axis", std::int64_t{1}}, {"keepdims", false}});
}

std::string scoreTransform(const NodeImport &node)
{
    std::string name = node.text("post_transform", "NONE");
    constexpr std::string_view known[] = {"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"};
    if (!std::ranges::contains(known, name))
        node.unsupported(std::format("there is no post_transform \"{}\"", name));
    return name;
}

Value transformed(NodeImport &node, Value scores, const std::string &transform)
{
    if (transform == "LOGISTIC")
        return node.call("sigmoid", {scores});
    if (transform == "SOFTMAX")
        return node.call("nn.softmax", {scores}, {{"axis", std::int64_t{1}}});
    if (transform == "SOFTMAX_ZERO")
        return softmaxOfOthers(node, scores);
    return transform == "PROBIT" ? probit(node, scores) : scores;
}

Value transformedColumn(NodeImport &node, Value score, const std::string &transform)
{
    return transform == "PROBIT" ? probit(node, score) : score;
}

Value bothScores(NodeImport &node, Value score, SecondScore form, const std::string &transform)
{
    if (transform == "PROBIT")
        node.unsupported("PROBIT of the one score of two classes is not defined");
    const Value opposite = node.call("negative", {score});
    if (transform == "LOGISTIC")
        return node.concatenate({node.call("sigmoid", {opposite}), node.call("sigmoid", {score})}, 1);
    switch (form) {
    case SecondScore::Complement:
        return node.concatenate({node.call("subtract", {node.scalarLike(1, score), score}), score}, 1);
    case SecondScore::Opposite: return node.concatenate({opposite, score}, 1);
    case SecondScore::Mirrored: return node.concatenate({score, opposite}, 1);
    }
    std::unreachable();
}

} // namespace nestwright::graph::onnx
