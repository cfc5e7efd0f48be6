// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/ml/tree_nodes.h"

#include "core/support/errors/errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace nestwright::graph::onnx {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// The next number below in the type.
double below(double x, ir::DataType type)
{
    if (type.bits == 64)
        return std::nextafter(x, -unbounded);
    return std::nextafter(static_cast<float>(x), -std::numeric_limits<float>::infinity());
}

/// A node of the arrays: where its feature lies within bounds it leads the first way.
struct BoundedNode {
    std::int64_t feature = 0;
    double least = -unbounded, most = unbounded;
    std::size_t within = 0, beyond = 0, none = 0; ///< as TreeNode::taken
};

/// Nodes with bounds for all tests.
class BoundedTrees {
public:
    BoundedTrees(const Trees &trees, ir::DataType type) : m_trees(trees), m_type(type)
    {
        nodes.resize(trees.nodes.size());
        for (std::size_t i = 0; i < trees.nodes.size(); ++i)
            nodes[i] = bounded(trees.nodes[i]);
    }

    std::vector<BoundedNode> nodes; ///< the model's at their places, then those made for memberships

private:
    BoundedNode bounded(const TreeNode &node)
    {
        const std::size_t none = node.missingIsTaken ? node.taken : node.other;
        if (node.test == TreeTest::Member)
            return memberNode(node, none);
        const bool isTurned =
            node.test == TreeTest::AtLeast || node.test == TreeTest::Above || node.test == TreeTest::Unequal;
        BoundedNode result{node.feature, -unbounded, node.split, node.taken, node.other, none};
        if (isTurned)
            std::swap(result.within, result.beyond);
        if (node.test == TreeTest::Unequal)
            result.none = node.taken; // no number equals none
        const bool isStrict = node.test == TreeTest::Below || node.test == TreeTest::AtLeast;
        if (node.test == TreeTest::Equal || node.test == TreeTest::Unequal)
            result.least = node.split;
        else if (isStrict && node.split > -unbounded)
            result.most = below(node.split, m_type);
        // Nothing is below the least number, and nothing compares with none.
        const bool isNever = std::isnan(node.split) || (isStrict && node.split == -unbounded);
        if (isNever) {
            result.least = -unbounded;
            result.most = unbounded;
            const bool holds = !std::isnan(node.split) ? isTurned : node.test == TreeTest::Unequal;
            result.within = result.beyond = holds ? node.taken : node.other;
        }
        return result;
    }

    /// A search among the sorted members.
    BoundedNode memberNode(const TreeNode &node, std::size_t none)
    {
        std::vector<double> members = node.members;
        std::erase_if(members, [](double member) { return std::isnan(member); });
        std::ranges::sort(members);
        if (members.empty())
            return {node.feature, -unbounded, unbounded, node.other, node.other, none};
        return search(node, none, members, 0, members.size());
    }

    BoundedNode search(const TreeNode &node, std::size_t none, const std::vector<double> &members,
                       std::size_t begin, std::size_t end)
    {
        if (end - begin == 1)
            return {node.feature, members[begin], members[begin], node.taken, node.other, none};
        const std::size_t middle = begin + (end - begin) / 2;
        const auto placed = [&](const BoundedNode &part) {
            nodes.push_back(part);
            return nodes.size() - 1;
        };
        const std::size_t low = placed(search(node, none, members, begin, middle));
        const std::size_t high = placed(search(node, none, members, middle, end));
        return {node.feature, -unbounded, members[middle - 1], low, high, none};
    }

    const Trees &m_trees;
    ir::DataType m_type;
};

/// Walks through the trees from their roots and gives each node its place.
class ArrayBuilder {
public:
    ArrayBuilder(const Trees &trees, ir::DataType type) : m_nodes(BoundedTrees(trees, type).nodes)
    {
        m_places.resize(m_nodes.size(), unvisited);
        for (const std::size_t root : trees.roots)
            m_roots.push_back(visit(root));
    }

    TreeArrays run()
    {
        const auto leaves = static_cast<std::int32_t>(m_arrays.leaves.size());
        m_arrays.depth = depth();
        m_arrays.waysPerNode = m_hasThird ? 3 : 2;
        m_arrays.features.assign(m_arrays.leaves.size(), 0);
        m_arrays.most.assign(m_arrays.leaves.size(), unbounded);
        m_arrays.least.assign(m_arrays.leaves.size(), -unbounded);
        for (std::int32_t leaf = 0; leaf < leaves; ++leaf)
            m_arrays.ways.insert(m_arrays.ways.end(), static_cast<std::size_t>(m_arrays.waysPerNode), leaf);
        const auto place = [&](std::int64_t reached) {
            return static_cast<std::int32_t>(reached < 0 ? -1 - reached : leaves + reached);
        };
        for (const Visited &each : m_visited) {
            const BoundedNode &node = m_nodes[each.node];
            m_arrays.features.push_back(static_cast<std::int32_t>(node.feature));
            m_arrays.most.push_back(node.most);
            m_arrays.least.push_back(node.least);
            for (std::size_t way = 0; way < static_cast<std::size_t>(m_arrays.waysPerNode); ++way)
                m_arrays.ways.push_back(place(each.ways[way]));
        }
        for (const std::int64_t root : m_roots)
            m_arrays.roots.push_back(place(root));
        return std::move(m_arrays);
    }

private:
    /// Ways: places among those visited, or -1 - that of a leaf.
    struct Visited {
        std::size_t node = 0;
        std::array<std::int64_t, 3> ways{};
    };

    /// Visits a tree without recursion: files may hold trees of any depth.
    std::int64_t visit(std::size_t root)
    {
        auto next = m_visited.size();
        const std::int64_t first = placeOf(root);
        for (; next < m_visited.size(); ++next) {
            const BoundedNode &node = m_nodes[m_visited[next].node];
            const std::array ways{placeOf(node.within), placeOf(node.beyond), placeOf(node.none)};
            m_visited[next].ways = ways;
            m_hasThird = m_hasThird || ways[2] != ways[1];
            m_arrays.hasLeast = m_arrays.hasLeast || node.least > -unbounded;
        }
        return first;
    }

    std::int64_t placeOf(std::size_t target)
    {
        if ((target & leafBit) != 0) {
            const auto [found, isNew] = m_leaves.emplace(target, -1 - std::ssize(m_arrays.leaves));
            if (isNew)
                m_arrays.leaves.push_back(target & ~leafBit);
            return found->second;
        }
        if (m_places[target] == unvisited) {
            m_places[target] = std::ssize(m_visited);
            m_visited.push_back({target});
        }
        return m_places[target];
    }

    /// Nodes of the longest way, in topological order: a node may be reached from several.
    std::int64_t depth() const
    {
        std::vector<std::size_t> open(m_visited.size()), ready;
        const auto visitNext = [&](const Visited &each, const auto &next) {
            for (const std::int64_t way : each.ways) {
                if (way >= 0)
                    next(static_cast<std::size_t>(way));
            }
        };
        for (const Visited &each : m_visited)
            visitNext(each, [&](std::size_t way) { ++open[way]; });
        std::vector<std::int64_t> above(m_visited.size(), 1);
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (open[i] == 0)
                ready.push_back(i);
        }
        std::int64_t deepest = 1;
        for (std::size_t done = 0; done < ready.size(); ++done) {
            const std::size_t at = ready[done];
            deepest = std::max(deepest, above[at]);
            visitNext(m_visited[at], [&](std::size_t way) {
                above[way] = std::max(above[way], above[at] + 1);
                if (--open[way] == 0)
                    ready.push_back(way);
            });
        }
        if (ready.size() != m_visited.size())
            throw support::UserError(
                support::diagnostic("onnx.tree", "a node of its trees leads back to itself"));
        return deepest;
    }

    static constexpr std::int64_t unvisited = -1;
    std::vector<BoundedNode> m_nodes;
    std::vector<std::int64_t> m_places; ///< of nodes among those visited
    std::unordered_map<std::size_t, std::int64_t> m_leaves;
    std::vector<std::int64_t> m_roots;
    std::vector<Visited> m_visited;
    TreeArrays m_arrays;
    bool m_hasThird = false;
};

} // namespace

TreeArrays treeArrays(const Trees &trees, ir::DataType type) { return ArrayBuilder(trees, type).run(); }

} // namespace nestwright::graph::onnx
