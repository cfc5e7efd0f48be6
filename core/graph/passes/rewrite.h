// SPDX-License-Identifier: Apache-2.0
/// Tools for writing passes over graphs.
#pragma once

#include "core/graph/builder.h"
#include "core/target/machine.h"

#include <functional>
#include <optional>

namespace nestwright::graph {

/// A node of the old graph while the new one is built.
struct Rewritten {
    const Function &before;
    const Node &node;
    int place;                 ///< in `before`
    std::vector<Value> inputs; ///< in the new graph
    Builder &builder;          ///< of the new graph
    const std::vector<int> &readCounts;

    /// How often the results of a value's node are read, as outputs too; 1 for nodes that the pass made.
    int readersOf(Value value) const
    {
        const auto node = static_cast<std::size_t>(value.node);
        return node < readCounts.size() ? readCounts[node] : 1;
    }
    const Node &inputNode(std::size_t i) const { return builder.function().at(inputs[i]); }
    /// Calls an operator in place of the node; the call gets the node's names.
    Value call(std::string_view op, std::vector<Value> arguments, ops::Attributes attributes = {})
    {
        const Value value = builder.call(op, std::move(arguments), std::move(attributes), node.name);
        if (!node.tensors.empty())
            builder.nameTensor(value, node.tensors.front());
        return value;
    }
};

/// Gives the replacements of a node's results, or nothing to keep the node.
using RewriteNode = std::function<std::optional<std::vector<Value>>(Rewritten &)>;

/// The function with each node replaced; a node that is kept keeps its id.
Function rewrite(const Function &function, const RewriteNode &each);

/// The channels, as numbers of 32 bits, that go into one vector or half of one; 0 when their number has no
/// fitting divisor.
std::int64_t channelBlock(const target::Machine &machine, std::int64_t channels);
/// Whether channels stand in such blocks, rather than all in one.
bool isChannelBlock(const target::Machine &machine, std::int64_t block);

/// All attributes as one text, for comparing them.
std::string textOf(const ops::Attributes &attributes);

} // namespace nestwright::graph
