// SPDX-License-Identifier: Apache-2.0
/// ONNX's own operators on text: those that move elements, comparison, and conversion from text.
#include "core/frontend/onnx/ml/labelled_import.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <unordered_set>

namespace nestwright::graph::onnx {

namespace {

constexpr std::int64_t stringType = 8; // TensorProto.STRING

[[noreturn]] void refuseText(std::string what)
{
    throw support::UserError(
        support::diagnostic("onnx.text", std::move(what))
            .withHint("export the model from where numbers go in, and look up text before it"));
}

/// Operators that only move elements, with text among all inputs, or the first alone; the others are numbers.
bool movesAll(std::string_view op) { return op == "Concat" || op == "Where"; }
bool movesFirst(std::string_view op)
{
    constexpr std::string_view moving[] = {"Compress", "Expand",   "Flatten",   "Gather",   "GatherElements",
                                           "GatherND", "Identity", "Reshape",   "Slice",    "Split",
                                           "Squeeze",  "Tile",     "Transpose", "Unsqueeze"};
    return std::ranges::contains(moving, op);
}

/// The places of a tensor's text in another table that holds all of its own.
Value placesIn(NodeImport &node, const ImportedValue &value, const std::vector<std::string> &table)
{
    if (*value.texts == table)
        return value.tensor();
    const auto known = placesOfTexts(table);
    Ints places;
    for (const std::string &text : *value.texts)
        places.push_back(known.at(text));
    return node.call("take", {node.constant(integerArray(places)), value.tensor()},
                     {{"axis", std::int64_t{0}}});
}

Texts commonTable(std::span<const ImportedValue *const> values)
{
    std::vector<std::string> table;
    std::unordered_set<std::string_view> known;
    for (const ImportedValue *value : values) {
        for (const std::string &text : *value->texts) {
            if (known.insert(text).second)
                table.push_back(text);
        }
    }
    return textTable(std::move(table));
}

/// Inputs from `first` on are brought to one table.
ImportedValues moved(NodeImport &node, const ImportRow &row, const ImportedValues &inputs, std::size_t first,
                     std::size_t count)
{
    std::vector<const ImportedValue *> texts;
    for (std::size_t i = first; i < first + count; ++i) {
        if (!inputs[i].texts)
            refuseText(
                std::format("text and numbers do not go together: \"{}\" is no text", node.node().inputs[i]));
        texts.push_back(&inputs[i]);
    }
    const Texts table = commonTable(texts);
    Values places;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool isText = i >= first && i < first + count;
        if (!isText && inputs[i].texts)
            refuseText(std::format("\"{}\" must hold numbers, but is text", node.node().inputs[i]));
        places.push_back(isText ? placesIn(node, inputs[i], *table) : inputs[i].tensor());
    }
    NodeImport onPlaces = node.withInputs(std::move(places));
    ImportedValues results;
    for (const Value result : row.import(onPlaces))
        results.push_back({.values = {result}, .texts = table});
    return results;
}

/// Numbers that text stands for.
ImportedValues converted(NodeImport &node, const ImportedValue &input)
{
    const std::int64_t to = node.integer("to", 0);
    (void)node.integer("saturate", 1); // of narrow types; text is not converted to these
    if (to == stringType)
        return {input};
    const auto type = elementTypeOf(to);
    if (!type || declaredTypeOf(to)->isNarrow())
        refuseText(std::format("text is not converted to the type with number {}", to));
    ir::NdArray numbers(*type, {std::ssize(*input.texts)});
    for (std::size_t i = 0; i < input.texts->size(); ++i) {
        const std::string &text = (*input.texts)[i];
        double number = 0;
        const char *begin = text.data() + (text.starts_with('+') ? 1 : 0), *end = text.data() + text.size();
        const auto read = std::from_chars(begin, end, number);
        if (read.ec != std::errc() || read.ptr != end)
            refuseText(std::format("\"{}\" is no number", text));
        numbers.set(static_cast<std::int64_t>(i), number);
    }
    return {{.values = {node.call("take", {node.constant(std::move(numbers)), input.tensor()},
                                  {{"axis", std::int64_t{0}}})}}};
}

ImportedValues equal(NodeImport &node, const ImportedValues &inputs)
{
    if (inputs.size() != 2 || !inputs[0].texts || !inputs[1].texts)
        refuseText("text is compared with numbers");
    const ImportedValue *const both[] = {&inputs[0], &inputs[1]};
    const Texts table = commonTable(both);
    return {{.values = {node.call("equal",
                                  {placesIn(node, inputs[0], *table), placesIn(node, inputs[1], *table)})}}};
}

/// A constant of text; nothing where it is one of numbers.
std::optional<ImportedValues> textConstant(NodeImport &node)
{
    if (node.hasAttribute("value")) {
        const auto value = node.node().attributes.find("value");
        const auto *tensor = std::get_if<OnnxTensor>(&value->second);
        if (!tensor || !tensor->texts)
            return std::nullopt;
        return ImportedValues{{.values = {node.builder().constant(tensor->data)}, .texts = tensor->texts}};
    }
    const bool isOne = node.hasAttribute("value_string");
    if (!isOne && !node.hasAttribute("value_strings"))
        return std::nullopt;
    std::vector<std::string> texts =
        isOne ? std::vector{node.text("value_string", "")} : node.texts("value_strings");
    const auto known = placesOfTexts(texts);
    Ints places;
    for (const std::string &text : texts)
        places.push_back(known.at(text));
    const Ints shape = isOne ? Ints() : Ints{std::ssize(texts)};
    return ImportedValues{
        {.values = {node.constant(integerArray(places, shape))}, .texts = textTable(std::move(texts))}};
}

} // namespace

std::unordered_map<std::string_view, std::int64_t> placesOfTexts(const std::vector<std::string> &texts)
{
    std::unordered_map<std::string_view, std::int64_t> places;
    for (std::size_t i = 0; i < texts.size(); ++i)
        places.emplace(texts[i], static_cast<std::int64_t>(i));
    return places;
}

Texts textTable(std::vector<std::string> texts)
{
    return std::make_shared<const std::vector<std::string>>(std::move(texts));
}

void requireNumbers(const NodeImport &node, const ImportedValues &inputs, std::size_t i)
{
    if (i < inputs.size() && inputs[i].texts)
        refuseText(std::format("\"{}\" must hold numbers, but is text", node.node().inputs[i]));
}

std::optional<ImportedValues> importText(NodeImport &node, const ImportRow *row, const ImportedValues &inputs)
{
    const std::string &op = node.node().op;
    if (op == "Constant")
        return textConstant(node);
    if (std::ranges::none_of(inputs, [](const ImportedValue &input) { return input.texts != nullptr; }))
        return std::nullopt;
    if (op == "Equal")
        return equal(node, inputs);
    if (op == "Cast" && inputs[0].texts)
        return converted(node, inputs[0]);
    if (op == "Shape" || op == "Size")
        return std::nullopt;
    if (row && (movesAll(op) || movesFirst(op))) {
        const std::size_t first = op == "Where" ? 1 : 0;
        return moved(node, *row, inputs, first, movesAll(op) ? inputs.size() - first : 1);
    }
    refuseText("it would compute with text, which is not supported");
}

} // namespace nestwright::graph::onnx
