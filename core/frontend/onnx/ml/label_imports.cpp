// SPDX-License-Identifier: Apache-2.0
/// Operators of the domain ai.onnx.ml that look up labels.
#include "core/frontend/onnx/ml/class_scores.h"
#include "core/ir/exact_integers.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <set>

namespace nestwright::graph::onnx {

namespace {

/// Keys, or what they stand for: text, or numbers.
struct Column {
    std::vector<std::string> texts{};
    std::optional<ir::NdArray> numbers{};

    std::int64_t size() const { return numbers ? numbers->size() : std::ssize(texts); }
};

ir::NdArray floatArray(const std::vector<double> &values)
{
    ir::NdArray array(ir::DataType::float32(), {std::ssize(values)});
    for (std::size_t i = 0; i < values.size(); ++i)
        array.set(static_cast<std::int64_t>(i), values[i]);
    return array;
}

Column textColumn(const OnnxTensor &tensor)
{
    Column column;
    for (std::int64_t i = 0; i < tensor.data->size(); ++i)
        column.texts.push_back((*tensor.texts)[static_cast<std::size_t>(ir::integerAt(*tensor.data, i))]);
    return column;
}

/// The column in the attributes PREFIX_strings, _int64s, _floats or _tensor.
Column columnOf(const NodeImport &node, const std::string &prefix)
{
    if (node.hasAttribute(prefix + "_tensor")) {
        const auto *tensor = std::get_if<OnnxTensor>(&node.node().attributes.at(prefix + "_tensor"));
        if (!tensor)
            node.unsupported(std::format("{}_tensor is of a type that is not supported", prefix));
        if (tensor->texts)
            return textColumn(*tensor);
        return {{}, node.tensor(prefix + "_tensor").data->reshaped({tensor->data->size()})};
    }
    if (node.hasAttribute(prefix + "_strings"))
        return {node.texts(prefix + "_strings"), {}};
    if (node.hasAttribute(prefix + "_int64s"))
        return {{}, integerArray(node.integers(prefix + "_int64s"))};
    if (node.hasAttribute(prefix + "_floats"))
        return {{}, floatArray(node.reals(prefix + "_floats"))};
    node.unsupported(std::format("it has no {}", prefix));
}

/// For each element the place of the first key that equals it, from 1 on, or 0; a number that is none equals
/// itself.
Value placeAmong(NodeImport &node, const ImportedValue &input, const Column &keys)
{
    if (input.texts) {
        const auto known = placesOfTexts(keys.texts);
        Ints places;
        for (const std::string &text : *input.texts) {
            const auto found = known.find(text);
            places.push_back(found == known.end() ? 0 : found->second + 1);
        }
        return node.call("take", {node.constant(integerArray(places)), input.tensor()},
                         {{"axis", std::int64_t{0}}});
    }
    const ir::NdArray &numbers = *keys.numbers;
    Ints places, kept;
    std::set<std::int64_t> wholes;
    std::set<double> reals;
    std::int64_t placeOfNone = 0;
    for (std::int64_t i = 0; i < numbers.size(); ++i) {
        const bool isWhole = numbers.dtype().isIntegral();
        if (!isWhole && std::isnan(numbers.at(i))) {
            placeOfNone = placeOfNone == 0 ? i + 1 : placeOfNone;
        } else if (isWhole ? wholes.insert(ir::integerAt(numbers, i)).second
                           : reals.insert(numbers.at(i)).second) {
            kept.push_back(i);
            places.push_back(i + 1);
        }
    }
    const Value x = node.cast(input.tensor(), numbers.dtype());
    Ints shape(static_cast<std::size_t>(node.typeOf(x).rank()), 0); // 0: as before
    shape.push_back(1);
    const Value zero = node.constant(integerArray({0}, {}));
    Value place;
    if (!kept.empty()) {
        const Value known = node.call("take", {node.constant(numbers), node.constant(integerArray(kept))},
                                      {{"axis", std::int64_t{0}}});
        const Value isKey = node.call("equal", {node.reshape(x, shape), known});
        place = node.call("max", {node.call("where", {isKey, node.constant(integerArray(places)), zero})},
                          {{"axes", Ints{std::ssize(shape) - 1}}, {"keepdims", false}});
    }
    if (placeOfNone == 0 && place)
        return place;
    const Value none = node.call("isnan", {x});
    return node.call("where", {none, node.constant(integerArray({placeOfNone}, {})), place ? place : zero});
}

/// Elements of the column at those places, from 1 on, or the text or number at 0.
ImportedValue valueAt(NodeImport &node, const Column &values, const Column &otherwise, Value places)
{
    if (!values.numbers) {
        std::vector<std::string> table{otherwise.texts.at(0)};
        table.insert(table.end(), values.texts.begin(), values.texts.end());
        return {.values = {places}, .texts = textTable(std::move(table))};
    }
    const Value numbers =
        node.concatenate({node.cast(node.constant(*otherwise.numbers), values.numbers->dtype()),
                          node.constant(*values.numbers)},
                         0);
    return {.values = {node.call("take", {numbers, places}, {{"axis", std::int64_t{0}}})}};
}

/// The value for elements without key.
Column otherwiseOf(const NodeImport &node, const Column &values)
{
    // Exporters write all of them, whatever the values are.
    const std::string text = node.text("default_string", "_Unused");
    const double real = node.real("default_float", -0.0);
    const std::int64_t whole = node.integer("default_int64", -1);
    if (node.hasAttribute("default_tensor")) {
        Column given = columnOf(node, "default");
        if (given.size() != 1 || given.numbers.has_value() != values.numbers.has_value())
            node.unsupported("default_tensor must be one value, of the type of the others");
        return given;
    }
    if (!values.numbers)
        return {{text}, {}};
    if (values.numbers->dtype().isFloating())
        return {{}, floatArray({real})};
    return {{}, integerArray({whole})};
}

ImportedValue looked(NodeImport &node, const ImportedValue &input, const Column &keys, const Column &values)
{
    if (keys.size() != values.size())
        node.unsupported(std::format("it has {} keys, but {} values", keys.size(), values.size()));
    if (keys.numbers.has_value() == (input.texts != nullptr))
        node.unsupported(input.texts ? "its input is text, but its keys are numbers"
                                     : "its keys are text, but its input are numbers");
    return valueAt(node, values, otherwiseOf(node, values), placeAmong(node, input, keys));
}

/// 0, 1, 2, …
Column counted(std::int64_t count)
{
    Ints numbers;
    for (std::int64_t i = 0; i < count; ++i)
        numbers.push_back(i);
    return {{}, integerArray(numbers)};
}

ImportedValues labelEncoder(NodeImport &node, const ImportedValues &inputs)
{
    const ImportedValue &input = inputs.at(0);
    if (!node.hasAttribute("classes_strings"))
        return {looked(node, input, columnOf(node, "keys"), columnOf(node, "values"))};
    const Column classes{node.texts("classes_strings"), {}}, places = counted(classes.size());
    return {input.texts ? looked(node, input, classes, places) : looked(node, input, places, classes)};
}

ImportedValues categoryMapper(NodeImport &node, const ImportedValues &inputs)
{
    const ImportedValue &input = inputs.at(0);
    const Column texts{node.texts("cats_strings"), {}},
        numbers{{}, integerArray(node.integers("cats_int64s"))};
    return {input.texts ? looked(node, input, texts, numbers) : looked(node, input, numbers, texts)};
}

/// A map from labels to numbers for each row: the numbers, with the labels beside them.
ImportedValues zipMap(NodeImport &node, const ImportedValues &inputs)
{
    requireNumbers(node, inputs);
    const ClassLabels labels = classLabels(node, "classlabels_int64s", "classlabels_strings");
    Value x = node.input();
    if (node.rank() == 1)
        x = node.reshape(x, {1, -1});
    if (node.typeOf(x).rank() != 2 || featuresOf(node, x) != static_cast<std::int64_t>(labels.count()))
        node.unsupported(std::format("its input must be rows of {} numbers", labels.count()));
    std::vector<std::string> names = labels.texts;
    for (const std::int64_t number : labels.numbers)
        names.push_back(std::to_string(number));
    return {{.values = {x}, .columns = textTable(std::move(names))}};
}

constexpr LabelledRow labelRows[] = {
    {"CategoryMapper", &categoryMapper},
    {"LabelEncoder", &labelEncoder},
    {"ZipMap", &zipMap},
};

} // namespace

std::span<const LabelledRow> labelImports() { return labelRows; }

} // namespace nestwright::graph::onnx
