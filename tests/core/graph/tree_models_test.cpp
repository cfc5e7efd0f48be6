// SPDX-License-Identifier: Apache-2.0
// Ensembles of decision trees beside a walk through the nodes as the model has them: random trees of all
// tests, with numbers that are none, splits that are met exactly, infinities.
#include "tests/core/graph/made_models.h"
#include "tests/core/graph/run_graph.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <random>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

using Ints = std::vector<std::int64_t>;
using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

constexpr double noNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();
constexpr std::int64_t rows = 23, features = 4;

/// Node numbers count within a tree; leaves have the mode "LEAF".
struct Ensemble {
    Ints trees, ids, features, taken, other, missing;
    Numbers splits;
    Texts modes;
    Ints leafTrees, leafIds, targets;
    Numbers weights;
};

/// Sums of the trees for each target, in the order of the file.
struct Walk {
    const Ensemble &ensemble;
    const ir::NdArray &x;

    std::size_t find(std::int64_t tree, std::int64_t id) const
    {
        for (std::size_t i = 0; i < ensemble.ids.size(); ++i) {
            if (ensemble.trees[i] == tree && ensemble.ids[i] == id)
                return i;
        }
        qFatal("there is no such node");
    }
    bool holds(const std::string &mode, double value, double split) const
    {
        return mode == "BRANCH_LEQ"   ? value <= split
               : mode == "BRANCH_LT"  ? value < split
               : mode == "BRANCH_GTE" ? value >= split
               : mode == "BRANCH_GT"  ? value > split
               : mode == "BRANCH_EQ"  ? value == split
                                      : value != split;
    }
    std::vector<std::pair<std::int64_t, double>> added(std::int64_t tree, std::int64_t row) const
    {
        std::size_t at = find(tree, 0);
        while (ensemble.modes[at] != "LEAF") {
            const double value = x.at(row * features + ensemble.features[at]);
            const bool goes = holds(ensemble.modes[at], value, ensemble.splits[at])
                              || (std::isnan(value) && ensemble.missing[at] == 1);
            at = find(tree, goes ? ensemble.taken[at] : ensemble.other[at]);
        }
        std::vector<std::pair<std::int64_t, double>> result;
        for (std::size_t i = 0; i < ensemble.targets.size(); ++i) {
            if (ensemble.leafTrees[i] == tree && ensemble.leafIds[i] == ensemble.ids[at])
                result.emplace_back(ensemble.targets[i], ensemble.weights[i]);
        }
        return result;
    }
};

class RandomTrees {
public:
    explicit RandomTrees(unsigned seed) : m_random(seed) {}

    std::int64_t below(std::int64_t n)
    {
        return static_cast<std::int64_t>(m_random() % static_cast<unsigned>(n));
    }
    /// Few values, so that splits are met.
    double number()
    {
        constexpr double special[] = {noNumber, endless, -endless, 0.0, -0.0};
        return below(9) == 0 ? special[below(5)] : static_cast<double>(below(9) - 4) / 4;
    }
    ir::NdArray matrix(ir::DataType type = ir::DataType::float32())
    {
        ir::NdArray made(type, {rows, features});
        for (std::int64_t i = 0; i < made.size(); ++i)
            made.set(i, number());
        return made;
    }

    /// Each leaf has a weight for one target, or for all (`targets` < 0: for the tree's own).
    Ensemble ensemble(std::int64_t trees, std::int64_t targets, bool ownTarget, bool positive = false)
    {
        Ensemble made;
        for (std::int64_t tree = 0; tree < trees; ++tree)
            grow(made, tree, targets, ownTarget, positive);
        return made;
    }

private:
    void grow(Ensemble &made, std::int64_t tree, std::int64_t targets, bool ownTarget, bool positive)
    {
        const Texts modes{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"};
        const std::size_t begin = made.ids.size();
        const std::int64_t inner = below(7);
        std::int64_t next = 1;
        for (std::int64_t id = 0; id < 2 * inner + 1; ++id) {
            // The first nodes in the order of their numbers have children.
            const bool isLeaf = id >= inner;
            made.trees.push_back(tree);
            made.ids.push_back(id);
            made.features.push_back(isLeaf ? 0 : below(features));
            made.splits.push_back(isLeaf ? 0 : number());
            made.modes.push_back(isLeaf ? "LEAF" : modes[static_cast<std::size_t>(below(6))]);
            made.missing.push_back(isLeaf ? 0 : below(2));
            made.taken.push_back(isLeaf ? 0 : next++);
            made.other.push_back(isLeaf ? 0 : next++);
        }
        for (std::size_t i = begin; i < made.ids.size(); ++i) {
            if (made.modes[i] != "LEAF")
                continue;
            for (std::int64_t target = 0; target < targets; ++target) {
                if (ownTarget && target != tree % targets)
                    continue;
                made.leafTrees.push_back(tree);
                made.leafIds.push_back(made.ids[i]);
                made.targets.push_back(target);
                made.weights.push_back(static_cast<double>(below(33) - (positive ? 0 : 16)) / 8);
            }
        }
    }

    std::mt19937 m_random;
};

OnnxNode treeNode(const Ensemble &e, bool isClassifier)
{
    OnnxNode made = node(isClassifier ? "TreeEnsembleClassifier" : "TreeEnsembleRegressor", {"x"},
                         isClassifier ? Texts{"label", "y"} : Texts{"y"});
    made.domain = "ai.onnx.ml";
    const std::string prefix = isClassifier ? "class" : "target";
    made.attributes = {{"nodes_treeids", e.trees},         {"nodes_nodeids", e.ids},
                       {"nodes_featureids", e.features},   {"nodes_truenodeids", e.taken},
                       {"nodes_falsenodeids", e.other},    {"nodes_missing_value_tracks_true", e.missing},
                       {"nodes_values", e.splits},         {"nodes_modes", e.modes},
                       {prefix + "_treeids", e.leafTrees}, {prefix + "_nodeids", e.leafIds},
                       {prefix + "_ids", e.targets},       {prefix + "_weights", e.weights}};
    return made;
}

OnnxModel treeModel(OnnxNode node, ir::DataType type = ir::DataType::float32())
{
    OnnxValue x = floats("x", {rows, features});
    x.dtype = type;
    OnnxModel made = model({std::move(node)}, {x});
    if (made.nodes[0].outputs.size() == 2)
        made.outputs = {floats("label", {}), floats("y", {})};
    return made;
}

/// By the interpreter, and by kernels: as they are, and optimised.
std::string beside(const OnnxModel &model, const ir::NdArray &x, const std::vector<ir::NdArray> &expected)
{
    const auto imported = importModel(model);
    if (!imported)
        return imported.error().message;
    const auto plain = interpreted(imported->function, {x});
    if (!plain)
        return plain.error().message;
    if (const std::string wrong = difference(expected, *plain); !wrong.empty())
        return "interpreted: " + wrong;
    for (const int level : {0, 3}) {
        graph::PassContext context;
        context.level = level;
        auto optimized = graph::optimize(imported->function, context);
        if (!optimized)
            return optimized.error().message;
        const auto run = compiled(std::move(optimized->function), {x});
        if (!run)
            return run.error().message;
        if (const std::string wrong = difference(expected, *run); !wrong.empty())
            return std::format("-O{}: {}", level, wrong);
    }
    return {};
}

double combined(const std::string &how, const Numbers &terms, std::int64_t trees)
{
    if (terms.empty())
        return 0;
    double result = terms[0];
    for (std::size_t i = 1; i < terms.size(); ++i)
        result = how == "MIN"   ? std::min(result, terms[i])
                 : how == "MAX" ? std::max(result, terms[i])
                                : result + terms[i];
    return how == "AVERAGE" ? result / static_cast<double>(trees) : result;
}

/// Rows × targets of what the trees give.
std::vector<Numbers> scores(const Ensemble &ensemble, const ir::NdArray &x, std::int64_t trees,
                            std::int64_t targets, const std::string &how = "SUM")
{
    const Walk walk{ensemble, x};
    std::vector<Numbers> result;
    for (std::int64_t row = 0; row < rows; ++row) {
        std::vector<Numbers> terms(static_cast<std::size_t>(targets));
        for (std::int64_t tree = 0; tree < trees; ++tree) {
            for (const auto &[target, weight] : walk.added(tree, row))
                terms[static_cast<std::size_t>(target)].push_back(weight);
        }
        Numbers all;
        for (const Numbers &each : terms)
            all.push_back(combined(how, each, trees));
        result.push_back(all);
    }
    return result;
}

ir::NdArray array(const std::vector<Numbers> &values, ir::DataType type = ir::DataType::float32())
{
    ir::NdArray made(type, {std::ssize(values), std::ssize(values.front())});
    for (std::int64_t i = 0; i < made.size(); ++i)
        made.set(i, values[static_cast<std::size_t>(i / std::ssize(values[0]))]
                          [static_cast<std::size_t>(i % std::ssize(values[0]))]);
    return made;
}

ir::NdArray wholes(const Ints &values)
{
    ir::NdArray made(ir::DataType::int64(), {std::ssize(values)});
    for (std::size_t i = 0; i < values.size(); ++i)
        made.set(static_cast<std::int64_t>(i), static_cast<double>(values[i]));
    return made;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

} // namespace

class TreeModelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void regressors()
    {
        const Texts combinations{"SUM", "AVERAGE", "MIN", "MAX"};
        for (unsigned seed = 0; seed < 10; ++seed) {
            RandomTrees random(seed);
            const std::int64_t trees = 1 + random.below(6), targets = 1 + random.below(3);
            const Ensemble ensemble = random.ensemble(trees, targets, seed % 3 == 0);
            const std::string how = combinations[seed % 4];
            const bool isWide = seed % 5 == 1;
            const ir::DataType type = isWide ? ir::DataType::float_(64) : ir::DataType::float32();
            const ir::NdArray x = random.matrix(type);
            OnnxNode node = treeNode(ensemble, false);
            node.attributes["n_targets"] = targets;
            node.attributes["aggregate_function"] = how;
            std::vector<Numbers> expected = scores(ensemble, x, trees, targets, how);
            if (seed % 2 == 0) {
                Numbers base(static_cast<std::size_t>(targets), 0.25);
                base.back() = -1;
                node.attributes["base_values"] = base;
                for (Numbers &row : expected) {
                    for (std::size_t k = 0; k < row.size(); ++k)
                        row[k] += base[k];
                }
            }
            const std::string wrong = beside(treeModel(node, type), x, {array(expected)});
            QVERIFY2(wrong.empty(),
                     qPrintable(QString("seed %1, %2: ").arg(seed).arg(how.c_str()) + wrong.c_str()));
        }
    }

    void classifiersOfSeveralClasses()
    {
        for (unsigned seed = 0; seed < 4; ++seed) {
            RandomTrees random(seed + 100);
            const std::int64_t trees = 6, targets = 3;
            const Ensemble ensemble = random.ensemble(trees, targets, seed % 2 == 0);
            const ir::NdArray x = random.matrix();
            OnnxNode node = treeNode(ensemble, true);
            node.attributes["classlabels_int64s"] = Ints{7, -2, 40};
            node.attributes["post_transform"] = std::string(seed % 3 == 0 ? "SOFTMAX" : "NONE");
            std::vector<Numbers> expected = scores(ensemble, x, trees, targets);
            Ints labels;
            for (Numbers &row : expected) {
                labels.push_back(
                    Ints{7, -2, 40}[static_cast<std::size_t>(std::ranges::max_element(row) - row.begin())]);
                double sum = 0;
                for (const double score : row)
                    sum += std::exp(score);
                for (double &score : row)
                    score = seed % 3 == 0 ? std::exp(score) / sum : score;
            }
            const std::string wrong = beside(treeModel(node), x, {wholes(labels), array(expected)});
            QVERIFY2(wrong.empty(), qPrintable(QString("seed %1: ").arg(seed) + wrong.c_str()));
        }
    }

    /// One score for both classes: probabilities where no weight is negative, else numbers around 0.
    void classifiersOfTwoClasses()
    {
        for (unsigned seed = 0; seed < 8; ++seed) {
            RandomTrees random(seed + 200);
            const bool isPositive = seed % 2 == 0, isLogistic = seed % 4 >= 2;
            const Ensemble ensemble = random.ensemble(4, 1, true, isPositive);
            const ir::NdArray x = random.matrix();
            OnnxNode node = treeNode(ensemble, true);
            node.attributes["classlabels_int64s"] = Ints{3, 5};
            node.attributes["post_transform"] = std::string(isLogistic ? "LOGISTIC" : "NONE");
            if (seed >= 4)
                node.attributes["base_values"] = Numbers{0.25};
            std::vector<Numbers> expected = scores(ensemble, x, 4, 1);
            Ints labels;
            for (Numbers &row : expected) {
                const double score = row[0] + (seed >= 4 ? 0.25 : 0);
                labels.push_back(score > (isPositive ? 0.5 : 0) ? 5 : 3);
                row = isLogistic   ? Numbers{logistic(-score), logistic(score)}
                      : isPositive ? Numbers{1 - score, score}
                                   : Numbers{-score, score};
            }
            const std::string wrong = beside(treeModel(node), x, {wholes(labels), array(expected)});
            QVERIFY2(wrong.empty(), qPrintable(QString("seed %1: ").arg(seed) + wrong.c_str()));
        }
    }

    /// Nodes of version 5: membership among others, leaves by their places.
    void membership()
    {
        OnnxNode node = tests::node("TreeEnsemble", {"x"}, {"y"});
        node.domain = "ai.onnx.ml";
        const auto tensor = [](ir::DataType type, const Numbers &values) {
            ir::NdArray made(type, {std::ssize(values)});
            for (std::size_t i = 0; i < values.size(); ++i)
                made.set(static_cast<std::int64_t>(i), values[i]);
            return OnnxTensor(std::make_shared<const ir::NdArray>(std::move(made)));
        };
        // 0: x0 among {1, 0.5, -0.75, 0.25} → 1: x1 <= 0 → leaf 0 or 1; else leaf 2.
        node.attributes = {
            {"nodes_featureids", Ints{0, 1}},
            {"nodes_truenodeids", Ints{1, 0}},
            {"nodes_falsenodeids", Ints{2, 1}},
            {"nodes_trueleafs", Ints{0, 1}},
            {"nodes_falseleafs", Ints{1, 1}},
            {"nodes_modes", tensor(ir::DataType::uint(8), {6, 0})},
            {"nodes_splits", tensor(ir::DataType::float32(), {0, 0})},
            {"membership_values", tensor(ir::DataType::float32(), {1, 0.5, -0.75, 0.25, noNumber})},
            {"leaf_targetids", Ints{0, 1, 1}},
            {"leaf_weights", tensor(ir::DataType::float32(), {1, 2, 4})},
            {"tree_roots", Ints{0}},
            {"n_targets", std::int64_t{2}}};
        RandomTrees random(300);
        const ir::NdArray x = random.matrix();
        std::vector<Numbers> expected;
        for (std::int64_t row = 0; row < rows; ++row) {
            const double first = x.at(row * features), second = x.at(row * features + 1);
            const bool isMember = first == 1 || first == 0.5 || first == -0.75 || first == 0.25;
            expected.push_back(isMember && second <= 0 ? Numbers{1, 0} : Numbers{0, isMember ? 2.0 : 4.0});
        }
        const std::string wrong = beside(treeModel(node), x, {array(expected)});
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void wrongTreesAreTold()
    {
        RandomTrees random(1);
        Ensemble ensemble;
        while (ensemble.ids.size() < 3)
            ensemble = random.ensemble(1, 1, true);
        const auto messageOf = [](const Ensemble &of) {
            const auto imported = importModel(treeModel(treeNode(of, false)));
            return imported ? std::string("imported") : imported.error().message;
        };
        Ensemble loop = ensemble;
        loop.taken[0] = 0;
        QCOMPARE(messageOf(loop),
                 "node \"n\" (TreeEnsembleRegressor): a node of its trees leads back to itself");
        Ensemble lost = ensemble;
        lost.other[0] = 99;
        QCOMPARE(messageOf(lost), "node \"n\" (TreeEnsembleRegressor): there is no node 99 in tree 0");
        Ensemble far = ensemble;
        far.features[0] = features;
        QCOMPARE(messageOf(far),
                 "node \"n\" (TreeEnsembleRegressor): a node asks for feature 4, but there are 4");
        Ensemble other = ensemble;
        other.modes[0] = "BRANCH_MAYBE";
        QCOMPARE(messageOf(other), "node \"n\" (TreeEnsembleRegressor): there is no mode \"BRANCH_MAYBE\"");
    }
};

QTEST_GUILESS_MAIN(TreeModelsTest)
#include "tree_models_test.moc"
