// SPDX-License-Identifier: Apache-2.0
// Several convolutions, or products with matrices, of one value become a single one whose weights are those
// of all; elementwise operators behind each of them, with constants of their own, are joined too. After TVM's
// CombineParallelConv2D and CombineParallelDense: fewer than three gain nothing there either. The parts of
// the result are slices that lie in one piece, so that nothing is copied.
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace nestwright::graph {

namespace {

constexpr std::size_t fewest = 3;

/// The bytes of `parts` after one another, as a tensor of that shape.
ir::NdArray joinedData(const std::vector<Data> &parts, const Ints &shape)
{
    auto all = ir::NdArray::uninitialized(parts.front()->dtype(), shape);
    std::byte *to = all.bytes().data();
    for (const Data &part : parts)
        to = std::copy_n(part->source().get(), part->byteCount(), to);
    return all;
}

/// The differences between convolutions and products.
struct Rule {
    std::string_view op;
    /// The kind that two must share to be combined, besides input and attributes; nothing where a node cannot
    /// be.
    std::optional<Ints> (*kind)(const Function &function, const Node &node, const target::Machine &machine);
    /// Whether these, of one kind, gain by it.
    bool (*pays)(const Function &function, const std::vector<int> &nodes, const target::Machine &machine);
    /// Axis of features in results, counted from the end for products.
    std::size_t (*featureAxis)(std::size_t rank);
    Value (*call)(Rewritten &r, const std::vector<Data> &weights);
    /// The shape of joined constants of that shape, one element per feature.
    Ints (*constantShape)(const Ints &one, const std::vector<Data> &parts);
    /// Part `i` of the result, where that of `node` begins at feature `begin`.
    Value (*part)(Rewritten &r, Value all, const Node &node, std::int64_t i, std::int64_t begin);
};

class CombinePass {
public:
    CombinePass(const Function &function, const Rule &rule, const target::Machine &machine)
        : m_function(function)
        , m_rule(rule)
        , m_machine(machine)
        , m_readers(function.readers())
        , m_isOutput(function.nodes.size())
    {
        for (const Value output : function.outputs)
            m_isOutput[static_cast<std::size_t>(output.node)] = true;
    }

    Function run()
    {
        find();
        return rewrite(m_function, [&](Rewritten &r) -> std::optional<std::vector<Value>> {
            if (const auto found = m_groups.find(r.place); found != m_groups.end())
                build(r, found->second);
            if (const auto done = m_results.find(r.place); done != m_results.end())
                return std::vector{done->second};
            return std::nullopt; // nodes within a chain are dead now
        });
    }

private:
    using Chain = std::vector<int>; ///< a convolution or product, and the elementwise operators behind it

    void find()
    {
        std::map<std::tuple<Value, std::string, Ints>, std::vector<int>> alike;
        for (std::size_t i = 0; i < m_function.nodes.size(); ++i) {
            const Node &node = m_function.nodes[i];
            if (!isCall(node, m_rule.op) || !m_function.at(node.inputs[1]).isConstant())
                continue;
            if (const auto kind = m_rule.kind(m_function, node, m_machine))
                alike[{node.inputs[0], textOf(node.attributes), *kind}].push_back(static_cast<int>(i));
        }
        for (const auto &[key, nodes] : alike) {
            if (nodes.size() >= fewest && m_rule.pays(m_function, nodes, m_machine))
                m_groups[nodes.front()] = chains(nodes);
        }
    }

    std::vector<Chain> chains(const std::vector<int> &nodes) const
    {
        std::vector<Chain> chains;
        for (const int node : nodes)
            chains.push_back({node});
        for (;;) {
            std::vector<int> next;
            for (const Chain &chain : chains) {
                const auto last = static_cast<std::size_t>(chain.back());
                if (m_isOutput[last] || m_readers[last].size() != 1)
                    return chains;
                next.push_back(m_readers[last].front());
            }
            if (!joins(chains, next))
                return chains;
            for (std::size_t i = 0; i < chains.size(); ++i)
                chains[i].push_back(next[i]);
        }
    }

    /// Whether the nodes behind the chains do the same, each with constants.
    bool joins(const std::vector<Chain> &chains, const std::vector<int> &next) const
    {
        const Node &first = m_function.at(next.front());
        for (std::size_t i = 0; i < next.size(); ++i) {
            const Node &node = m_function.at(next[i]);
            if (!isElementwise(node) || node.op != first.op || node.attributes != first.attributes
                || node.inputs.size() != first.inputs.size()
                || node.types[0].rank() != m_function.at(chains[i].back()).types[0].rank())
                return false;
            for (std::size_t k = 0; k < node.inputs.size(); ++k) {
                const bool follows = node.inputs[k].node == chains[i].back();
                const bool firstFollows = first.inputs[k].node == chains.front().back();
                const bool isConstant =
                    (isOwn(node, k) && isOwn(first, k) && dtypeOf(node, k) == dtypeOf(first, k))
                    || isCommon(node, first, k);
                if (follows != firstFollows || (!follows && !isConstant))
                    return false;
            }
        }
        return true;
    }

    ir::DataType dtypeOf(const Node &node, std::size_t k) const
    {
        return m_function.typeOf(node.inputs[k]).dtype;
    }

    /// A constant with one element per feature.
    bool isOwn(const Node &node, std::size_t k) const
    {
        const Node &input = m_function.at(node.inputs[k]);
        const auto shape = input.types[0].constantShape(), result = node.types[0].constantShape();
        if (!input.isConstant() || shape->size() > result->size() || input.data->size() == 1)
            return false;
        const std::size_t missing = result->size() - shape->size();
        const std::size_t axis = m_rule.featureAxis(result->size());
        for (std::size_t i = 0; i < shape->size(); ++i) {
            if ((*shape)[i] != (i + missing == axis ? (*result)[axis] : 1))
                return false;
        }
        return axis >= missing;
    }
    /// A constant of one element, the same as that of `other`.
    bool isCommon(const Node &node, const Node &other, std::size_t k) const
    {
        const Node &a = m_function.at(node.inputs[k]), &b = m_function.at(other.inputs[k]);
        return a.isConstant() && b.isConstant() && a.data->size() == 1 && b.data->size() == 1
               && a.types[0] == b.types[0] && std::ranges::equal(a.data->bytes(), b.data->bytes());
    }

    void build(Rewritten &r, const std::vector<Chain> &chains)
    {
        const auto constants = [&](std::size_t depth, std::size_t input) {
            std::vector<Data> parts;
            for (const Chain &chain : chains)
                parts.push_back(m_function.at(m_function.at(chain[depth]).inputs[input]).data);
            return parts;
        };
        const auto names = [&](std::size_t depth, std::size_t input) {
            std::string joinedNames;
            for (const Chain &chain : chains) {
                const std::string &name = m_function.at(m_function.at(chain[depth]).inputs[input]).name;
                joinedNames += (joinedNames.empty() || name.empty() ? "" : " + ") + name;
            }
            return joinedNames;
        };
        Value all = m_rule.call(r, constants(0, 1));
        r.builder.nameTensor(r.builder.function().at(all).inputs[1], names(0, 1));
        for (std::size_t depth = 1; depth < chains.front().size(); ++depth) {
            const Node &node = m_function.at(chains.front()[depth]);
            std::vector<Value> inputs;
            for (std::size_t k = 0; k < node.inputs.size(); ++k) {
                const Node &input = m_function.at(node.inputs[k]);
                if (node.inputs[k].node == chains.front()[depth - 1])
                    inputs.push_back(all);
                else if (input.data->size() == 1)
                    inputs.push_back(r.builder.constant(input.data, input.name));
                else
                    inputs.push_back(r.builder.constant(
                        joinedData(constants(depth, k), m_rule.constantShape(*input.types[0].constantShape(),
                                                                             constants(depth, k))),
                        names(depth, k)));
            }
            all = r.builder.call(node.op->name, inputs, node.attributes, node.name);
        }
        std::int64_t begin = 0;
        for (std::size_t i = 0; i < chains.size(); ++i) {
            const Node &last = m_function.at(chains[i].back());
            const Ints shape = *last.types[0].constantShape();
            m_results[chains[i].back()] = m_rule.part(r, all, last, static_cast<std::int64_t>(i), begin);
            begin += shape[m_rule.featureAxis(shape.size())];
        }
    }

    const Function &m_function;
    const Rule &m_rule;
    const target::Machine &m_machine;
    std::vector<std::vector<int>> m_readers;
    std::vector<bool> m_isOutput;
    std::map<int, std::vector<Chain>> m_groups; ///< by the first node
    std::map<int, Value> m_results;             ///< of the last nodes of chains
};

Value sliced(Rewritten &r, Value all, const Node &node, std::int64_t axis, std::int64_t begin,
             std::int64_t count)
{
    return r.builder.call(
        "strided_slice", {all},
        {{"begin", Ints{begin}}, {"end", Ints{begin + count}}, {"strides", Ints{1}}, {"axes", Ints{axis}}},
        node.name);
}

/// All but the number of filters, and how many of those go into a block.
std::optional<Ints> kindOfConvolution(const Function &function, const Node &node,
                                      const target::Machine &machine)
{
    const auto image = function.typeOf(node.inputs[0]).constantShape();
    // The parts of several images would not lie in one piece.
    if (!image || image->front() != 1 || std::get<std::int64_t>(node.attributes.find("groups")->second) != 1)
        return std::nullopt;
    Ints kind = *function.typeOf(node.inputs[1]).constantShape();
    kind[0] = channelBlock(machine, kind[0]);
    return kind;
}

/// Whether combining pays: blocks of channels must not end elsewhere than the parts do.
bool convolutionsPay(const Function &function, const std::vector<int> &nodes, const target::Machine &machine)
{
    std::int64_t total = 0, block = 0;
    for (const int node : nodes) {
        const std::int64_t filters = (*function.at(function.at(node).inputs[1]).types[0].constantShape())[0];
        block = channelBlock(machine, filters);
        total += filters;
    }
    return channelBlock(machine, total) == block;
}

/// Shape with the channels of all parts in the one dimension that is not 1.
Ints channelsOfAll(const Ints &one, const std::vector<Data> &parts)
{
    Ints shape = one;
    const auto channels = std::ranges::find_if(shape, [](std::int64_t size) { return size != 1; });
    *channels = 0;
    for (const Data &part : parts)
        *channels += part->size();
    return shape;
}

constexpr Rule convolutions = {
    .op = "nn.conv",
    .kind = &kindOfConvolution,
    .pays = &convolutionsPay,
    .featureAxis = [](std::size_t) { return std::size_t{1}; },
    .call =
        [](Rewritten &r, const std::vector<Data> &weights) {
            Ints shape = weights.front()->shape();
            shape[0] = 0;
            for (const Data &part : weights)
                shape[0] += part->shape()[0];
            return r.call("nn.conv", {r.inputs[0], r.builder.constant(joinedData(weights, shape))},
                          r.node.attributes);
        },
    .constantShape = &channelsOfAll,
    .part =
        [](Rewritten &r, Value all, const Node &node, std::int64_t, std::int64_t begin) {
            return sliced(r, all, node, 1, begin, (*node.types[0].constantShape())[1]);
        },
};

/// The shape of the matrix; all are of one shape.
std::optional<Ints> kindOfProduct(const Function &function, const Node &node, const target::Machine &)
{
    const auto rows = function.typeOf(node.inputs[0]).constantShape();
    Ints weight = *function.typeOf(node.inputs[1]).constantShape();
    const auto isSet = [&](std::string_view name) {
        return std::get<bool>(node.attributes.find(name)->second);
    };
    if (!rows || rows->size() < 2 || std::ranges::contains(*rows, 0) || weight.size() != 2
        || isSet("transpose_a") || isSet("transpose_b"))
        return std::nullopt;
    return weight;
}

constexpr Rule products = {
    .op = "nn.matmul",
    .kind = &kindOfProduct,
    .pays = [](const Function &, const std::vector<int> &, const target::Machine &) { return true; },
    .featureAxis = [](std::size_t rank) { return rank - 1; },
    .call =
        [](Rewritten &r, const std::vector<Data> &weights) {
            const Ints &one = weights.front()->shape();
            const Value rows = r.call("reshape", {r.inputs[0]}, {{"newshape", Ints{-1, one[0]}}});
            return r.call("nn.matmul",
                          {rows, r.builder.constant(joinedData(
                                     weights, {static_cast<std::int64_t>(weights.size()), one[0], one[1]}))},
                          r.node.attributes);
        },
    .constantShape =
        [](const Ints &, const std::vector<Data> &parts) {
            return Ints{static_cast<std::int64_t>(parts.size()), 1, parts.front()->size()};
        },
    .part =
        [](Rewritten &r, Value all, const Node &node, std::int64_t i, std::int64_t) {
            const Value part = sliced(r, all, node, 0, i, 1);
            return r.builder.call("reshape", {part}, {{"newshape", *node.types[0].constantShape()}},
                                  node.name);
        },
};

} // namespace

Function combineParallelConv2d(const Function &function, const target::Machine &machine)
{
    return CombinePass(function, convolutions, machine).run();
}

Function combineParallelDense(const Function &function, const target::Machine &machine)
{
    return CombinePass(function, products, machine).run();
}

} // namespace nestwright::graph
