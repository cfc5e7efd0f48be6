// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/ml/tree_ensemble.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <map>

namespace nestwright::graph::onnx {

std::vector<double> realsOf(const NodeImport &node, const std::string &name)
{
    const OnnxTensor tensor = node.tensor(name + "_as_tensor");
    if (!tensor.data)
        return node.reals(name);
    std::vector<double> values;
    for (std::int64_t i = 0; i < tensor.data->size(); ++i)
        values.push_back(tensor.data->at(i));
    return values;
}

namespace {

template <class Values>
const Values &sized(const NodeImport &node, const Values &values, std::size_t count, std::string_view name)
{
    if (values.size() != count)
        node.unsupported(
            std::format("\"{}\" has {} elements where {} are expected", name, values.size(), count));
    return values;
}

/// How often nodes were met in training: changes no result.
void readHitRates(const NodeImport &node) { (void)realsOf(node, "nodes_hitrates"); }

TreeTest testNamed(const NodeImport &node, const std::string &name)
{
    constexpr std::pair<std::string_view, TreeTest> tests[] = {
        {"BRANCH_LEQ", TreeTest::AtMost}, {"BRANCH_LT", TreeTest::Below}, {"BRANCH_GTE", TreeTest::AtLeast},
        {"BRANCH_GT", TreeTest::Above},   {"BRANCH_EQ", TreeTest::Equal}, {"BRANCH_NEQ", TreeTest::Unequal}};
    const auto found = std::ranges::find(tests, name, &std::pair<std::string_view, TreeTest>::first);
    if (found == std::end(tests))
        node.unsupported(std::format("there is no mode \"{}\"", name));
    return found->second;
}

/// Nodes named by tree and number, as versions 1 to 3 write them; `prefix`: "class" or "target".
class NamedNodes {
public:
    NamedNodes(const NodeImport &node, const std::string &prefix) : m_node(node), m_prefix(prefix) {}

    void read(Ensemble &ensemble)
    {
        m_modes = m_node.texts("nodes_modes");
        m_trees = sized(m_node, m_node.integers("nodes_treeids"), m_modes.size(), "nodes_treeids");
        m_ids = sized(m_node, m_node.integers("nodes_nodeids"), m_modes.size(), "nodes_nodeids");
        for (std::size_t i = 0; i < m_modes.size(); ++i)
            place(i, ensemble.trees);
        for (std::size_t i = 0; i < m_modes.size(); ++i) {
            if (i == 0 || m_trees[i] != m_trees[i - 1])
                ensemble.trees.roots.push_back(m_places[i]);
        }
        readNodes(ensemble.trees);
        readWeights(ensemble);
    }

private:
    void place(std::size_t i, Trees &trees)
    {
        if (!m_numbers.emplace(std::pair(m_trees[i], m_ids[i]), i).second)
            m_node.unsupported(std::format("node {} of tree {} is there twice", m_ids[i], m_trees[i]));
        const bool isLeaf = m_modes[i] == "LEAF";
        m_places.push_back(isLeaf ? leafBit | trees.leaves++ : trees.nodes.size());
        if (!isLeaf)
            trees.nodes.emplace_back();
    }

    std::size_t placeOf(std::int64_t tree, std::int64_t id) const
    {
        const auto found = m_numbers.find({tree, id});
        if (found == m_numbers.end())
            m_node.unsupported(std::format("there is no node {} in tree {}", id, tree));
        return m_places[found->second];
    }

    void readNodes(Trees &trees) const
    {
        const std::size_t count = m_modes.size();
        const Ints features = m_node.integers("nodes_featureids"),
                   taken = m_node.integers("nodes_truenodeids"),
                   other = m_node.integers("nodes_falsenodeids"),
                   missing = m_node.integers("nodes_missing_value_tracks_true");
        const std::vector<double> splits = realsOf(m_node, "nodes_values");
        sized(m_node, features, count, "nodes_featureids");
        sized(m_node, taken, count, "nodes_truenodeids");
        sized(m_node, other, count, "nodes_falsenodeids");
        sized(m_node, splits, count, "nodes_values");
        readHitRates(m_node);
        for (std::size_t i = 0; i < count; ++i) {
            if ((m_places[i] & leafBit) != 0)
                continue;
            trees.nodes[m_places[i]] = {testNamed(m_node, m_modes[i]),
                                        features[i],
                                        splits[i],
                                        {},
                                        placeOf(m_trees[i], taken[i]),
                                        placeOf(m_trees[i], other[i]),
                                        i < missing.size() && missing[i] == 1};
        }
    }

    void readWeights(Ensemble &ensemble) const
    {
        const Ints targets = m_node.integers(m_prefix + "_ids"), ids = m_node.integers(m_prefix + "_nodeids"),
                   trees = m_node.integers(m_prefix + "_treeids");
        const std::vector<double> weights = realsOf(m_node, m_prefix + "_weights");
        sized(m_node, ids, targets.size(), m_prefix + "_nodeids");
        sized(m_node, trees, targets.size(), m_prefix + "_treeids");
        sized(m_node, weights, targets.size(), m_prefix + "_weights");
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const std::size_t place = placeOf(trees[i], ids[i]);
            if ((place & leafBit) != 0) // a weight of another node is never met
                ensemble.weights.push_back({place & ~leafBit, targets[i], weights[i]});
        }
    }

    const NodeImport &m_node;
    std::string m_prefix;
    std::vector<std::string> m_modes;
    Ints m_trees, m_ids;
    std::vector<std::size_t> m_places; ///< as in TreeNode::taken
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> m_numbers;
};

std::vector<double> tensorReals(const NodeImport &node, const char *name)
{
    const OnnxTensor tensor = node.tensor(name);
    std::vector<double> values;
    for (std::int64_t i = 0; tensor.data && i < tensor.data->size(); ++i)
        values.push_back(tensor.data->at(i));
    return values;
}

} // namespace

void readNamedNodes(const NodeImport &node, const std::string &prefix, Ensemble &ensemble)
{
    NamedNodes(node, prefix).read(ensemble);
}

void readPlacedNodes(const NodeImport &node, Ensemble &ensemble)
{
    const Ints features = node.integers("nodes_featureids"), taken = node.integers("nodes_truenodeids"),
               other = node.integers("nodes_falsenodeids"), takenIsLeaf = node.integers("nodes_trueleafs"),
               otherIsLeaf = node.integers("nodes_falseleafs"),
               missing = node.integers("nodes_missing_value_tracks_true");
    const std::size_t count = features.size();
    (void)tensorReals(node, "nodes_hitrates");
    const std::vector<double> modes = tensorReals(node, "nodes_modes"),
                              splits = tensorReals(node, "nodes_splits"),
                              members = tensorReals(node, "membership_values"),
                              weights = tensorReals(node, "leaf_weights");
    const Ints targets = sized(node, node.integers("leaf_targetids"), weights.size(), "leaf_targetids");
    sized(node, taken, count, "nodes_truenodeids");
    sized(node, other, count, "nodes_falsenodeids");
    sized(node, takenIsLeaf, count, "nodes_trueleafs");
    sized(node, otherIsLeaf, count, "nodes_falseleafs");
    sized(node, modes, count, "nodes_modes");
    sized(node, splits, count, "nodes_splits");
    const auto place = [&](std::int64_t to, bool isLeaf) {
        if (to < 0 || to >= std::ssize(isLeaf ? weights : splits))
            node.unsupported(std::format("there is no {} {}", isLeaf ? "leaf" : "node", to));
        return static_cast<std::size_t>(to) | (isLeaf ? leafBit : 0);
    };
    auto member = members.begin();
    for (std::size_t i = 0; i < count; ++i) {
        if (!(modes[i] >= 0 && modes[i] <= 6))
            node.unsupported(std::format("there is no mode {}", modes[i]));
        TreeNode &read = ensemble.trees.nodes.emplace_back();
        read = {static_cast<TreeTest>(modes[i]),
                features[i],
                splits[i],
                {},
                place(taken[i], takenIsLeaf[i] != 0),
                place(other[i], otherIsLeaf[i] != 0),
                i < missing.size() && missing[i] == 1};
        if (read.test != TreeTest::Member)
            continue;
        const auto end = std::find_if(member, members.end(), [](double value) { return std::isnan(value); });
        read.members.assign(member, end);
        member = end == members.end() ? end : end + 1;
    }
    for (const std::int64_t root : node.integers("tree_roots"))
        ensemble.trees.roots.push_back(place(root, false));
    ensemble.trees.leaves = weights.size();
    for (std::size_t i = 0; i < weights.size(); ++i)
        ensemble.weights.push_back({i, targets[i], weights[i]});
}

} // namespace nestwright::graph::onnx
