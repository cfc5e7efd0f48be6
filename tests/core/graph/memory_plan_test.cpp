// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/memory_plan.h"

#include "core/ir/shared_memory.h"
#include "tests/core/graph/run_graph.h"
#include "tests/support/random.h"

#include <map>

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
            last = storageOf(function, input).value.node == node ? static_cast<int>(i) : last;
    }
    return last;
}

/// Two results that live at the same time and overlap in memory, in words; empty when there are none.
std::string overlap(const Function &function, const MemoryPlan &plan)
{
    for (int a = 0; a < static_cast<int>(function.nodes.size()); ++a) {
        for (int b = a + 1; b <= lastUse(function, a); ++b) {
            const auto taken = plan.inPlaceOf.find({b, 0});
            if (taken != plan.inPlaceOf.end() && taken->second.node == a && lastUse(function, a) == b)
                continue;
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

/// With the kernels' default schedules.
MemoryPlan scheduledPlan(const Function &function)
{
    auto program = makeProgram(function);
    if (!program || !scheduleKernels(*program))
        qFatal("not to be scheduled");
    return program->memory;
}

/// As if every kernel could write its result over anything that it reads.
InPlacePairs wherePossible(const Function &function)
{
    InPlacePairs pairs;
    for (const Node &node : function.nodes) {
        const auto count = static_cast<int>(node.inputs.size());
        pairs.emplace_back();
        for (int i = 0; i < count; ++i)
            pairs.back().push_back({i, count});
    }
    return pairs;
}

/// The node whose place the result of `value` takes; -1: none.
int taken(const MemoryPlan &plan, Value value)
{
    const auto found = plan.inPlaceOf.find(value);
    return found == plan.inPlaceOf.end() ? -1 : found->second.node;
}

TensorType matrix(std::int64_t rows, std::int64_t columns)
{
    return {{ir::Expr(rows), ir::Expr(columns)}, ir::DataType::float32()};
}

const std::vector<std::int64_t> flatShape{-1};

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

    void aChainInPlaceNeedsOnePiece()
    {
        Builder b;
        Value x = b.input("x", vector(1000));
        for (int i = 0; i < 10; ++i)
            x = b.call("exp", {x});
        const Function function = b.finish({b.call("negative", {x})}, {"y"});
        const MemoryPlan plan = scheduledPlan(function);
        QCOMPARE(plan.bytes, std::int64_t{4032});
        QCOMPARE(plan.inPlaceOf.size(), std::size_t{9});
        QCOMPARE(overlap(function, plan), std::string());
    }

    void onlyWhatDiesAndLiesAloneIsTaken()
    {
        Builder b;
        const Value x = b.input("x", matrix(16, 16));
        const Value start = b.call("exp", {x}); // of an input
        const Value fed = b.call("tanh", {start}), later = b.call("sin", {start});
        const Value turned = b.call("transpose", {fed});
        const Value flat = b.call("reshape", {later}, {{"newshape", flatShape}}); // a view
        const Value fromView = b.call("cos", {flat});
        const Value sum = b.call("sum", {turned}, {{"axes", std::vector<std::int64_t>{1}}});
        const Value twice = b.call("multiply", {fromView, fromView});
        const Value shown = b.call("exp", {twice});
        const Value end = b.call("tanh", {shown});
        const Function function = b.finish({sum, shown, end}, {"sum", "shown", "end"});
        const MemoryPlan plan = scheduledPlan(function);
        QCOMPARE(taken(plan, start), -1);            // not of the model's input
        QCOMPARE(taken(plan, fed), -1);              // it is read later
        QCOMPARE(taken(plan, later), start.node);    // now it dies
        QCOMPARE(taken(plan, turned), -1);           // read in another order
        QCOMPARE(taken(plan, fromView), later.node); // of the source of the view
        QCOMPARE(taken(plan, twice), fromView.node); // read twice, each time at the same place
        QCOMPARE(taken(plan, shown), -1);            // outputs have memory of their own
        QCOMPARE(taken(plan, end), -1);
        QCOMPARE(overlap(function, plan), std::string());
    }

    void notWhileAViewIsToBeRead()
    {
        Builder b;
        const Value x = b.call("exp", {b.input("x", matrix(16, 16))});
        const Value flat = b.call("reshape", {x}, {{"newshape", flatShape}});
        const Value y = b.call("tanh", {x}), z = b.call("sin", {flat});
        const Function function = b.finish({b.call("cos", {y}), b.call("cos", {z})}, {"y", "z"});
        const MemoryPlan plan = scheduledPlan(function);
        QCOMPARE(taken(plan, y), -1);
        QCOMPARE(taken(plan, z), x.node);
    }

    void notOfAnotherPartOfTheSame()
    {
        Builder b;
        const Value x = b.call("exp", {b.input("x", vector(32))});
        const auto half = [&](std::int64_t begin) {
            return b.call("strided_slice", {x},
                          {{"begin", std::vector{begin}},
                           {"end", std::vector{begin + 16}},
                           {"strides", std::vector<std::int64_t>{1}},
                           {"axes", std::vector<std::int64_t>{0}}});
        };
        const Value y = b.call("add", {half(0), half(16)});
        const Function function = b.finish({b.call("tanh", {y})}, {"y"});
        QCOMPARE(taken(scheduledPlan(function), y), -1);
    }

    void aSmallerResultLeavesTheRest()
    {
        Builder b;
        const Value x = b.call("exp", {b.input("x", vector(64))});
        const Value part = b.call("strided_slice", {x},
                                  {{"begin", std::vector<std::int64_t>{0}},
                                   {"end", std::vector<std::int64_t>{16}},
                                   {"strides", std::vector<std::int64_t>{1}},
                                   {"axes", std::vector<std::int64_t>{0}}});
        const Value y = b.call("tanh", {part});
        const Value z = b.call("tile", {y}, {{"reps", std::vector<std::int64_t>{3}}});
        const Function function = b.finish({b.call("sin", {z})}, {"z"});
        const MemoryPlan plan = scheduledPlan(function);
        QCOMPARE(taken(plan, y), x.node);
        QCOMPARE(plan.bytes, std::int64_t{4} * 64); // z lies in the rest
        QCOMPARE(overlap(function, plan), std::string());
    }

    /// Results in place equal those of the interpreter node by node, in parallel and with vectors too.
    void modelsComputeTheSameInPlace()
    {
        Builder b;
        const Value x = b.input("x", matrix(128, 512));
        Value y = b.call("exp", {b.call("tanh", {x})});
        const Value whole = b.call("cast", {b.call("sign", {x})}, {{"dtype", ir::DataType::int32()}});
        const Value back =
            b.call("cast", {b.call("negative", {whole})}, {{"dtype", ir::DataType::float32()}});
        const Value shortcut = b.call("add", {b.call("sin", {y}), back});
        ir::NdArray weights(ir::DataType::float32(), {512, 512});
        weights.fillRandom(5);
        y = b.call("nn.matmul", {y, b.constant(std::move(weights))});
        y = b.call("add", {y, shortcut});
        y = b.call("multiply", {y, b.call("sigmoid", {y})});
        y = b.call("reshape", {y}, {{"newshape", flatShape}});
        const Function function = b.finish({b.call("nn.softmax", {b.call("multiply", {y, y})})}, {"y"});
        const auto inputs = tests::randomInputs(function, 4);
        const auto expected = tests::interpreted(function, inputs);
        QVERIFY2(expected, expected ? "" : expected.error().render().c_str());
        for (int level = 0; level <= 3; ++level) {
            PassContext context;
            context.level = level;
            auto optimized = optimize(function, context);
            QVERIFY(optimized);
            QVERIFY(level > 0 || scheduledPlan(optimized->function).inPlaceOf.size() > 4);
            const auto actual = tests::compiled(std::move(optimized->function), inputs);
            QVERIFY2(actual, actual ? "" : actual.error().render().c_str());
            QCOMPARE(tests::difference(*expected, *actual), std::string());
        }
    }

    /// Kernels that some node runs in place say so; others still promise that nothing overlaps.
    void kernelsSayWhatTheyShare()
    {
        Builder b;
        const Value x = b.input("x", vector(64));
        const Value y = b.call("exp", {x}), z = b.call("tanh", {b.call("exp", {y})});
        auto program = makeProgram(b.finish({z}, {"z"}));
        QVERIFY(program);
        const auto modules = scheduleKernels(*program);
        QVERIFY(modules);
        QCOMPARE(modules->size(), std::size_t{2}); // both exp share one, which one of them runs in place
        const auto alone = [&](std::size_t kernel, std::size_t param) {
            return ir::isNoAlias(*(*modules)[kernel].mainEntry()->function, param);
        };
        QVERIFY(!alone(0, 0) && !alone(0, 1));
        QVERIFY(alone(1, 0) && alone(1, 1)); // tanh gives the output
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
        const auto storage = [&](Value value) { return storageOf(function, value); };
        QCOMPARE(storage(rows).value.node, x.node);
        QCOMPARE(storage(rows).bytes, std::int64_t{6} * 4);
        QCOMPARE(storage(last).value.node, x.node);
        QCOMPARE(storage(last).bytes, std::int64_t{18} * 4);
        QVERIFY(storage(columns).value == columns);
        QVERIFY(storage(every).value == every);
        const auto program = makeProgram(function);
        QVERIFY(program);
        QCOMPARE(program->steps.size(), std::size_t{1 + 2 + 4}); // exp, two copies, four outputs
    }

    void nothingThatLivesOverlaps()
    {
        std::size_t taken = 0;
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
            for (const MemoryPlan &plan :
                 {planMemory(function), planMemory(function, wherePossible(function))}) {
                QVERIFY2(overlap(function, plan).empty(),
                         std::format("seed {}: {}", seed, overlap(function, plan)).c_str());
                QVERIFY(plan.bytes <= sum + std::int64_t{64} * 50);
                taken += plan.inPlaceOf.size();
            }
        }
        QVERIFY(taken > 50);
    }
};

QTEST_GUILESS_MAIN(MemoryPlanTest)
#include "memory_plan_test.moc"
