// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/footprint.h"
#include "core/analysis/access/regions.h"
#include "core/analysis/kernel/block_kind.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using analysis::FunctionIndex;
using analysis::Objection;
using analysis::StmtId;

namespace {

FunctionIndex indexOf(const ir::Module &module) { return FunctionIndex(module.mainEntry()->function); }
FunctionIndex indexOf(const char *name) { return indexOf(tests::program(name)); }

/// A, B, C of 16 × 16 float32, V of 16.
FunctionIndex withBody(const std::string &body)
{
    return indexOf(tests::parsed(R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32"), V: T.Buffer((16,), "float32")):
    C = T.alloc_buffer((16, 16))
)" + body));
}

std::string codeOf(const Objection &objection) { return objection ? objection->code : ""; }
std::string messageOf(const Objection &objection) { return objection ? objection->message : ""; }

constexpr const char *decomposed = R"(
    for i in range(16):
        with T.block("init"):
            vi = T.axis.spatial(16, i)
            T.reads()
            T.writes(V[vi])
            V[vi] = T.float32(0)
        for k in range(16):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(V[vi], A[vi, vk])
                T.writes(V[vi])
                V[vi] = V[vi] + A[vi, vk]
)";

/// "make" writes C, "use" reads it under the same loop over i; {} stand for the inner extents and the read's
/// column.
std::string producerAndConsumer(const std::string &extent, const std::string &column)
{
    return R"(
    for i in range(16):
        for j in range()"
           + extent + R"():
            with T.block("make"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = A[vi, vj]
        for j in range(16):
            with T.block("use"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(C[vi, )"
           + column + R"(])
                T.writes(B[vi, vj])
                B[vi, vj] = C[vi, )"
           + column + "]\n";
}

} // namespace

class BlockKindTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void completeAndReductionBlocks()
    {
        const FunctionIndex index = indexOf("mm_relu");
        const StmtId c = *index.blockByName("C"), d = *index.blockByName("D");
        QVERIFY(analysis::isCompleteBlock(index, d));
        QVERIFY(!analysis::isReductionBlock(index, d));
        QVERIFY(analysis::isReductionBlock(index, c));
        QCOMPARE(messageOf(analysis::whyNotComplete(index, c)),
                 "block 'C' is not complete: its variable 'vk' is a reduction one, not spatial");
        QCOMPARE(messageOf(analysis::whyNotReduction(index, d)),
                 "block 'D' is not a reduction: it has no init");
        QVERIFY(!analysis::whyNotCompleteOrReduction(index, c));
        QVERIFY(!analysis::whyNotCompleteOrReduction(index, d));
        QVERIFY(!analysis::whyNotCompactDataFlow(index, index.root()));
    }

    /// It bounds from above what grows with the reduction, or by what shrinks with it.
    void conditionsThatHoldFromTheBeginning()
    {
        const ir::Var i("i", ir::DataType::int32()), k("k", ir::DataType::int32());
        arith::Analyzer analyzer;
        analyzer.bind(i, ir::Range{0, 16});
        analyzer.bind(k, ir::Range{0, 16});
        const auto holds = [&](const ir::Expr &condition) {
            return analysis::holdsFromTheBeginning(condition, {{k, 0}}, analyzer);
        };
        QVERIFY(holds(ir::lt(i + k, 10)));
        QVERIFY(holds(ir::le(i + k * 2, 10)));
        QVERIFY(holds(ir::lt(i, ir::Expr(10) - k)));
        QVERIFY(!holds(ir::lt(i - k, 10)));
        QVERIFY(!holds(ir::lt(i, ir::Expr(10) + k)));
        QVERIFY(!holds(ir::eq(i + k, 10)));
        QVERIFY(!holds(ir::logicalAnd(ir::lt(i + k, 10), ir::lt(i, 5))));
    }

    void decomposedReductionsAreNeither()
    {
        const FunctionIndex index = withBody(decomposed);
        const StmtId init = *index.blockByName("init"), update = *index.blockByName("update");
        QVERIFY(!analysis::isDominantBlock(index, init));
        QCOMPARE(messageOf(analysis::whyNotDominant(index, update)),
                 "block 'update' is not the only block that writes 'V'");
        QCOMPARE(analysis::whyNotDominant(index, update)->locations.back().stmt, init);
        QCOMPARE(codeOf(analysis::whyNotCompleteOrReduction(index, update)),
                 "analysis.not-complete-or-reduction");
        QCOMPARE(codeOf(analysis::whyNotCompactDataFlow(index, index.loopsOf(init)[0])),
                 "analysis.not-compact");
        QVERIFY(analysis::isStagePipeline(index, index.root()));
    }

    void readingOnesOwnOutputIsNotComplete()
    {
        const FunctionIndex index = withBody(R"(
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            T.reads(V[vi])
            T.writes(V[vi])
            V[vi] = V[vi] + T.float32(1)
)");
        QCOMPARE(messageOf(analysis::whyNotComplete(index, *index.blockByName("b"))),
                 "block 'b' is not complete: it both reads and writes 'V'");
    }

    void reductionVariablesMustNotIndexTheOutput()
    {
        const FunctionIndex index = withBody(R"(
    for i, k in T.grid(16, 16):
        with T.block("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(B[vi, vk])
            with T.init():
                B[vi, vk] = T.float32(0)
            B[vi, vk] = B[vi, vk] + A[vi, vk]
)");
        QCOMPARE(
            messageOf(analysis::whyNotReduction(index, *index.blockByName("b"))),
            "block 'b' is not a reduction: its reduction variable 'vk' is used as an index of its writes");
    }

    void affineBindings_data()
    {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::addColumn<bool>("affine");
        QTest::newRow("loops") << "i" << "j" << true;
        QTest::newRow("swapped") << "j" << "i" << true;
        QTest::newRow("split") << "i // 4" << "i % 4" << true;
        QTest::newRow("fused") << "i * 16 + j" << "0" << true;
        QTest::newRow("shared") << "i" << "i" << false;
        QTest::newRow("overlapping") << "i + j" << "0" << true; // every value is taken, some twice
        QTest::newRow("scaled") << "i * 2" << "j" << false;
        QTest::newRow("product") << "i * j" << "0" << false;
    }
    void affineBindings()
    {
        QFETCH(QString, first);
        QFETCH(QString, second);
        QFETCH(bool, affine);
        const FunctionIndex index = withBody(R"(
    for i, j in T.grid(16, 16):
        with T.block("b"):
            vi = T.axis.spatial(256, )" + first.toStdString()
                                             + R"()
            vj = T.axis.spatial(256, )" + second.toStdString()
                                             + R"()
            T.reads()
            T.writes(B[vi, vj])
            B[vi, vj] = T.float32(0)
)");
        const Objection why = analysis::whyNotAffine(index, *index.blockByName("b"));
        QCOMPARE(!why, affine);
        QCOMPARE(codeOf(why), affine ? "" : "analysis.not-affine");
    }

    void predicatesOfSplitsKeepBindingsAffine()
    {
        const FunctionIndex index = indexOf("predicate");
        for (StmtId id : index.childBlocks(index.root()))
            QVERIFY(analysis::hasAffineBindings(index, id));
    }

    void stagePipelines()
    {
        for (const char *name : {"matmul", "mm_relu", "elementwise", "two_axis", "conv2d_pad", "softmax",
                                 "predicate", "symbolic"}) {
            const FunctionIndex index = indexOf(name);
            const Objection why = analysis::whyNotStagePipeline(index, index.root());
            QVERIFY2(!why, (std::string(name) + ": " + messageOf(why)).c_str());
        }
    }

    void readersMustBeCovered()
    {
        QVERIFY(analysis::isStagePipeline(withBody(producerAndConsumer("16", "vj")), StmtId{1}));
        QVERIFY(analysis::isStagePipeline(withBody(producerAndConsumer("16", "15 - vj")), StmtId{1}));
        const FunctionIndex half = withBody(producerAndConsumer("8", "vj"));
        const Objection why = analysis::whyNotStagePipeline(half, half.root());
        QCOMPARE(codeOf(why), "analysis.not-stage-pipeline");
        QCOMPARE(messageOf(why), "block 'use' reads parts of 'C' that are not known to be written before it");
        QCOMPARE(why->locations.front().stmt, *half.blockByName("use"));
        // Both halves of a producer that is predicated to half: iterations that do not run write nothing.
        const FunctionIndex guarded = withBody(R"(
    for i, j in T.grid(16, 16):
        with T.block("make"):
            T.where(j < 8)
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(16, 16):
        with T.block("use"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(C[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = C[vi, vj]
)");
        QVERIFY(!analysis::isStagePipeline(guarded, guarded.root()));
    }

    void overwritingWhatWasReadIsNoPipeline()
    {
        const FunctionIndex index = withBody(R"(
    for i in range(16):
        with T.block("reader"):
            vi = T.axis.spatial(16, i)
            T.reads(A[vi, 0])
            T.writes(V[vi])
            V[vi] = A[vi, 0]
    for i in range(16):
        with T.block("writer"):
            vi = T.axis.spatial(16, i)
            T.reads()
            T.writes(A[vi, 0])
            A[vi, 0] = T.float32(0)
)");
        QCOMPARE(messageOf(analysis::whyNotStagePipeline(index, index.root())),
                 "block 'writer' overwrites 'A', which block 'reader' reads before");
    }

    void statementsBetweenBlocksMakeNoPipeline()
    {
        const FunctionIndex index = withBody(R"(
    for i in range(16):
        if i < 8:
            with T.block("b"):
                vi = T.axis.spatial(16, i)
                T.reads()
                T.writes(V[vi])
                V[vi] = T.float32(0)
)");
        QCOMPARE(
            messageOf(analysis::whyNotStagePipeline(index, index.root())),
            "block 'root' holds statements other than loops and blocks, so its scope is no stage pipeline");
    }

    void axesOfALoop()
    {
        const FunctionIndex index = indexOf("matmul");
        const ir::Block &block = *index.block(*index.blockByName("C"));
        const auto loops = index.loopsOf(block.id);
        QVERIFY(analysis::loopUse(block, index.loop(loops[0])->var).spatial);
        QVERIFY(analysis::loopUse(block, index.loop(loops[2])->var).reduce);
        QVERIFY(!analysis::loopUse(block, index.loop(loops[2])->var).spatial);
    }

    void footprints()
    {
        const FunctionIndex index = indexOf("matmul");
        const auto loops = index.loopsOf(*index.blockByName("C"));
        const auto bytes = [&](const std::vector<analysis::Footprint> &footprints) {
            std::map<std::string, double> result;
            for (const analysis::Footprint &f : footprints)
                result[f.buffer.name()] = f.bytes.value_or(-1);
            return result;
        };
        using Bytes = std::map<std::string, double>;
        constexpr double row = 128 * 4, all = 128 * 128 * 4;
        QCOMPARE(bytes(footprintOfIteration(index, loops[0])), (Bytes{{"A", row}, {"B", all}, {"C", row}}));
        QCOMPARE(bytes(footprintOfLoop(index, loops[1])), (Bytes{{"A", row}, {"B", all}, {"C", row}}));
        QCOMPARE(bytes(footprintOfIteration(index, loops[1])), (Bytes{{"A", row}, {"B", row}, {"C", 4}}));
        QCOMPARE(bytes(footprintOfIteration(index, loops[2])), (Bytes{{"A", 4}, {"B", 4}, {"C", 4}}));
        QCOMPARE(bytes(footprintOfLoop(index, loops[0])), (Bytes{{"A", all}, {"B", all}, {"C", all}}));
        QCOMPARE(totalBytes(footprintOfLoop(index, loops[0])), std::optional(3 * all));
        const auto touched = footprintOfIteration(index, loops[0]);
        QVERIFY(touched[0].read && !touched[0].written);
        QVERIFY(touched[2].written && !touched[2].read);
        const FunctionIndex symbolic = indexOf("symbolic");
        QVERIFY(!totalBytes(footprintOfLoop(symbolic, symbolic.all()[1])));
        // One element is one, however many there are.
        QCOMPARE(totalBytes(footprintOfIteration(symbolic, symbolic.all()[2])), std::optional(8.0));
        // A run of a leaf block accesses the declared regions.
        QCOMPARE(bytes(footprintOfIteration(index, *index.blockByName("C"))),
                 (Bytes{{"A", 4}, {"B", 4}, {"C", 4}}));
        QCOMPARE(bytes(footprintOfLoop(index, *index.blockByName("C"))),
                 (Bytes{{"A", 4}, {"B", 4}, {"C", 4}}));
        QCOMPARE(bytes(footprintOfIteration(index, index.root())),
                 (Bytes{{"A", all}, {"B", all}, {"C", all}}));
    }

    void footprintsStayWithinTheBuffer()
    {
        const FunctionIndex index = indexOf("conv2d_pad");
        const StmtId pad = *index.blockByName("pad");
        const auto touched = footprintOfLoop(index, index.loopsOf(pad)[0]);
        QCOMPARE(touched[0].buffer.name(), "X");
        QCOMPARE(touched[0].bytes, std::optional(8.0 * 14 * 14 * 4));
    }
};

QTEST_GUILESS_MAIN(BlockKindTest)
#include "block_kind_test.moc"
