// SPDX-License-Identifier: Apache-2.0
/// The graph of a model: a functional, typed program in which every node follows its operands.
#pragma once

#include "core/ir/ndarray.h"
#include "core/ops/table/tensor_op.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nestwright::graph {

using ops::TensorType;
using Ints = std::vector<std::int64_t>; ///< a shape, axes, places

/// Stays with a node through passes; nodes made by a pass get new ones.
struct NodeId {
    std::uint32_t value = 0;
    auto operator<=>(const NodeId &) const = default;
};

/// One result of one node, by the node's place in its function.
struct Value {
    int node = -1;
    int output = 0;

    explicit operator bool() const { return node >= 0; }
    auto operator<=>(const Value &) const = default;
};

enum class NodeKind : std::uint8_t {
    Input,
    Constant,
    Operator, ///< calls an operator on tensors
    Group,    ///< calls a function of its own: nodes that were fused to one kernel
    Call,     ///< calls a function that the model defines, which other calls may share; gone after the pass
              ///< inline-functions
};

struct Function;
using Data = std::shared_ptr<const ir::NdArray>;

struct Node {
    NodeKind kind = NodeKind::Operator;
    NodeId id;
    std::string name;                         ///< as the model has it; may be empty
    const ops::TensorOp *op = nullptr;        ///< Operator
    ops::Attributes attributes;               ///< Operator: all that it declares
    std::shared_ptr<const Function> function; ///< Group, Call
    Data data;                                ///< Constant
    std::vector<Value> inputs;
    std::vector<TensorType> types; ///< of the results
    /// Names of the results, as the model has them; as many as it names, may be empty.
    std::vector<std::string> tensors;

    bool isConstant() const { return kind == NodeKind::Constant; }
};

inline bool isCall(const Node &node, std::string_view op)
{
    return node.kind == NodeKind::Operator && node.op->name == op;
}

/// Whether each element of the result needs the element of the same place of each input, which may be
/// repeated; so that it stays the same operator when all dimensions are arranged in another way.
inline bool isElementwise(const Node &node)
{
    return node.kind == NodeKind::Operator && node.op->fusion <= ops::FusionKind::Broadcast
           && !node.op->layoutSensitive;
}

/// Nodes in an order in which each comes after those that it reads; a value, never changed in place once it
/// is shared.
struct Function {
    std::string name = "main";
    std::vector<Node> nodes;
    std::vector<Value> outputs;
    std::vector<std::string> outputNames; ///< one per output
    std::uint32_t lastId = 0;

    const TensorType &typeOf(Value value) const
    {
        return at(value.node).types[static_cast<std::size_t>(value.output)];
    }
    const Node &at(int node) const { return nodes[static_cast<std::size_t>(node)]; }
    const Node &at(Value value) const { return at(value.node); }
    /// Places of the nodes that are inputs, in order.
    std::vector<int> inputs() const;
    /// The types of a node's operands.
    std::vector<TensorType> inputTypes(const Node &node) const;
    /// For each node, the nodes that read it, in order; a node that reads two of its results counts once.
    std::vector<std::vector<int>> readers() const;
};

/// The same function without nodes that no output needs; inputs stay.
Function withoutDeadNodes(const Function &function);

/// Checks that every node follows its operands, and has the types its operator gives: "" or the fault, in one
/// sentence.
std::string verify(const Function &function);

/// The name of a node in texts and on the canvas: its own, or its operator's with a number.
std::string displayName(const Function &function, int node);

/// The text of the graph in the manner of Relay: one node a line, `%3 = nn.conv(%data, %weight, strides=[1,
/// 1]);`. Functions that are called stand before those that call them.
std::string print(const Function &function);

} // namespace nestwright::graph
