// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program.h"

#include "core/graph/builder.h"
#include "tests/support/random.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::graph;

namespace {

TensorType vector(std::int64_t size) { return {{ir::Expr(size)}, ir::DataType::float32()}; }

/// The last node that reads the value of `node`, or the node itself.
int lastUse(const Function &function, int node)
{
    int last = node;
    for (std::size_t i = 0; i < function.nodes.size(); ++i) {
        for (const Value input : function.nodes[i].inputs)
            last = homeOf(function, input).value.node == node ? static_cast<int>(i) : last;
    }
    return last;
}

/// Two results that live at the same time and overlap in memory, in words; empty when there are none.
std::string overlap(const Function &function, const MemoryPlan &plan)
{
    for (int a = 0; a < static_cast<int>(function.nodes.size()); ++a) {
        for (int b = a + 1; b <= lastUse(function, a); ++b) {
            const std::int64_t left = plan.offsets[static_cast<std::size_t>(a)][0],
                               right = plan.offsets[static_cast<std::size_t>(b)][0];
            if (left < 0 || right < 0)
                continue;
            if (left < right + bytesOf(function.at(b).types[0])
                && right < left + bytesOf(function.at(a).types[0]))
                return std::format("{} and {}", a, b);
        }
    }
    return {};
}

} // namespace

class MemoryPlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aChainNeedsTwoPieces()
    {
        Builder b;
        Value x = b.input("x", vector(1000));
        for (int i = 0; i < 10; ++i)
            x = b.call("exp", {x});
        const Function function = b.finish({b.call("negative", {x})}, {"y"});
        const MemoryPlan plan = planMemory(function);
        QCOMPARE(overlap(function, plan), std::string());
        QCOMPARE(plan.bytes, std::int64_t{2} * 4032); // rounded up to lines of 64 bytes
    }

    void inputsConstantsAndOutputsLieElsewhere()
    {
        Builder b;
        const Value x = b.input("x", vector(8));
        const Function function = b.finish({b.call("add", {x, b.scalar(1, ir::DataType::float32())})}, {"y"});
        const MemoryPlan plan = planMemory(function);
        QCOMPARE(plan.bytes, std::int64_t{0});
        for (const auto &offsets : plan.offsets)
            QCOMPARE(offsets[0], MemoryPlan::none);
    }

    void viewsLieInWhatTheyLookAt()
    {
        Builder b;
        const Value x = b.call("exp", {b.input("x", vector(24))});
        const Value grid = b.call("reshape", {x}, {{"newshape", std::vector<std::int64_t>{1, 4, 6}}});
        const auto part = [&](std::int64_t axis, std::int64_t begin, std::int64_t stride) {
            return b.call("strided_slice", {grid},
                          {{"begin", std::vector{begin}},
                           {"end", std::vector<std::int64_t>{100}},
                           {"strides", std::vector{stride}},
                           {"axes", std::vector{axis}}});
        };
        const Value rows = part(1, 1, 1), last = part(-2, -1, 1), columns = part(2, 1, 1),
                    every = part(1, 0, 2);
        std::vector<Value> read;
        for (const Value value : {rows, last, columns, every})
            read.push_back(b.call("negative", {value}));
        const Function function = b.finish(read, {"a", "b", "c", "d"});
        const auto home = [&](Value value) { return homeOf(function, value); };
        QCOMPARE(home(rows).value.node, x.node);
        QCOMPARE(home(rows).bytes, std::int64_t{6} * 4);
        QCOMPARE(home(last).value.node, x.node);
        QCOMPARE(home(last).bytes, std::int64_t{18} * 4);
        QVERIFY(home(columns).value == columns);
        QVERIFY(home(every).value == every);
        const auto program = makeProgram(function);
        QVERIFY(program);
        QCOMPARE(program->steps.size(), std::size_t{1 + 2 + 4}); // exp, two copies, four outputs
    }

    void nothingThatLivesOverlaps()
    {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            tests::Random random(seed);
            Builder b;
            std::vector<Value> values{b.input("x", vector(random.between(1, 100)))};
            std::int64_t sum = 0;
            for (int i = 0; i < 40; ++i) {
                const Value x = random.pick(values);
                const std::int64_t reps = random.between(1, 3);
                const bool joins = random.chance(40);
                const Value y = random.pick(values);
                if (random.chance(30)) { // looked at in another way, or a part of it
                    const std::int64_t size = bytesOf(b.typeOf(x)) / 4, begin = random.between(0, size - 1);
                    values.push_back(
                        b.call("reshape", {x}, {{"newshape", std::vector<std::int64_t>{1, -1}}}));
                    values.push_back(b.call("strided_slice", {values.back()},
                                            {{"begin", std::vector{begin}},
                                             {"end", std::vector{size}},
                                             {"strides", std::vector<std::int64_t>{1}},
                                             {"axes", std::vector<std::int64_t>{1}}}));
                    values.push_back(
                        b.call("reshape", {values.back()}, {{"newshape", std::vector<std::int64_t>{-1}}}));
                    values.erase(values.end() - 3, values.end() - 1);
                    continue;
                }
                const Value next = joins ? b.call("concatenate", {x, y}, {{"axis", std::int64_t{0}}})
                                         : b.call("tile", {x}, {{"reps", std::vector{reps}}});
                if (bytesOf(b.typeOf(next)) < 1'000'000) {
                    values.push_back(next);
                    sum += bytesOf(b.typeOf(next));
                }
            }
            const Function function = b.finish({values.back()}, {"y"});
            const MemoryPlan plan = planMemory(function);
            QVERIFY2(overlap(function, plan).empty(),
                     std::format("seed {}: {}", seed, overlap(function, plan)).c_str());
            QVERIFY(plan.bytes <= sum + std::int64_t{64} * 50);
        }
    }
};

QTEST_GUILESS_MAIN(MemoryPlanTest)
#include "memory_plan_test.moc"
