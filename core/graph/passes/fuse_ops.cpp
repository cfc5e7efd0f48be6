// SPDX-License-Identifier: Apache-2.0
// A simpler form of Relay's fusion: only values with a single reader lie within a group, so groups can never
// depend on each other in a circle.
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/graph/program/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <set>

namespace nestwright::graph {

namespace {

using ops::FusionKind;

/// Inputs of a node that is joined with others: with more, whatever reads the result would hold a case for
/// each.
constexpr std::size_t mostCases = 16;
/// Nodes in a group: a loop that was unrolled may leave a chain of any length.
constexpr int mostMembers = 256;

/// Groups of nodes to be fused.
class Groups {
public:
    explicit Groups(const Function &function)
        : m_function(function)
        , m_leader(function.nodes.size())
        , m_size(function.nodes.size(), 1)
        , m_kind(function.nodes.size())
    {
        std::iota(m_leader.begin(), m_leader.end(), 0);
        for (std::size_t i = 0; i < function.nodes.size(); ++i)
            m_kind[i] = function.nodes[i].kind == NodeKind::Operator ? function.nodes[i].op->fusion
                                                                     : FusionKind::Opaque;
        const std::vector<std::vector<int>> readers = function.readers();
        std::vector<bool> isOutput(function.nodes.size());
        for (const Value output : function.outputs)
            isOutput[static_cast<std::size_t>(output.node)] = true;
        for (std::size_t i = 0; i < function.nodes.size(); ++i) {
            std::set<int> producers;
            for (const Value input : function.nodes[i].inputs)
                producers.insert(input.node);
            // The latest one first: a residual addition waits for it.
            for (const int producer : std::views::reverse(producers)) {
                const auto p = static_cast<std::size_t>(producer);
                if (readers[p].size() == 1 && !isOutput[p])
                    join(producer, static_cast<int>(i));
            }
        }
    }

    /// Halves the way on each step, so that long chains stay cheap.
    int leader(int node) const
    {
        const auto next = [&](int at) -> int & { return m_leader[static_cast<std::size_t>(at)]; };
        while (next(node) != node) {
            next(node) = next(next(node));
            node = next(node);
        }
        return node;
    }

private:
    static bool isTensorExpression(const Node &node)
    {
        return node.kind == NodeKind::Operator && node.op->compute && node.types.size() == 1
               && bytesOf(node.types[0]) > 0 && node.inputs.size() <= mostCases;
    }

    /// Joins the group of `producer` to that of its only reader, where their kinds allow it.
    void join(int producer, int reader)
    {
        const Node &from = m_function.at(producer), &to = m_function.at(reader);
        if (!isTensorExpression(from) || !isTensorExpression(to))
            return;
        const int a = leader(producer), b = leader(reader);
        int &sizeOfA = m_size[static_cast<std::size_t>(a)], &sizeOfB = m_size[static_cast<std::size_t>(b)];
        if (sizeOfA + sizeOfB > mostMembers)
            return;
        FusionKind &before = m_kind[static_cast<std::size_t>(a)],
                   &after = m_kind[static_cast<std::size_t>(b)];
        const bool followsElementwise =
            to.op->fusion <= FusionKind::Broadcast && after <= FusionKind::Injective
            && from.types[0].shape.size() == to.types[0].shape.size()
            && std::ranges::equal(from.types[0].shape, to.types[0].shape, [](const auto &x, const auto &y) {
                   return TensorType{{x}, {}} == TensorType{{y}, {}};
               });
        const bool injective = before <= FusionKind::Injective
                               && (after <= FusionKind::Injective || after == FusionKind::Reduction);
        const bool epilogue =
            (before == FusionKind::OutFusable || before == FusionKind::Reduction) && followsElementwise;
        if (!injective && !epilogue)
            return;
        after = std::max(before, after);
        m_leader[static_cast<std::size_t>(a)] = b;
        sizeOfB += sizeOfA;
    }

    const Function &m_function;
    mutable std::vector<int> m_leader;
    std::vector<int> m_size;        ///< by leader: members
    std::vector<FusionKind> m_kind; ///< by leader
};

/// The members of each group, in order. A view at the edge of a group stands alone: there it costs nothing,
/// while within a kernel it would copy or make indices harder.
std::vector<std::vector<int>> membersOf(const Function &function)
{
    const Groups groups(function);
    std::map<int, std::vector<int>> joined;
    for (int i = 0; i < static_cast<int>(function.nodes.size()); ++i)
        joined[groups.leader(i)].push_back(i);

    std::vector<std::vector<int>> members;
    const auto isEdge = [&](int node) { return isView(function, node); };
    for (auto &[leader, own] : joined) {
        std::set<int> inside(own.begin(), own.end());
        const auto leave = [&](int node) {
            inside.erase(node);
            members.push_back({node});
        };
        for (const int node : own) {
            if (inside.size() > 1 && isEdge(node) && !inside.contains(function.at(node).inputs[0].node))
                leave(node);
        }
        for (const int node : std::views::reverse(own)) {
            if (inside.size() < 2 || node != *inside.rbegin() || !isEdge(node))
                break;
            leave(node);
        }
        members.emplace_back(inside.begin(), inside.end());
    }
    return members;
}

bool isScalarConstant(const Node &node) { return node.isConstant() && node.types[0].shape.empty(); }

/// The function of a group: its nodes in order, behind an input for each value that comes from outside.
struct Outlined {
    std::shared_ptr<const Function> function;
    std::vector<Value> inputs; ///< in the function that the group was part of
};

Outlined outline(const Function &function, const std::vector<int> &members)
{
    Function empty;
    Builder builder(std::move(empty));
    Outlined outlined;
    std::map<Value, Value> inside;
    const std::set<int> own(members.begin(), members.end());
    for (const int place : members) {
        for (const Value input : function.at(place).inputs) {
            if (own.contains(input.node) || inside.contains(input))
                continue;
            if (isScalarConstant(function.at(input))) {
                inside[input] = builder.constant(function.at(input).data);
                continue;
            }
            inside[input] = builder.input(function.at(input).name, function.typeOf(input));
            outlined.inputs.push_back(input);
        }
    }
    std::string name = "fused";
    for (const int place : members) {
        const Node &node = function.at(place);
        std::vector<Value> inputs;
        for (const Value input : node.inputs)
            inputs.push_back(inside.at(input));
        inside[{place, 0}] = {builder.copy(node, std::move(inputs)), 0};
        name += "_" + std::string(node.op->name.substr(node.op->name.rfind('.') + 1));
    }
    Function made = builder.finish({inside.at({members.back(), 0})}, {""});
    made.name = std::move(name);
    outlined.function = std::make_shared<const Function>(std::move(made));
    return outlined;
}

} // namespace

Function fuseOps(const Function &function)
{
    const std::vector<std::vector<int>> groups = membersOf(function);
    std::vector<const std::vector<int> *> groupOf(function.nodes.size());
    for (const std::vector<int> &members : groups) {
        for (const int node : members)
            groupOf[static_cast<std::size_t>(node)] = &members;
    }

    // A group stands where its last node stood; the nodes before it are left out since nothing else reads
    // them.
    std::map<Value, Value> moved;
    return rewrite(function, [&](Rewritten &r) -> std::optional<std::vector<Value>> {
        const std::vector<int> &own = *groupOf[static_cast<std::size_t>(r.place)];
        const auto remember = [&](Value value) {
            moved[{r.place, 0}] = value;
            return std::vector{value};
        };
        if (own.size() == 1) {
            for (std::size_t k = 0; k < r.node.types.size(); ++k)
                moved[{r.place, static_cast<int>(k)}] = {static_cast<int>(r.builder.function().nodes.size()),
                                                         static_cast<int>(k)};
            return std::nullopt;
        }
        if (own.back() != r.place)
            return std::vector<Value>(r.node.types.size(), Value{0, 0}); // read only within the group
        const Outlined outlined = outline(r.before, own);
        Node group;
        group.kind = NodeKind::Group;
        group.name = r.node.name;
        group.function = outlined.function;
        group.types = r.node.types;
        group.tensors = r.node.tensors;
        for (const Value input : outlined.inputs)
            group.inputs.push_back(moved.at(input));
        return remember({r.builder.add(std::move(group)), 0});
    });
}

} // namespace nestwright::graph
