// SPDX-License-Identifier: Apache-2.0
#include "core/graph/builder.h"

#include "core/graph/evaluate.h"
#include "core/graph/program/memory_plan.h"
#include "core/interp/codes.h"
#include "core/ops/table/shapes.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <cstring>
#include <format>

namespace nestwright::graph {

using support::UserError;

Value Builder::input(std::string name, TensorType type)
{
    Node node;
    node.kind = NodeKind::Input;
    node.name = std::move(name);
    node.types = {std::move(type)};
    return {add(std::move(node)), 0};
}

Value Builder::constant(ir::NdArray data, std::string name)
{
    return constant(std::make_shared<const ir::NdArray>(std::move(data)), std::move(name));
}

Value Builder::constant(Data data, std::string name)
{
    Node node;
    node.kind = NodeKind::Constant;
    node.name = std::move(name);
    node.types = {{ops::shapeOf(data->shape()), data->dtype()}};
    node.data = std::move(data);
    return {add(std::move(node)), 0};
}

Value Builder::scalar(double value, ir::DataType dtype)
{
    ir::NdArray data(dtype, {});
    data.set(0, value);
    return constant(std::move(data));
}

Value Builder::call(std::string_view op, std::vector<Value> inputs, ops::Attributes attributes,
                    std::string name)
{
    Node node;
    node.op = ops::findTensorOp(op);
    NW_ASSERT(node.op, std::format("there is no operator {}", op));
    node.name = std::move(name);
    node.inputs = std::move(inputs);
    auto complete = ops::completeAttributes(*node.op, std::move(attributes));
    if (!complete)
        throw UserError(complete.error());
    node.attributes = std::move(*complete);
    const std::vector<TensorType> given = m_function.inputTypes(node);
    auto types = ops::inferTypes({*node.op, node.attributes, given});
    if (!types)
        throw UserError(types.error());
    node.types = std::move(*types);
    return {add(std::move(node)), 0};
}

void Builder::nameTensor(Value value, const std::string &name)
{
    Node &node = m_function.nodes[static_cast<std::size_t>(value.node)];
    const auto place = static_cast<std::size_t>(value.output);
    if (node.isConstant() && node.name.empty())
        node.name = name;
    if (node.kind == NodeKind::Input || node.isConstant() || name.empty())
        return;
    node.tensors.resize(std::max(node.tensors.size(), place + 1));
    if (node.tensors[place].empty())
        node.tensors[place] = name;
}

int Builder::copy(const Node &node, std::vector<Value> inputs)
{
    Node copied = node;
    copied.inputs = std::move(inputs);
    m_function.nodes.push_back(std::move(copied));
    return static_cast<int>(m_function.nodes.size()) - 1;
}

int Builder::add(Node node)
{
    node.id = {++m_function.lastId};
    m_function.nodes.push_back(std::move(node));
    return static_cast<int>(m_function.nodes.size()) - 1;
}

void Builder::assume(Value input, Data data) { m_known[input.node] = {std::move(data)}; }

Data Builder::peek(Value value) const
{
    const Node &node = m_function.at(value);
    if (node.isConstant())
        return node.data;
    const auto known = m_known.find(value.node);
    return node.kind == NodeKind::Input && known != m_known.end() ? known->second.front() : nullptr;
}

std::vector<std::string> Builder::fixedInputs() const
{
    std::vector<std::string> names;
    for (const int place : m_fixed)
        names.push_back(m_function.at(place).name);
    return names;
}

template <class Visit> bool Builder::visitDependences(Value value, Visit visit) const
{
    // Without recursion: a chain of constants may be long.
    std::vector<int> waiting{value.node};
    std::vector<bool> seen(m_function.nodes.size());
    while (!waiting.empty()) {
        const int place = waiting.back();
        waiting.pop_back();
        if (seen[static_cast<std::size_t>(place)])
            continue;
        seen[static_cast<std::size_t>(place)] = true;
        const Node &node = m_function.at(place);
        if (node.isConstant())
            continue;
        if (!visit(place))
            return false;
        for (const Value input : node.inputs)
            waiting.push_back(input.node);
    }
    return true;
}

bool Builder::isKnown(Value value) const
{
    // Memoized, since it is asked of most nodes of a model and each follows from its operands.
    for (std::size_t place = m_restsOnInputs.size(); place < m_function.nodes.size(); ++place) {
        const Node &node = m_function.nodes[place];
        m_restsOnInputs.push_back(
            node.kind == NodeKind::Input
            || (!node.isConstant() && std::ranges::any_of(node.inputs, [&](Value input) {
                   return m_restsOnInputs[static_cast<std::size_t>(input.node)];
               })));
    }
    return !m_restsOnInputs[static_cast<std::size_t>(value.node)];
}

bool Builder::isAssumed(Value value) const
{
    return visitDependences(value, [&](int place) {
        return m_function.at(place).kind != NodeKind::Input || m_known.contains(place);
    });
}

Data Builder::dataOf(Value value, std::int64_t steps)
{
    std::vector<int> needed, fixed;
    const bool isKnown = visitDependences(value, [&](int place) {
        const bool isInput = m_function.at(place).kind == NodeKind::Input;
        (isInput ? fixed : needed).push_back(place);
        return !isInput || m_known.contains(place);
    });
    if (!isKnown)
        return nullptr;
    std::ranges::sort(needed);
    for (const int place : needed) {
        if (!m_known.contains(place) && !evaluated(place, steps))
            return nullptr;
    }
    m_fixed.insert(fixed.begin(), fixed.end());
    const Node &node = m_function.at(value);
    return node.isConstant() ? node.data : m_known.at(value.node).at(static_cast<std::size_t>(value.output));
}

namespace {

/// The most memory that values computed while building a graph may take together.
constexpr double mostKnownBytes = 0x1p29;

} // namespace

Data Builder::evaluated(int place, std::int64_t steps)
{
    const Node &node = m_function.at(place);
    double bytes = 0;
    for (const TensorType &type : node.types)
        bytes += static_cast<double>(bytesOf(type));
    if (bytes > 4096) { // known data are looked at only where that pays
        for (const auto &[known, results] : m_known) {
            for (const Data &data : results)
                bytes += static_cast<double>(data->byteCount());
        }
        if (bytes > mostKnownBytes)
            return nullptr;
    }
    std::vector<Data> inputs;
    for (const Value input : node.inputs) {
        const Node &from = m_function.at(input);
        inputs.push_back(from.isConstant()
                             ? from.data
                             : m_known.at(input.node).at(static_cast<std::size_t>(input.output)));
    }
    auto results = evaluate(m_function, node, inputs, steps);
    if (!results) {
        if (results.error().code == interp::codes::stepLimit)
            return nullptr;
        throw UserError(results.error());
    }
    return m_known.emplace(place, std::move(*results)).first->second.front();
}

Function Builder::finish(std::vector<Value> outputs, std::vector<std::string> names)
{
    m_function.outputs = std::move(outputs);
    m_function.outputNames = std::move(names);
    return withoutDeadNodes(m_function);
}

} // namespace nestwright::graph
