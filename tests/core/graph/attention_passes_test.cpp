// SPDX-License-Identifier: Apache-2.0
// Attention that is spelled out becomes the operator; weights of products go into panels.
#include "tests/core/graph/passes.h"

#include <cmath>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr std::int64_t heads = 4, groups = 2, queries = 20, keys = 12, depth = 8;

/// Ways in which a model may write attention.
struct Spelling {
    bool heads = false;       ///< queries come as batch × position × head × element, and go so
    bool keysFirst = false;   ///< keys and values come like that
    bool shared = false;      ///< heads of keys are repeated
    bool flag = false;        ///< the product itself transposes the keys
    bool oneBatch = false;    ///< keys are exchanged without the dimension of batches
    bool divides = false;     ///< scores are scaled, not queries
    double mask = 0;          ///< what takes the place of scores; 0: nothing
    bool bias = false;        ///< is added
    bool biasBefore = false;  ///< before scores are scaled
    bool readsScores = false; ///< an output as well
    std::int64_t axis = -1;   ///< of softmax
};

Function attention(const Spelling &s)
{
    Builder b;
    const Ints exchange{0, 2, 1, 3};
    const auto byHead = [&](Value x) { return b.call("transpose", {x}, {{"axes", exchange}}); };
    Value q = s.heads ? byHead(b.input("q", floats({1, queries, heads, depth})))
                      : b.input("q", floats({1, heads, queries, depth}));
    const std::int64_t own = s.shared ? groups : heads;
    const auto given = [&](const char *name) {
        Value x = s.keysFirst ? byHead(b.input(name, floats({1, keys, own, depth})))
                              : b.input(name, floats({1, own, keys, depth}));
        if (!s.shared)
            return x;
        x = b.call("reshape", {x}, {{"newshape", Ints{1, groups, 1, keys, depth}}});
        x = b.call("broadcast_to", {x}, {{"shape", Ints{1, groups, heads / groups, keys, depth}}});
        return b.call("reshape", {x}, {{"newshape", Ints{1, heads, keys, depth}}});
    };
    const Value k = given("k"), v = given("v"), root = b.scalar(8, ir::DataType::float32());
    if (!s.divides)
        q = b.call("multiply", {q, b.scalar(0.125, ir::DataType::float32())});
    const auto exchanged = [&](Value x) {
        if (!s.oneBatch)
            return b.call("transpose", {x}, {{"axes", Ints{0, 1, 3, 2}}});
        x = b.call("reshape", {x}, {{"newshape", Ints{heads, keys, depth}}});
        x = b.call("transpose", {x}, {{"axes", Ints{0, 2, 1}}});
        return b.call("reshape", {x}, {{"newshape", Ints{1, heads, depth, keys}}});
    };
    Value scores = s.flag ? b.call("nn.matmul", {q, k}, {{"transpose_b", true}})
                          : b.call("nn.matmul", {q, exchanged(k)});
    const auto addBias = [&] { scores = b.call("add", {weights(b, {1, 1, queries, keys}, 4), scores}); };
    if (s.biasBefore)
        addBias();
    if (s.divides)
        scores = b.call("divide", {scores, root});
    if (s.mask != 0) {
        ir::NdArray seen(ir::DataType::boolean(), {queries, keys});
        for (std::int64_t i = 0; i < seen.size(); ++i)
            seen.set(i, i % keys <= i / keys ? 1 : 0);
        scores =
            b.call("where", {b.constant(std::move(seen)), scores, b.scalar(s.mask, ir::DataType::float32())});
    }
    if (s.bias)
        addBias();
    Value y = b.call("nn.matmul", {b.call("nn.softmax", {scores}, {{"axis", s.axis}}), v});
    if (s.heads)
        y = byHead(y);
    std::vector<Value> outputs{y};
    if (s.readsScores)
        outputs.push_back(scores);
    std::vector<std::string> names{"y", "scores"};
    names.resize(outputs.size());
    return b.finish(outputs, names);
}

/// The operator and how often elements are moved beside it, as the passes leave them.
std::pair<int, int> left(const Function &function)
{
    const Function after = optimizedWith(function, 3);
    return {count(after, "nn.attention"), count(after, "transpose") + count(after, "broadcast_to")};
}

} // namespace

class AttentionPassesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void spellings_data()
    {
        QTest::addColumn<Spelling>("spelling");
        QTest::newRow("plain") << Spelling{};
        QTest::newRow("heads behind positions") << Spelling{.heads = true, .keysFirst = true};
        QTest::newRow("queries only") << Spelling{.heads = true};
        QTest::newRow("keys only") << Spelling{.keysFirst = true};
        QTest::newRow("shared heads") << Spelling{.keysFirst = true, .shared = true};
        QTest::newRow("transposed by the product") << Spelling{.flag = true, .divides = true};
        QTest::newRow("batches apart") << Spelling{.oneBatch = true};
        QTest::newRow("batches apart, heads behind positions")
            << Spelling{.heads = true, .keysFirst = true, .oneBatch = true};
        QTest::newRow("mask") << Spelling{.divides = true, .mask = -3e38};
        QTest::newRow("mask and bias") << Spelling{.divides = true, .mask = -1e32, .bias = true};
        QTest::newRow("bias") << Spelling{.bias = true, .axis = 3};
    }

    void spellings()
    {
        QFETCH(const Spelling, spelling);
        const Function function = attention(spelling);
        QCOMPARE(left(function), std::pair(1, 0));
        for (const int level : {2, 3}) // a mask's −∞ adds up to no number in neither
            QCOMPARE(changedBy(function, level), std::string());
    }

    /// A mask takes the place of scores: what a hidden key holds does not matter.
    void hiddenKeysMayHoldAnything()
    {
        const Function function = attention({.divides = true, .mask = -3e38});
        auto inputs = randomInputs(function, 5);
        for (std::int64_t head = 0; head < heads; ++head) {
            for (std::int64_t i = 0; i < depth; ++i) // the last key, which few queries see
                inputs[1].set((head * keys + keys - 1) * depth + i, std::nan(""));
        }
        const auto expected = interpreted(function, inputs);
        QVERIFY(expected);
        for (const int level : {2, 3}) {
            const auto actual = compiled(optimizedWith(function, level), inputs);
            QVERIFY(actual);
            QCOMPARE(difference(*expected, *actual), std::string());
            QVERIFY(std::isfinite(actual->front().at(0)));
        }
    }

    void whatIsNone_data()
    {
        QTest::addColumn<Spelling>("spelling");
        QTest::newRow("a mask that leaves something") << Spelling{.divides = true, .mask = -10};
        QTest::newRow("a bias that is scaled") << Spelling{.divides = true, .biasBefore = true};
        QTest::newRow("scores that are read") << Spelling{.readsScores = true};
        QTest::newRow("softmax over queries") << Spelling{.axis = 2};
    }

    void whatIsNone()
    {
        QFETCH(const Spelling, spelling);
        const Function function = attention(spelling);
        QCOMPARE(left(function).first, 0);
        QCOMPARE(changedBy(function, 3), std::string());
    }

    void weightsGoIntoPanels()
    {
        const auto product = [](const Ints &x, const Ints &matrix, bool twice = false) {
            Builder b;
            const Value input = b.input("x", floats(x)), weight = weights(b, matrix, 2);
            Value y = b.call("nn.matmul", {input, weight});
            if (twice)
                y = b.call("nn.matmul", {b.call("nn.relu", {y}), weight});
            return b.finish({b.call("tanh", {y})}, {"y"});
        };
        const auto panelsOf = [](const Function &after) -> std::vector<Ints> {
            std::vector<Ints> shapes;
            for (const Node &node : after.nodes) {
                if (node.isConstant() && node.types[0].rank() >= 3)
                    shapes.push_back(*node.types[0].constantShape());
            }
            return shapes;
        };
        const auto panels = [&](const Ints &x, const Ints &matrix) {
            const Function function = product(x, matrix), after = optimizedWith(function, 3);
            const std::string wrong = changedBy(function, 3);
            if (!wrong.empty())
                qFatal("%s", wrong.c_str());
            return count(after, "nn.packed_matmul") == 1 ? panelsOf(after) : std::vector<Ints>();
        };
        using Shapes = std::vector<Ints>;
        QCOMPARE(panels({1, 64}, {64, 256}), (Shapes{{4, 64, 64}}));
        QCOMPARE(panels({7, 64}, {64, 144}), (Shapes{{3, 64, 48}}));
        QCOMPARE(panels({2, 5, 64}, {64, 80}), (Shapes{{5, 64, 16}}));
        QCOMPARE(panels({13, 1, 64}, {64, 100}), (Shapes{{2, 64, 64}})); // 28 columns are 0
        QCOMPARE(panels({3, 4, 32}, {3, 32, 64}), (Shapes{{3, 1, 32, 64}}));
        QCOMPARE(panels({4, 64}, {64, 8}), Shapes());  // narrower than a vector
        QCOMPARE(panels({4, 16}, {16, 64}), Shapes()); // small
        const Function shared = optimizedWith(product({4, 64}, {64, 64}, true), 3);
        QCOMPARE(count(shared, "nn.packed_matmul"), 2);
        QCOMPARE(panelsOf(shared), (Shapes{{1, 64, 64}}));
    }

    void stepsOfARecurrenceShareWeights()
    {
        Builder b;
        const Value x = b.input("x", floats({1, 64})), weight = weights(b, {1, 64, 64}, 5);
        Value state = x;
        for (int step = 0; step < 3; ++step) {
            const Value matrix = b.call("reshape", {weight}, {{"newshape", Ints{64, 64}}});
            state = b.call("tanh", {b.call("nn.matmul", {state, matrix}, {{"transpose_b", true}})});
        }
        const Function after = optimizedWith(b.finish({state}, {"y"}), 3);
        QCOMPARE(count(after, "nn.packed_matmul"), 3);
        QCOMPARE(std::ranges::count_if(after.nodes, &Node::isConstant), 1);
    }
};

Q_DECLARE_METATYPE(Spelling)

QTEST_GUILESS_MAIN(AttentionPassesTest)
#include "attention_passes_test.moc"
