// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph.h"

#include <algorithm>
#include <format>

namespace nestwright::graph {

std::vector<int> Function::inputs() const
{
    std::vector<int> found;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].kind == NodeKind::Input)
            found.push_back(static_cast<int>(i));
    }
    return found;
}

std::vector<TensorType> Function::inputTypes(const Node &node) const
{
    std::vector<TensorType> types;
    types.reserve(node.inputs.size());
    for (const Value input : node.inputs)
        types.push_back(typeOf(input));
    return types;
}

std::vector<std::vector<int>> Function::readers() const
{
    std::vector<std::vector<int>> result(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const Value input : nodes[i].inputs) {
            auto &of = result[static_cast<std::size_t>(input.node)];
            if (of.empty() || of.back() != static_cast<int>(i))
                of.push_back(static_cast<int>(i));
        }
    }
    return result;
}

Function withoutDeadNodes(const Function &function)
{
    std::vector<bool> needed(function.nodes.size());
    for (const Value output : function.outputs)
        needed[static_cast<std::size_t>(output.node)] = true;
    for (std::size_t i = function.nodes.size(); i-- > 0;) {
        if (function.nodes[i].kind == NodeKind::Input)
            needed[i] = true;
        if (!needed[i])
            continue;
        for (const Value input : function.nodes[i].inputs)
            needed[static_cast<std::size_t>(input.node)] = true;
    }
    Function result = function;
    result.nodes.clear();
    std::vector<int> place(function.nodes.size(), -1);
    const auto moved = [&](Value value) {
        return Value{place[static_cast<std::size_t>(value.node)], value.output};
    };
    for (std::size_t i = 0; i < function.nodes.size(); ++i) {
        if (!needed[i])
            continue;
        place[i] = static_cast<int>(result.nodes.size());
        Node node = function.nodes[i];
        std::ranges::transform(node.inputs, node.inputs.begin(), moved);
        result.nodes.push_back(std::move(node));
    }
    std::ranges::transform(result.outputs, result.outputs.begin(), moved);
    return result;
}

namespace {

/// A group or a call: whether the function is well-formed, and has the types of the node.
std::string verifyCalled(const Function &function, int place)
{
    const Node &node = function.at(place);
    std::vector<TensorType> takes, gives;
    for (const int input : node.function->inputs())
        takes.push_back(node.function->at(input).types[0]);
    for (const Value output : node.function->outputs)
        gives.push_back(node.function->typeOf(output));
    if (takes != function.inputTypes(node) || gives != node.types)
        return std::format("\"{}\" does not have the types of the function that it calls, \"{}\"",
                           displayName(function, place), node.function->name);
    return verify(*node.function);
}

std::string verifyNode(const Function &function, int place)
{
    const Node &node = function.at(place);
    for (const Value input : node.inputs) {
        if (input.node < 0 || input.node >= place)
            return std::format("\"{}\" reads a node that does not come before it",
                               displayName(function, place));
        if (input.output < 0 || input.output >= static_cast<int>(function.at(input).types.size()))
            return std::format("\"{}\" reads a result that there is not", displayName(function, place));
    }
    if (node.kind == NodeKind::Constant) {
        const auto shape = node.types.at(0).constantShape();
        if (!node.data || !shape || *shape != node.data->shape() || node.types[0].dtype != node.data->dtype())
            return std::format("the data of \"{}\" do not have its type", displayName(function, place));
    }
    if (node.kind == NodeKind::Operator) {
        const std::vector<TensorType> inputs = function.inputTypes(node);
        const auto types = ops::inferTypes({*node.op, node.attributes, inputs});
        if (!types)
            return types.error().message;
        if (*types != node.types)
            return std::format("\"{}\" does not have the type that {} gives", displayName(function, place),
                               node.op->name);
    }
    return node.function ? verifyCalled(function, place) : std::string();
}

} // namespace

std::string verify(const Function &function)
{
    for (std::size_t i = 0; i < function.nodes.size(); ++i) {
        if (std::string wrong = verifyNode(function, static_cast<int>(i)); !wrong.empty())
            return wrong;
    }
    const auto exists = [&](Value value) {
        return value.node >= 0 && value.node < static_cast<int>(function.nodes.size())
               && value.output < static_cast<int>(function.at(value).types.size());
    };
    return std::ranges::all_of(function.outputs, exists) ? std::string()
                                                         : "an output is no result of any node";
}

std::string displayName(const Function &function, int node)
{
    const Node &of = function.at(node);
    if (!of.name.empty())
        return of.name;
    switch (of.kind) {
    case NodeKind::Input: return std::format("input{}", node);
    case NodeKind::Constant: return std::format("constant{}", node);
    case NodeKind::Operator: return std::format("{}_{}", of.op->name, node);
    case NodeKind::Group: return of.function->name;
    case NodeKind::Call: return std::format("{}_{}", of.function->name, node);
    }
    return {};
}

} // namespace nestwright::graph
