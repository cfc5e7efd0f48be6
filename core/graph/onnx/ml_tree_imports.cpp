// SPDX-License-Identifier: Apache-2.0
/// Ensembles of decision trees of the domain ai.onnx.ml, as versions 1 to 3 and 5 write them.
#include "core/graph/onnx/class_scores.h"
#include "core/graph/onnx/tree_nodes.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <limits>
#include <map>
#include <set>

namespace nestwright::graph::onnx {

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

/// What a leaf adds to a target, or to the score of a class.
struct LeafWeight {
    std::size_t leaf = 0; ///< of Trees
    std::int64_t target = 0;
    double weight = 0;
};

struct Ensemble {
    Trees trees;
    std::vector<LeafWeight> weights;
    std::int64_t targets = 1;
    std::vector<double> base;
    std::string combination = "SUM";
};

/// The attribute, or the tensor that newer versions give for it.
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

/// Nodes and leaves by their places, as version 5 writes them.
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

void checkEnsemble(const NodeImport &node, const Ensemble &ensemble, std::int64_t features)
{
    if (ensemble.targets < 1)
        node.unsupported(std::format("it has {} targets", ensemble.targets));
    if (ensemble.trees.roots.empty())
        node.unsupported("it has no trees");
    for (const TreeNode &each : ensemble.trees.nodes) {
        if (each.feature < 0 || each.feature >= features)
            node.unsupported(
                std::format("a node asks for feature {}, but there are {}", each.feature, features));
    }
    for (const LeafWeight &each : ensemble.weights) {
        if (each.target < 0 || each.target >= ensemble.targets)
            node.unsupported(
                std::format("a leaf adds to target {}, but there are {}", each.target, ensemble.targets));
    }
    constexpr std::string_view known[] = {"SUM", "AVERAGE", "MIN", "MAX"};
    if (!std::ranges::contains(known, ensemble.combination))
        node.unsupported(std::format("there is no aggregate_function \"{}\"", ensemble.combination));
}

Value intArray(NodeImport &node, const std::vector<std::int32_t> &values, Ints shape)
{
    ir::NdArray array(ir::DataType::int32(), std::move(shape));
    std::ranges::copy(values, array.data<std::int32_t>());
    return node.constant(std::move(array));
}

/// The leaf of each tree for each row.
Value leavesOf(NodeImport &node, Value x, const TreeArrays &arrays)
{
    const ir::DataType type = node.typeOf(x).dtype;
    const std::int64_t nodes = std::ssize(arrays.features), trees = std::ssize(arrays.roots);
    Values inputs{x, intArray(node, arrays.roots, {trees}), intArray(node, arrays.features, {nodes}),
                  constantOf(node, arrays.most, {nodes}, type),
                  intArray(node, arrays.ways, {nodes, arrays.waysPerNode})};
    if (arrays.hasLeast)
        inputs.push_back(constantOf(node, arrays.least, {nodes}, type));
    return node.call("ml.tree_leaves", std::move(inputs), {{"depth", arrays.depth}});
}

/// Weights of the arrays' leaves, a row for each; `none` where a leaf has none for a target.
std::vector<double> weightRows(const NodeImport &node, const Ensemble &ensemble, const TreeArrays &arrays,
                               double none)
{
    requireTable(node, std::ssize(arrays.leaves), ensemble.targets);
    requireTable(node, static_cast<std::int64_t>(ensemble.trees.leaves), ensemble.targets);
    const auto targets = static_cast<std::size_t>(ensemble.targets);
    std::vector<double> own(ensemble.trees.leaves * targets, none);
    for (const LeafWeight &each : ensemble.weights) {
        double &weight = own[each.leaf * targets + static_cast<std::size_t>(each.target)];
        const bool isFirst = weight == none && none != 0;
        weight = ensemble.combination == "MIN"   ? std::min(weight, each.weight)
                 : ensemble.combination == "MAX" ? std::max(weight, each.weight)
                 : isFirst                       ? each.weight
                                                 : weight + each.weight;
    }
    std::vector<double> rows;
    for (const std::size_t leaf : arrays.leaves)
        rows.insert(rows.end(), own.begin() + static_cast<std::ptrdiff_t>(leaf * targets),
                    own.begin() + static_cast<std::ptrdiff_t>((leaf + 1) * targets));
    return rows;
}

/// Trees sorted by their only target, as many for each (others lead to a leaf without weight).
struct TreesByTarget {
    Trees trees;
    std::int64_t perTarget = 0;
};

/// Nothing where a tree adds to several targets, or sorting would make too many trees.
std::optional<TreesByTarget> byTarget(const Ensemble &ensemble)
{
    const bool isSum = ensemble.combination == "SUM" || ensemble.combination == "AVERAGE";
    if (ensemble.targets < 2 || !isSum || ensemble.targets > std::ssize(ensemble.trees.roots))
        return std::nullopt;
    constexpr std::int64_t open = -1;
    std::vector<std::int64_t> targetOf(ensemble.trees.leaves, open);
    for (const LeafWeight &each : ensemble.weights) {
        if (targetOf[each.leaf] != open && targetOf[each.leaf] != each.target)
            return std::nullopt;
        targetOf[each.leaf] = each.target;
    }
    std::vector<std::vector<std::size_t>> roots(static_cast<std::size_t>(ensemble.targets));
    for (const std::size_t root : ensemble.trees.roots) {
        std::set<std::int64_t> targets;
        std::set<std::size_t> seen{root};
        std::vector<std::size_t> next{root};
        while (!next.empty()) {
            const std::size_t at = next.back();
            next.pop_back();
            if ((at & leafBit) != 0) {
                if (targetOf[at & ~leafBit] != open)
                    targets.insert(targetOf[at & ~leafBit]);
                continue;
            }
            for (const std::size_t to : {ensemble.trees.nodes[at].taken, ensemble.trees.nodes[at].other}) {
                if (seen.insert(to).second)
                    next.push_back(to);
            }
        }
        if (targets.size() > 1)
            return std::nullopt;
        if (!targets.empty())
            roots[static_cast<std::size_t>(*targets.begin())].push_back(root);
    }
    const std::size_t most = std::ranges::max(roots, {}, &std::vector<std::size_t>::size).size();
    if (most == 0 || most * roots.size() > 2 * ensemble.trees.roots.size())
        return std::nullopt;
    TreesByTarget sorted{ensemble.trees, static_cast<std::int64_t>(most)};
    sorted.trees.roots.clear();
    for (std::vector<std::size_t> &each : roots) {
        each.resize(most, leafBit | ensemble.trees.leaves);
        sorted.trees.roots.insert(sorted.trees.roots.end(), each.begin(), each.end());
    }
    ++sorted.trees.leaves;
    return sorted;
}

/// The sums of trees that are sorted by their target, N × targets in float64.
Value sumsByTarget(NodeImport &node, Value x, const Ensemble &ensemble, const TreesByTarget &sorted)
{
    const TreeArrays arrays = treeArrays(sorted.trees, node.typeOf(x).dtype);
    std::vector<double> weights(sorted.trees.leaves, 0), placed;
    for (const LeafWeight &each : ensemble.weights)
        weights[each.leaf] += each.weight;
    for (const std::size_t leaf : arrays.leaves)
        placed.push_back(weights[leaf]);
    const Value table = constantOf(node, placed, {std::ssize(placed)}, ir::DataType::float_(64));
    const Value leaves = node.reshape(leavesOf(node, x, arrays), {-1, ensemble.targets, sorted.perTarget});
    return node.call("sum", {node.call("take", {table, leaves}, {{"axis", std::int64_t{0}}})},
                     {{"axes", Ints{2}}, {"keepdims", false}});
}

/// What all trees give together, N × targets in float64, without base values.
Value combinedScores(NodeImport &node, Value x, const Ensemble &ensemble)
{
    if (const auto sorted = byTarget(ensemble))
        return sumsByTarget(node, x, ensemble, *sorted);
    const bool isLeast = ensemble.combination == "MIN", isMost = ensemble.combination == "MAX";
    const double none = isLeast ? endless : isMost ? -endless : 0;
    const TreeArrays arrays = treeArrays(ensemble.trees, node.typeOf(x).dtype);
    const Value table = constantOf(node, weightRows(node, ensemble, arrays, none),
                                   {std::ssize(arrays.leaves), ensemble.targets}, ir::DataType::float_(64));
    const Value terms = node.call("take", {table, leavesOf(node, x, arrays)}, {{"axis", std::int64_t{0}}});
    const Value scores = node.call(isLeast  ? "min"
                                   : isMost ? "max"
                                            : "sum",
                                   {terms}, {{"axes", Ints{1}}, {"keepdims", false}});
    if (!isLeast && !isMost)
        return scores;
    const Value isNone = node.call("equal", {scores, node.scalarLike(none, scores)});
    return node.call("where", {isNone, node.scalarLike(0, scores), scores});
}

/// The features as ONNX Runtime compares them: float64 stays, all others are float32.
Value comparedRows(NodeImport &node, const ImportedValues &inputs)
{
    const bool isWide = node.type().dtype == ir::DataType::float_(64);
    return featureRows(node, inputs, isWide ? ir::DataType::float_(64) : ir::DataType::float32());
}

Value averaged(NodeImport &node, Value scores, const Ensemble &ensemble)
{
    if (ensemble.combination != "AVERAGE")
        return scores;
    const auto trees = static_cast<double>(ensemble.trees.roots.size());
    return node.call("divide", {scores, node.scalarLike(trees, scores)});
}

Value withBase(NodeImport &node, Value scores, const std::vector<double> &base)
{
    if (base.empty())
        return scores;
    return node.call("add",
                     {scores, constantOf(node, base, {1, std::ssize(base)}, ir::DataType::float_(64))});
}

/// Scores of targets, one column or several.
ImportedValue regression(NodeImport &node, Value x, Ensemble ensemble, const std::string &transform,
                         ir::DataType type)
{
    checkEnsemble(node, ensemble, featuresOf(node, x));
    if (std::ssize(ensemble.base) != ensemble.targets)
        ensemble.base.clear(); // ONNX Runtime leaves them out
    Value scores = averaged(node, combinedScores(node, x, ensemble), ensemble);
    scores = node.cast(withBase(node, scores, ensemble.base), type);
    return {.values = {ensemble.targets == 1 ? transformedColumn(node, scores, transform)
                                             : transformed(node, scores, transform)}};
}

ImportedValues treeRegressor(NodeImport &node, const ImportedValues &inputs)
{
    const Value x = comparedRows(node, inputs);
    Ensemble ensemble;
    NamedNodes(node, "target").read(ensemble);
    ensemble.targets = node.integer("n_targets", 1);
    ensemble.base = realsOf(node, "base_values");
    ensemble.combination = node.text("aggregate_function", "SUM");
    return {regression(node, x, std::move(ensemble), scoreTransform(node), ir::DataType::float32())};
}

ImportedValues treeEnsemble(NodeImport &node, const ImportedValues &inputs)
{
    const Value x = comparedRows(node, inputs);
    Ensemble ensemble;
    readPlacedNodes(node, ensemble);
    ensemble.targets = node.integer("n_targets", 1);
    constexpr std::string_view combinations[] = {"AVERAGE", "SUM", "MIN", "MAX"};
    constexpr std::string_view transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    const std::int64_t combination = node.integer("aggregate_function", 1),
                       transform = node.integer("post_transform", 0);
    if (combination < 0 || combination > 3 || transform < 0 || transform > 4)
        node.unsupported(std::format("there is no aggregate_function {}, or no post_transform {}",
                                     combination, transform));
    ensemble.combination = combinations[combination];
    return {regression(node, x, std::move(ensemble), std::string(transforms[transform]), node.type().dtype)};
}

/// Whether one target alone gets weights.
std::optional<std::int64_t> onlyTarget(const Ensemble &ensemble)
{
    std::set<std::int64_t> targets;
    for (const LeafWeight &each : ensemble.weights)
        targets.insert(each.target);
    return targets.size() == 1 ? std::optional(*targets.begin()) : std::nullopt;
}

/// A column of the scores without its axis.
Value column(NodeImport &node, Value scores, std::int64_t place) { return node.part(scores, 1, place); }

/// Two classes, by the rules of ONNX Runtime: what is scored alone may be the first class (then one score
/// stands for both) or the second; base values count for the second and the first only where both are scored
/// or the first is. `type`: of the scores that decide.
ImportedValues ofTwoClasses(NodeImport &node, const Ensemble &ensemble, Value raw, const ClassLabels &labels,
                            const std::string &transform, ir::DataType type)
{
    const auto only = onlyTarget(ensemble);
    const bool isPositive =
        std::ranges::all_of(ensemble.weights, [](const LeafWeight &each) { return each.weight >= 0; });
    const auto labelled = [&](Value score, double limit) {
        score = node.cast(score, type);
        const Value isSecond = node.call("greater", {score, node.scalarLike(limit, score)});
        return labelsAt(node, labels, placeOfTwo(node, isSecond));
    };
    const double limit = only && isPositive ? 0.5 : 0;
    const auto number = [&](double value) { return node.scalarLike(value, raw); };
    Value first = node.slice(raw, 1, 0, 1), second = node.slice(raw, 1, 1, 2);
    const std::vector<double> &base = ensemble.base;
    if (only == 0 && base.size() < 2) {
        const Value exact = base.empty() ? first : node.call("add", {first, number(base[0])});
        const Value score = node.cast(exact, ir::DataType::float32());
        return {labelled(column(node, exact, 0), limit),
                {.values = {bothScores(
                     node, score, isPositive ? SecondScore::Complement : SecondScore::Opposite, transform)}}};
    }
    if (only == 0) {
        first = node.call("add", {first, number(base[0])});
    } else if (base.size() == 2) {
        second = node.call("add", {first, number(base[1])});
        if (!only)
            first = node.call("negative", {second});
    } else if (base.size() == 1 && !only) {
        first = node.call("add", {first, number(base[0])});
    }
    const Value exact = node.concatenate({first, second}, 1);
    return {labelled(column(node, exact, only == 0 ? 0 : 1), limit),
            {.values = {transformed(node, node.cast(exact, ir::DataType::float32()), transform)}}};
}

/// The class with the largest score; one that no leaf and no base value scores is left out.
ImportedValue mostLikely(NodeImport &node, const Ensemble &ensemble, Value scores, const ClassLabels &labels)
{
    std::vector<double> added(labels.count(), -endless);
    for (const LeafWeight &each : ensemble.weights)
        added[static_cast<std::size_t>(each.target)] = 0;
    std::fill_n(added.begin(), ensemble.base.size(), 0.0);
    if (std::ranges::contains(added, -endless))
        scores = node.call(
            "add", {scores, constantOf(node, added, {1, std::ssize(added)}, node.typeOf(scores).dtype)});
    return labelsAt(node, labels, largestPlace(node, scores));
}

ImportedValues treeClassifier(NodeImport &node, const ImportedValues &inputs)
{
    const Value x = comparedRows(node, inputs);
    const ClassLabels labels = classLabels(node, "classlabels_int64s", "classlabels_strings");
    const std::string transform = scoreTransform(node);
    Ensemble ensemble;
    NamedNodes(node, "class").read(ensemble);
    ensemble.targets = static_cast<std::int64_t>(labels.count());
    ensemble.base = realsOf(node, "base_values");
    checkEnsemble(node, ensemble, featuresOf(node, x));
    if (ensemble.targets < 2)
        node.unsupported("it needs two classes or more");
    if (std::ssize(ensemble.base) > ensemble.targets)
        node.unsupported(
            std::format("it has {} base values for {} classes", ensemble.base.size(), ensemble.targets));
    const Value raw = combinedScores(node, x, ensemble);
    if (ensemble.targets == 2)
        return ofTwoClasses(node, ensemble, raw, labels, transform, node.typeOf(x).dtype);
    std::vector<double> base = ensemble.base;
    base.resize(base.empty() ? 0 : labels.count(), 0);
    const Value exact = withBase(node, raw, base);
    const Value scores = node.cast(exact, ir::DataType::float32());
    return {mostLikely(node, ensemble, node.cast(exact, node.typeOf(x).dtype), labels),
            {.values = {transformed(node, scores, transform)}}};
}

constexpr LabelledRow treeRowsOf[] = {
    {"TreeEnsemble", &treeEnsemble},
    {"TreeEnsembleClassifier", &treeClassifier},
    {"TreeEnsembleRegressor", &treeRegressor},
};

} // namespace

std::span<const LabelledRow> treeImports() { return treeRowsOf; }

} // namespace nestwright::graph::onnx
