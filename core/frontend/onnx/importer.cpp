// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/importer.h"

#include "core/frontend/onnx/codes.h"
#include "core/frontend/onnx/late/late_node.h"
#include "core/frontend/onnx/ml/labelled_import.h"
#include "core/frontend/onnx/model_import.h"
#include "core/frontend/onnx/narrow_use.h"
#include "core/frontend/onnx/refused.h"
#include "core/ir/build/builder.h"
#include "core/ops/quantized/narrow_data.h"
#include "core/ops/table/codes.h"
#include "core/ops/table/shapes.h"
#include "core/support/errors/errors.h"
#include "core/support/errors/limits.h"
#include "core/support/errors/stop.h"

#include <algorithm>
#include <format>
#include <unordered_map>

namespace nestwright::graph::onnx {

using support::diagnostic;
using support::fail;
using support::Result;
using support::UserError;

namespace {

constexpr std::string_view mlDomain = "ai.onnx.ml";

/// Importers by OnnxNode::key.
const std::unordered_map<std::string, const ImportRow *> &importTable()
{
    static const auto table = [] {
        std::unordered_map<std::string, const ImportRow *> rows;
        for (const auto family :
             {elementwiseImports(), shapeImports(), constantImports(), indexImports(), reductionImports(),
              contractionImports(), windowImports(), normalizationImports(), resizeImports(),
              quantizationImports(), imageImports(), recurrentImports(), signalImports(), selectionImports(),
              einsumImports(), attentionImports()}) {
            for (const ImportRow &row : family)
                rows.emplace(std::format(":{}", row.op), &row);
        }
        for (const auto family : {microsoftImports(), microsoftAttentionImports(), microsoftIntegerImports(),
                                  microsoftQuantizedImports()}) {
            for (const ImportRow &row : family)
                rows.emplace(std::format("com.microsoft:{}", row.op), &row);
        }
        return rows;
    }();
    return table;
}

/// Operators of the domain ai.onnx.ml by name.
const std::map<std::string_view, const LabelledRow *> &labelledTable()
{
    static const auto table = [] {
        std::map<std::string_view, const LabelledRow *> rows;
        for (const auto family : {featureImports(), labelImports(), linearModelImports(),
                                  vectorMachineImports(), treeImports()}) {
            for (const LabelledRow &row : family)
                rows.emplace(row.op, &row);
        }
        return rows;
    }();
    return table;
}

const LabelledRow *labelledRow(const OnnxNode &node)
{
    const auto found = node.domain == mlDomain ? labelledTable().find(node.op) : labelledTable().end();
    return found == labelledTable().end() ? nullptr : found->second;
}

const SequenceRow *sequenceRow(std::string_view op)
{
    const auto found = std::ranges::find(sequenceImports(), op, &SequenceRow::op);
    return found == sequenceImports().end() ? nullptr : &*found;
}

/// Throws where the node would compute with elements of a narrow type, or join two types.
void checkNarrow(const NodeImport &node)
{
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        const ir::DataType type = node.has(i) ? node.elementType(i) : ir::DataType();
        if (!type.isNarrow())
            continue;
        const NarrowUse use = narrowUse(node.node().op);
        if (use == NarrowUse::None)
            node.refuse(std::format("elements of {} are only moved and converted", type.str()));
        if (use == NarrowUse::Moved && type != node.elementType(0))
            node.unsupported(std::format("its inputs are of different types: {}, {}",
                                         node.elementType(0).str(), type.str()));
    }
}

bool isTensor(const ImportedValue &value) { return !value.isSequence && !value.isMissing; }

/// Operators on sequences that look at no tensor.
bool movesOnly(std::string_view op) { return op != "ConcatFromSequence" && op != "SplitToSequence"; }

/// The results of an operator that takes or gives text; nothing for another. `row` imports it for numbers,
/// or is null.
std::optional<ImportedValues> importLabelled(NodeImport &node, const LabelledRow *labelled,
                                             const ImportRow *row, const ImportedValues &inputs)
{
    return labelled ? labelled->import(node, inputs) : importText(node, row, inputs);
}

/// Whether the values of an input, which are known only when the model runs, say how many elements there are.
bool countsByValue(NodeImport &node)
{
    const std::string &op = node.node().op;
    const auto isOpen = [&](std::size_t i) { return node.has(i) && !node.builder().isKnown(node.input(i)); };
    return (op == "NonZero" && isOpen(0)) || (op == "Compress" && isOpen(1))
           || (op == "NonMaxSuppression" && (isOpen(0) || isOpen(1)));
}

} // namespace

Imported ModelImport::run()
{
    for (const OnnxValue &input : m_model.inputs)
        addInput(input);
    for (const OnnxValue &input : m_model.defaulted) {
        if (m_options.data.contains(input.name))
            addInput(input);
    }
    for (const OnnxNode *node : inOrder(m_model.nodes)) {
        support::checkStop();
        addNode(*node);
    }
    Values outputs;
    std::vector<std::string> names;
    SequenceOutputs sequences;
    LabelTable labels;
    for (const OnnxValue &output : m_model.outputs) {
        const ImportedValue value = importedValueOf(output.name, "the model's outputs");
        if (output.name.empty() || (value.values.empty() && !value.isSequence && !value.isMissing))
            throw UserError(diagnostic("onnx.value", "an output of the model has no name"));
        if (value.isSequence || value.isMissing)
            sequences[output.name].isMissing = value.isMissing;
        for (std::size_t i = 0; i < value.values.size(); ++i) {
            const std::string name = value.isSequence ? elementName(output.name, i) : output.name;
            outputs.push_back(value.values[i]);
            names.push_back(name);
            noteNarrow(m_narrowResults, name, value.narrow);
            if (value.texts || value.columns)
                labels[name] = {value.texts, value.columns};
            if (value.isSequence)
                sequences[output.name].tensors.push_back(name);
        }
    }
    if (m_model.outputs.empty())
        throw UserError(diagnostic("onnx.value", "the model has no outputs"));
    for (const auto &[tensor, name] : m_tensors)
        m_builder.nameTensor(tensor, name);
    std::vector<LateOutput> late = addLateSizes(outputs, names);
    Function flat = m_builder.function();
    flat.outputs = std::move(outputs);
    flat.outputNames = std::move(names);
    return {withCalls(flat, m_imported), m_builder.fixedInputs(), symbolicSizes(), std::move(m_narrowInputs),
            std::move(m_narrowResults),  std::move(sequences),    std::move(late), std::move(labels)};
}

/// Makes sizes of outputs that are known late outputs, too.
std::vector<LateOutput> ModelImport::addLateSizes(Values &outputs, std::vector<std::string> &names) const
{
    std::vector<LateOutput> late;
    const std::size_t own = outputs.size();
    for (std::size_t i = 0; i < own; ++i) {
        for (const auto &[axis, size] : m_late.of(outputs[i])) {
            const auto known = std::ranges::find(outputs, size);
            if (known == outputs.end()) {
                std::string name = std::format("{}.size{}", names[i], axis);
                while (std::ranges::contains(names, name))
                    name += '_';
                outputs.push_back(size);
                names.push_back(name);
                late.push_back({names[i], static_cast<std::size_t>(axis), name});
                continue;
            }
            late.push_back({names[i], static_cast<std::size_t>(axis),
                            names[static_cast<std::size_t>(known - outputs.begin())]});
        }
    }
    return late;
}

void ModelImport::define(const std::string &name, ImportedValue named)
{
    if (const Value tensor = named.tensor())
        m_tensors.emplace_back(tensor, name);
    if (const auto known = m_values.find(name); known != m_values.end()) {
        if (!m_hidden || std::ranges::contains(m_defined, name))
            throw UserError(diagnostic("onnx.value", std::format("the value \"{}\" is defined twice", name)));
        m_hidden->emplace_back(name, std::move(known->second));
        known->second = std::move(named);
    } else {
        m_values.emplace(name, std::move(named));
    }
    m_defined.push_back(name);
}

ImportedValue ModelImport::importedValueOf(const std::string &name, const std::string &reader)
{
    if (name.empty())
        return {};
    if (const auto found = m_values.find(name); found != m_values.end())
        return found->second;
    const auto weight = m_model.initializers.find(name);
    if (weight != m_model.initializers.end() && m_calls.empty()) {
        const auto &[data, narrow, texts] = weight->second;
        return m_values
            .emplace(
                name,
                ImportedValue{.values = {m_builder.constant(data, name)}, .narrow = narrow, .texts = texts})
            .first->second;
    }
    throw UserError(
        diagnostic("onnx.value",
                   std::format("{}: nothing gives the value \"{}\", or it depends on itself", reader, name)));
}

Value ModelImport::valueOf(const std::string &name, const std::string &reader)
{
    const ImportedValue named = importedValueOf(name, reader);
    if (named.isSequence)
        throw UserError(diagnostic(
            "onnx.type",
            std::format("{}: \"{}\" is a sequence of tensors, but a tensor is expected", reader, name)));
    return named.tensor();
}

std::vector<ImportedValue> ModelImport::inputsOf(const OnnxNode &node)
{
    std::vector<ImportedValue> inputs;
    for (const std::string &input : node.inputs)
        inputs.push_back(importedValueOf(input, node.str()));
    return inputs;
}

void ModelImport::addNode(const OnnxNode &node)
{
    const std::string key = node.key();
    if (const auto function = m_model.functions.find(key); function != m_model.functions.end())
        addCall(node, function->second);
    else if (key == ":If")
        addBranches(node);
    else if (key == ":Loop")
        addLoop(node);
    else if (key == ":Scan")
        addScan(node);
    else if (key == ":SequenceMap")
        addSequenceMap(node);
    else if (key == "ai.onnx.preview:FlexAttention")
        addFlexAttention(node);
    else
        addOperator(node);
}

void ModelImport::addOperator(const OnnxNode &node)
{
    const auto found = importTable().find(node.key());
    const std::vector<ImportedValue> inputs = inputsOf(node);
    const LabelledRow *labelled = labelledRow(node);
    const SequenceRow *onSequences = nullptr;
    if (found == importTable().end() || !std::ranges::all_of(inputs, &isTensor))
        onSequences = node.domain.empty() ? sequenceRow(node.op) : nullptr;
    if (found == importTable().end() && !onSequences && !labelled)
        throw UserError(refusal(node, m_opset));
    Values tensors;
    std::vector<ir::DataType> narrow;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        tensors.push_back(onSequences ? inputs[i].tensor() : valueOf(node.inputs[i], node.str()));
        narrow.push_back(inputs[i].narrow);
    }
    if (onSequences && !movesOnly(node.op)) {
        for (const ImportedValue &input : inputs)
            requireKnownSizes(node, input.values);
    }
    NodeImport import(m_builder, node, m_opset, tensors, std::move(narrow));
    std::vector<ImportedValue> results;
    bool isOnText = false;
    try {
        checkNarrow(import);
        import.forgetInputs();
        if (auto onText = importLabelled(import, labelled,
                                         found == importTable().end() ? nullptr : found->second, inputs)) {
            isOnText = true;
            results = std::move(*onText);
        } else if (onSequences) {
            results.push_back(onSequences->import(import, inputs));
        } else {
            const bool isLate = m_late.concern(tensors) || countsByValue(import);
            const Values values =
                isLate ? importLate(import, *found->second, m_late) : found->second->import(import);
            import.refuseUnaskedInputs();
            m_late.noteInterval(import, values);
            const bool isMoved = narrowUse(node.op) == NarrowUse::Moved;
            const ir::DataType type = isMoved ? import.elementType() : import.resultType();
            for (const Value result : values)
                results.push_back({{result}, false, type.isNarrow() ? type : ir::DataType()});
        }
        import.refuseUnaskedAttributes();
    } catch (const UserError &error) {
        support::Diagnostic told = error.diagnostic();
        told.message = std::format("{}: {}", node.str(), told.message);
        throw UserError(std::move(told));
    }
    if (isOnText)
        requireKnownSizes(node, tensors);
    noteNarrow(m_narrowResults, node.label(), results.empty() ? ir::DataType() : results[0].narrow);
    defineOutputs(node, results);
}

void ModelImport::requireKnownSizes(const OnnxNode &node, const Values &tensors) const
{
    if (m_late.concern(tensors))
        throw UserError(diagnostic("onnx.unsupported",
                                   std::format("{}: an input has a size that is known only when the model "
                                               "runs, for which this operator is not supported",
                                               node.str())));
}

void ModelImport::defineOutputs(const OnnxNode &node, const std::vector<ImportedValue> &results)
{
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i].empty())
            continue;
        if (i >= results.size() || (isTensor(results[i]) && !results[i].tensor()))
            throw UserError(diagnostic("onnx.unsupported",
                                       std::format("{}: its result {} is not supported", node.str(), i)));
        define(node.outputs[i], results[i]);
    }
}

std::vector<std::string> ModelImport::symbolicSizes() const
{
    std::vector<std::string> names;
    for (const auto &[name, var] : m_symbols)
        names.push_back(name);
    return names;
}

Result<Imported> importModel(const OnnxModel &model, const ImportOptions &options)
{
    ModelImport import(model, options);
    try {
        return import.run();
    } catch (const UserError &error) {
        support::Diagnostic told = error.diagnostic();
        const std::vector<std::string> open = import.symbolicSizes();
        if (!open.empty() && (told.code == codes::valueNeeded || told.code == ops::codes::type)) {
            std::string names, flags;
            for (const std::string &name : open) {
                names += std::format("{}\"{}\"", names.empty() ? "" : ", ", name);
                flags += std::format(" --size \"{}=…\"", name);
            }
            return fail(std::move(told).withHint(
                std::format("fix the sizes that the model leaves open: {} (nestc:{})", names, flags)));
        }
        return fail(std::move(told));
    }
}

std::vector<OperatorName> importedOperators()
{
    std::vector<OperatorName> names{
        {"", "If"}, {"", "Loop"}, {"", "Scan"}, {"", "SequenceMap"}, {"ai.onnx.preview", "FlexAttention"}};
    for (const auto &[key, row] : importTable())
        names.emplace_back(key.substr(0, key.find(':')), std::string(row->op));
    for (const SequenceRow &row : sequenceImports())
        names.emplace_back("", std::string(row.op));
    for (const auto &[op, row] : labelledTable())
        names.emplace_back(std::string(mlDomain), std::string(op));
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

std::string readVersions(std::string_view domain)
{
    if (domain.empty())
        return std::format("{} to {}", oldestOpset, newestOpset);
    return domain == mlDomain ? "1 to 5" : "1";
}

} // namespace nestwright::graph::onnx
