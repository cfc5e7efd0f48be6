// SPDX-License-Identifier: Apache-2.0
/// Ensembles of decision trees of the domain ai.onnx.ml, as versions 1 to 3 and 5 write them.
#include "core/frontend/onnx/ml/class_scores.h"
#include "core/frontend/onnx/ml/tree_ensemble.h"

#include <algorithm>
#include <format>
#include <limits>
#include <set>

namespace nestwright::graph::onnx {

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

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

/// Sum over all trees, N × targets in float64, without base values.
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
    readNamedNodes(node, "target", ensemble);
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
    readNamedNodes(node, "class", ensemble);
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
