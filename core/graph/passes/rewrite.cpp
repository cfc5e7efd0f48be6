// SPDX-License-Identifier: Apache-2.0
#include "core/graph/passes/rewrite.h"

#include <algorithm>
#include <array>

namespace nestwright::graph {

namespace {

/// A vector of channels as numbers of 32 bits, and half of one.
std::array<std::int64_t, 2> channelBlocks(const target::Machine &machine)
{
    const std::int64_t whole = machine.vectors.bytes / 4;
    return {whole, whole / 2};
}

} // namespace

Function rewrite(const Function &function, const RewriteNode &each)
{
    Function empty = function;
    empty.nodes.clear();
    empty.outputs.clear();
    empty.outputNames.clear();
    Builder builder(std::move(empty));
    std::vector<int> reads; // of the old nodes
    for (const std::vector<int> &readers : function.readers())
        reads.push_back(static_cast<int>(readers.size()));
    for (const Value output : function.outputs)
        ++reads[static_cast<std::size_t>(output.node)];
    std::vector<int> readCounts; // of the new ones
    std::vector<std::vector<Value>> results;
    const auto moved = [&](Value value) {
        return results[static_cast<std::size_t>(value.node)][static_cast<std::size_t>(value.output)];
    };
    for (std::size_t i = 0; i < function.nodes.size(); ++i) {
        const Node &node = function.nodes[i];
        readCounts.resize(builder.function().nodes.size(), 1);
        Rewritten rewritten{function, node, static_cast<int>(i), {}, builder, readCounts};
        for (const Value input : node.inputs)
            rewritten.inputs.push_back(moved(input));
        if (auto replaced = each(rewritten)) {
            readCounts.resize(builder.function().nodes.size(), 1);
            for (const Value value : *replaced)
                readCounts[static_cast<std::size_t>(value.node)] =
                    std::max(readCounts[static_cast<std::size_t>(value.node)], reads[i]);
            results.push_back(std::move(*replaced));
            continue;
        }
        const int place = builder.copy(node, std::move(rewritten.inputs));
        readCounts.resize(builder.function().nodes.size(), 1);
        readCounts.back() = reads[i];
        std::vector<Value> values;
        for (std::size_t k = 0; k < node.types.size(); ++k)
            values.push_back({place, static_cast<int>(k)});
        results.push_back(std::move(values));
    }
    std::vector<Value> outputs;
    for (const Value output : function.outputs)
        outputs.push_back(moved(output));
    return builder.finish(std::move(outputs), function.outputNames);
}

std::int64_t channelBlock(const target::Machine &machine, std::int64_t channels)
{
    for (const std::int64_t block : channelBlocks(machine)) {
        if (channels % block == 0)
            return block;
    }
    return 0;
}

bool isChannelBlock(const target::Machine &machine, std::int64_t block)
{
    return std::ranges::contains(channelBlocks(machine), block);
}

std::string textOf(const ops::Attributes &attributes)
{
    std::string text;
    for (const auto &[name, value] : attributes)
        text += name + "=" + ops::str(value) + ";";
    return text;
}

} // namespace nestwright::graph
