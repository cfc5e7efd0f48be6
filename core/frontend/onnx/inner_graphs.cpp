// SPDX-License-Identifier: Apache-2.0
/// Nodes that hold graphs of their own, and calls of the model's functions. Where it is not known which
/// branch is taken, the graph computes both.
#include "core/frontend/onnx/late/late_node.h"
#include "core/frontend/onnx/model_import.h"
#include "core/frontend/onnx/node_fault.h"
#include "core/frontend/onnx/refused.h"
#include "core/ir/exact_integers.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <limits>

namespace nestwright::graph::onnx {

using support::diagnostic;
using support::UserError;

namespace {

constexpr std::size_t mostRepeatedNodes = 100'000, deepestCall = 500;

using Attributes = std::map<std::string, Attribute, std::less<>>;

/// A node of a function as it is where the function is called with these attributes. Adds to `copied` one for
/// it and each node within it.
OnnxNode bound(const OnnxNode &node, const Attributes &given, std::size_t &copied)
{
    OnnxNode result;
    result.op = node.op;
    result.domain = node.domain;
    result.name = node.name;
    result.overload = node.overload;
    result.inputs = node.inputs;
    result.outputs = node.outputs;
    ++copied;
    for (const auto &[name, value] : node.attributes) {
        if (const auto *reference = std::get_if<AttributeReference>(&value)) {
            if (const auto found = given.find(reference->name); found != given.end())
                result.attributes.emplace(name, found->second);
        } else if (const auto *graph = std::get_if<std::shared_ptr<const OnnxGraph>>(&value)) {
            auto branch = std::make_shared<OnnxGraph>(**graph);
            for (OnnxNode &inner : branch->nodes)
                inner = bound(inner, given, copied);
            result.attributes.emplace(name, std::shared_ptr<const OnnxGraph>(std::move(branch)));
        } else {
            result.attributes.emplace(name, value);
        }
    }
    return result;
}

/// Adds the tensors that `named` stands for, and sizes of them that are known late; those of a sequence get
/// numbers.
void tell(const std::string &name, const ImportedValue &named, const LateSizes &late, Values &values,
          std::vector<std::string> &names)
{
    for (std::size_t i = 0; i < named.values.size(); ++i) {
        values.push_back(named.values[i]);
        names.push_back(named.isSequence ? std::format("{}_{}", name, i) : name);
        for (const auto &[axis, size] : late.of(named.values[i])) {
            values.push_back(size);
            names.push_back(std::format("{}.size{}", name, axis));
        }
    }
}

} // namespace

void ModelImport::countNodes(const OnnxNode &node, std::size_t more, std::int64_t times)
{
    if (more == 0 || times <= 0)
        return;
    const auto rest = static_cast<std::int64_t>((mostRepeatedNodes - m_repeatedNodes) / more);
    m_repeatedNodes += more * static_cast<std::size_t>(std::min(times, rest));
    if (times > rest)
        wrong("onnx.function", node,
              std::format("functions and loops give more than {} nodes", mostRepeatedNodes));
}

const OnnxGraph &ModelImport::graphOf(const OnnxNode &node, const char *name) const
{
    const auto found = node.attributes.find(name);
    const auto *graph = found == node.attributes.end()
                            ? nullptr
                            : std::get_if<std::shared_ptr<const OnnxGraph>>(&found->second);
    if (!graph)
        wrong("onnx.attribute", node, std::format("it has no graph \"{}\"", name));
    return **graph;
}

/// The results of the graph for these inputs. Its nodes see the names around it; names that they define stay
/// inside, and hide those around it. `within`: put before the nodes' names; may be empty.
std::vector<ImportedValue> ModelImport::resultsOf(const OnnxNode &node, const OnnxGraph &graph,
                                                  const std::vector<ImportedValue> &inputs,
                                                  const std::string &within)
{
    if (inputs.size() != graph.inputs.size())
        wrong("onnx.input", node,
              std::format("its graph has {} inputs, but {} are given", graph.inputs.size(), inputs.size()));
    std::vector<std::string> outside;
    std::swap(outside, m_defined);
    std::vector<std::pair<std::string, ImportedValue>> hidden, *const hiddenOutside = m_hidden;
    m_hidden = &hidden;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        define(graph.inputs[i].name, inputs[i]);
    for (const auto &[name, weight] : graph.initializers)
        define(name, {.values = {m_builder.constant(weight.data, name)},
                      .narrow = weight.narrow,
                      .texts = weight.texts});
    for (const OnnxNode *inner : inOrder(graph.nodes)) {
        if (within.empty()) {
            addNode(*inner);
            continue;
        }
        OnnxNode copy = *inner;
        copy.name = within + "/" + inner->label();
        addNode(copy);
    }
    std::vector<ImportedValue> results;
    for (const OnnxValue &output : graph.outputs)
        results.push_back(importedValueOf(output.name, node.str()));
    for (const std::string &name : m_defined)
        m_values.erase(name);
    for (auto &[name, value] : hidden)
        m_values.insert_or_assign(name, std::move(value));
    m_defined = std::move(outside);
    m_hidden = hiddenOutside;
    return results;
}

/// Throws where it is not known.
bool ModelImport::isTrue(const OnnxNode &node, const ImportedValue &condition)
{
    const Value value = condition.tensor();
    const Data known = value ? m_builder.dataOf(value) : nullptr;
    if (!known || known->size() != 1)
        throw UserError(refusal(node, m_opset));
    return known->at(0) != 0;
}

/// The branch that is taken, where that is known; else both, and their results chosen when the model runs.
void ModelImport::addBranches(const OnnxNode &node)
{
    const std::vector<ImportedValue> inputs = inputsOf(node);
    const Value condition = inputs.empty() ? Value{} : inputs[0].tensor();
    if (condition && !m_builder.isKnown(condition)) {
        if (const auto results = joinedBranches(node, condition)) {
            defineOutputs(node, *results);
            return;
        }
    }
    const bool taken = isTrue(node, inputs.empty() ? ImportedValue{} : inputs[0]);
    defineOutputs(node, resultsOf(node, graphOf(node, taken ? "then_branch" : "else_branch"), {}, {}));
}

/// Nothing where results cannot be chosen element by element.
std::optional<std::vector<ImportedValue>> ModelImport::joinedBranches(const OnnxNode &node, Value condition)
{
    const std::vector<ImportedValue> a = resultsOf(node, graphOf(node, "then_branch"), {}, {}),
                                     b = resultsOf(node, graphOf(node, "else_branch"), {}, {});
    std::vector<ImportedValue> results;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        std::optional<ImportedValue> result = chosen(node, condition, a[i], b[i]);
        if (!result)
            return std::nullopt;
        results.push_back(std::move(*result));
    }
    return results;
}

/// Selects `a` or `b` by the condition. Where their sizes differ, the result has room for the larger one, and
/// its actual size is known only at run time.
std::optional<ImportedValue> ModelImport::chosen(const OnnxNode &node, Value condition,
                                                 const ImportedValue &a, const ImportedValue &b)
{
    Value first = a.tensor(), second = b.tensor();
    if (!first || !second || a.narrow != b.narrow || a.texts != b.texts
        || m_builder.typeOf(condition).constantShape() != Ints()
        || m_builder.typeOf(first).dtype != m_builder.typeOf(second).dtype
        || m_builder.rankOf(first) != m_builder.rankOf(second))
        return std::nullopt;
    NodeImport import(m_builder, node, m_opset, {});
    static constexpr ImportRow none{};
    LateNode late(import, none, m_late);
    LateSizes::Axes axes;
    Ints more[2];
    for (std::int64_t axis = 0; axis < m_builder.rankOf(first); ++axis) {
        const LateNumber sizes[] = {late.size(a.tensor(), axis), late.size(b.tensor(), axis)};
        late.put(axes, axis, late.choice(condition, sizes[0], sizes[1]));
        for (std::size_t i = 0; i < 2; ++i)
            more[i].push_back(std::max<std::int64_t>(0, sizes[1 - i].high - sizes[i].high));
    }
    const auto isEmpty = [&](Value value) { return std::ranges::contains(import.shapeOf(value), 0); };
    if (isEmpty(first) || isEmpty(second)) { // nothing of the other counts then
        const Value result = isEmpty(first) ? second : first;
        const Value named =
            import.reshape(result, import.shapeOf(result)); // sizes differ from the branch's own
        late.set(named, axes);
        return ImportedValue{.values = {named}, .narrow = a.narrow, .texts = a.texts};
    }
    const auto padded = [&](Value value, const Ints &behind) {
        Ints widths(behind.size());
        widths.insert(widths.end(), behind.begin(), behind.end());
        return std::ranges::count(behind, 0) == std::ssize(behind)
                   ? value
                   : import.call("nn.pad", {value}, {{"pad_width", widths}});
    };
    const Value result = import.call("where", {condition, padded(first, more[0]), padded(second, more[1])});
    late.set(result, axes);
    return ImportedValue{.values = {result}, .narrow = a.narrow, .texts = a.texts};
}

/// Attention whose products, and whose weights, graphs of the node may change.
void ModelImport::addFlexAttention(const OnnxNode &node)
{
    Values tensors;
    for (const ImportedValue &input : inputsOf(node))
        tensors.push_back(input.tensor());
    requireKnownSizes(node, tensors);
    NodeImport import(m_builder, node, m_opset, tensors);
    if (import.inputCount() != 3 || import.rank() != 4 || import.rank(1) != 4 || import.rank(2) != 4)
        wrong("onnx.unsupported", node, "queries, keys and values must have 4 dimensions");
    const Value q = import.input(0), k = import.input(1), v = import.input(2);
    const ir::DataType type = import.type().dtype;
    ir::DataType precision = type.bits < 32 ? ir::DataType::float32() : type;
    if (import.hasAttribute("softmax_precision"))
        precision = declaredTypeOf(import.integer("softmax_precision", 1)).value_or(precision);
    ops::Attributes attributes{
        {"scale", import.real("scale", 1 / std::sqrt(static_cast<double>(import.shape()[3])))},
        {"precision", precision}};
    if (!import.hasAttribute("score_mod") && !import.hasAttribute("prob_mod")) {
        defineOutputs(node, {{{import.call("nn.attention", {q, k, v}, attributes)}}});
        return;
    }
    const auto changed = [&](Value value, const char *graph) {
        if (!import.hasAttribute(graph))
            return value;
        const auto results =
            resultsOf(node, graphOf(node, graph), {{{value}}}, std::format("{}/{}", node.label(), graph));
        if (results.size() != 1 || !results[0].tensor()
            || !(m_builder.typeOf(results[0].tensor()) == m_builder.typeOf(value)))
            wrong("onnx.type", node,
                  std::format("its graph \"{}\" must give one tensor like its input", graph));
        return results[0].tensor();
    };
    attributes["result"] = std::string("products");
    const Value products = import.cast(import.call("nn.attention", {q, k, v}, attributes), precision);
    const Value weights = import.call("nn.softmax", {changed(products, "score_mod")});
    const Ints shape = import.shape(), values = import.shape(2);
    if (values[1] < 1)
        wrong("onnx.unsupported", node, "there are no heads");
    const std::int64_t share = shape[1] / values[1]; // heads of queries lie side by side with their values
    const auto grouped = [&](Value value) {
        const Ints own = import.shapeOf(value);
        return import.reshape(value, {own[0], values[1], share * own[2], own[3]});
    };
    const Value mixed =
        import.call("nn.matmul", {grouped(changed(weights, "prob_mod")), import.cast(v, precision)});
    defineOutputs(node,
                  {{{import.cast(import.reshape(mixed, {shape[0], shape[1], shape[2], values[3]}), type)}}});
}

/// The nodes of a function of the model. They see its inputs only, and their names stay inside.
void ModelImport::addCall(const OnnxNode &node, const OnnxFunction &function)
{
    if (std::ranges::contains(m_calls, &function))
        wrong("onnx.function", node, "the function calls itself");
    if (node.inputs.size() > function.inputs.size())
        wrong("onnx.function", node,
              std::format("the function has {} inputs, {} are given", function.inputs.size(),
                          node.inputs.size()));
    if (m_calls.size() >= deepestCall)
        wrong("onnx.function", node, "calls within calls are too deep");

    std::unordered_map<std::string, ImportedValue> values;
    ImportedCall call{&function, node.op, node.name};
    std::vector<ImportedValue> inputs = inputsOf(node);
    inputs.resize(function.inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        tell(function.inputs[i], inputs[i], m_late, call.inputs, call.inputNames);
        values[function.inputs[i]] = inputs[i];
    }
    Attributes attributes = function.defaults;
    for (const auto &[name, value] : node.attributes)
        attributes.insert_or_assign(name, value);
    std::vector<std::string> defined;
    std::vector<std::pair<std::string, ImportedValue>> *hidden = nullptr;
    std::int64_t opset = function.opset;
    const auto exchange = [&] {
        std::swap(values, m_values);
        std::swap(defined, m_defined);
        std::swap(hidden, m_hidden);
        std::swap(opset, m_opset);
    };
    exchange();
    m_calls.push_back(&function);
    call.begin = static_cast<int>(m_builder.function().nodes.size());
    const std::size_t number = m_imported.size();
    m_imported.push_back(call);
    for (const OnnxNode &inner : function.nodes) {
        std::size_t copied = 0;
        OnnxNode copy = bound(inner, attributes, copied);
        countNodes(node, copied);
        if (!node.name.empty())
            copy.name = node.name + "/" + copy.label();
        addNode(copy);
    }
    std::vector<ImportedValue> results;
    for (const std::string &output : function.outputs) {
        results.push_back(importedValueOf(output, node.str()));
        tell(output, results.back(), m_late, m_imported[number].results, m_imported[number].resultNames);
    }
    m_imported[number].end = static_cast<int>(m_builder.function().nodes.size());
    m_calls.pop_back();
    exchange();
    defineOutputs(node, results);
}

} // namespace nestwright::graph::onnx
