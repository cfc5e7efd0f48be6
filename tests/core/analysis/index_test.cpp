// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/axes.h"
#include "core/analysis/kernel/index.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using analysis::DependenceKind;
using analysis::FunctionIndex;
using analysis::StmtId;

namespace {

FunctionIndex indexOf(const ir::Module &module) { return FunctionIndex(module.mainEntry()->function); }

std::vector<std::string> names(const FunctionIndex &index, const std::vector<StmtId> &ids)
{
    std::vector<std::string> result;
    for (StmtId id : ids)
        result.push_back(index.block(id) ? index.block(id)->name : index.loop(id)->var.name());
    return result;
}

using Names = std::vector<std::string>;

constexpr const char *nested = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32")):
    C = T.alloc_buffer((16, 16))
    for i in range(16):
        for j in range(16):
            with T.block("first"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = A[vi, vj]
        for j_0, j_1 in T.grid(4, 4):
            with T.block("second"):
                vi = T.axis.spatial(16, i)
                vj = T.axis.spatial(16, j_0 * 4 + j_1)
                T.reads(C[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = C[vi, vj]
    for f in range(256):
        with T.block("again"):
            vi = T.axis.spatial(16, f // 16)
            vj = T.axis.spatial(16, f % 16)
            T.reads(C[vi, vj], B[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = B[vi, vj] + C[vi, vj]
)";

} // namespace

class IndexTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void placesLoopsAndBlocks()
    {
        const FunctionIndex index = indexOf(tests::parsed(nested));
        QCOMPARE(names(index, index.all()),
                 (Names{"root", "i", "j", "first", "j_0", "j_1", "second", "f", "again"}));
        const StmtId second = *index.blockByName("second"), first = *index.blockByName("first");
        const StmtId i = index.all()[1], j0 = index.all()[4];
        QCOMPARE(names(index, index.loopsOf(second)), (Names{"i", "j_0", "j_1"}));
        QCOMPARE(names(index, index.ancestors(second)), (Names{"j_1", "j_0", "i", "root"}));
        QCOMPARE(index.scopeRoot(second), index.root());
        QCOMPARE(index.scopeRoot(index.root()), StmtId{});
        QCOMPARE(names(index, index.children(i)), (Names{"j", "j_0"}));
        QCOMPARE(names(index, index.childBlocks(i)), (Names{"first", "second"}));
        QCOMPARE(names(index, index.childBlocks(index.root())), (Names{"first", "second", "again"}));
        QCOMPARE(index.lowestCommonAncestor(first, second), i);
        QCOMPARE(index.lowestCommonAncestor(j0, second), j0);
        QVERIFY(index.encloses(i, second));
        QVERIFY(!index.encloses(j0, first));
        QVERIFY(!index.find(StmtId{99}));
        QVERIFY(index.loop(i) && !index.block(i));
    }

    void blocksWithinBlocksHaveTheirOwnScope()
    {
        const FunctionIndex index = indexOf(tests::parsed(R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(4):
        with T.block("outer"):
            vo = T.axis.spatial(4, i)
            T.reads(A[vo * 4:vo * 4 + 4])
            T.writes(B[vo * 4:vo * 4 + 4])
            for j in range(4):
                with T.block("inner"):
                    vi = T.axis.spatial(4, j)
                    T.reads(A[vo * 4 + vi])
                    T.writes(B[vo * 4 + vi])
                    B[vo * 4 + vi] = A[vo * 4 + vi]
)"));
        const StmtId inner = *index.blockByName("inner"), outer = *index.blockByName("outer");
        QCOMPARE(index.scopeRoot(inner), outer);
        QCOMPARE(names(index, index.loopsOf(inner)), (Names{"j"}));
        QCOMPARE(names(index, index.childBlocks(index.root())), (Names{"outer"}));
        QCOMPARE(names(index, index.scope(outer).blocks), (Names{"inner"}));
    }

    void dependencesFollowFromRegions()
    {
        const FunctionIndex index = indexOf(tests::parsed(nested));
        const StmtId first = *index.blockByName("first"), second = *index.blockByName("second");
        const StmtId again = *index.blockByName("again");
        std::vector<std::string> found;
        for (const analysis::Dependence &d : index.scope(index.root()).dependences) {
            const char *kind = d.kind == DependenceKind::Raw   ? "RAW"
                               : d.kind == DependenceKind::Waw ? "WAW"
                                                               : "WAR";
            found.push_back(index.block(d.from)->name + ' ' + kind + ' ' + index.block(d.to)->name + ' '
                            + d.buffer.name());
        }
        QCOMPARE(found, (Names{"first RAW second C", "first RAW again C", "second RAW again B",
                               "second WAW again B"}));
        QCOMPARE(index.producers(again), (std::vector{first, second}));
        QCOMPARE(index.consumers(first), (std::vector{second, again}));
        QCOMPARE(index.producers(first), std::vector<StmtId>{});
        QCOMPARE(names(index, index.outputBlocks(index.root())), (Names{"second", "again"}));
    }

    void overwritingWhatWasReadIsAWar()
    {
        const FunctionIndex index = indexOf(tests::parsed(R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("reader"):
            vi = T.axis.spatial(16, i)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = A[vi]
    for i in range(16):
        with T.block("writer"):
            vi = T.axis.spatial(16, i)
            T.reads()
            T.writes(A[vi])
            A[vi] = T.float32(0)
)"));
        const auto &dependences = index.scope(index.root()).dependences;
        QCOMPARE(dependences.size(), 1U);
        QCOMPARE(dependences[0].kind, DependenceKind::War);
        QVERIFY(index.producers(*index.blockByName("writer")).empty());
        QVERIFY(index.consumers(*index.blockByName("reader")).empty()); // no value goes from it
        QVERIFY(index.consumers(*index.blockByName("writer")).empty());
    }

    void undeclaredReadsCount_data()
    {
        QTest::addColumn<QString>("reader");
        QTest::newRow("body") << R"(
    for i in range(16):
        with T.block("reader"):
            vi = T.axis.spatial(16, i)
            T.reads()
            T.writes(B[vi])
            B[vi] = A[P[vi]]
)";
        QTest::newRow("predicate") << R"(
    for i in range(16):
        with T.block("reader"):
            vi = T.axis.spatial(16, i)
            T.where(P[i] < 4)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = A[vi]
)";
        QTest::newRow("values of variables") << R"(
    for i in range(16):
        with T.block("reader"):
            vi = T.axis.spatial(16, P[i])
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = A[vi]
)";
        QTest::newRow("range of a loop") << R"(
    for i in range(16):
        for j in range(P[i]):
            with T.block("reader"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vj])
                T.writes(B[vi])
                B[vi] = A[vj]
)";
        QTest::newRow("init") << R"(
    for i, k in T.grid(16, 16):
        with T.block("reader"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vk])
            T.writes(B[vi])
            with T.init():
                B[vi] = P[vi]
            B[vi] = B[vi] + A[vk]
)";
        QTest::newRow("block within") << R"(
    for i in range(16):
        with T.block("reader"):
            vi = T.axis.spatial(16, i)
            T.reads(A[0:16])
            T.writes(B[vi])
            for j in range(1):
                with T.block("inner"):
                    vj = T.axis.spatial(1, j)
                    T.reads(A[0:16])
                    T.writes(B[vi])
                    B[vi] = A[P[vi]]
)";
    }
    void undeclaredReadsCount()
    {
        QFETCH(QString, reader);
        const std::string writer = R"(
    for i in range(16):
        with T.block("writer"):
            vi = T.axis.spatial(16, i)
            T.reads()
            T.writes(P[vi])
            P[vi] = vi // 2
)";
        for (const bool first : {true, false}) { // whichever stands first in the program
            const FunctionIndex index = indexOf(tests::parsed(R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), P: T.Buffer((16,), "int32")):
)" + (first ? writer + reader.toStdString() : reader.toStdString() + writer)));
            const auto &dependences = index.scope(index.root()).dependences;
            QCOMPARE(dependences.size(), 1U);
            QCOMPARE(dependences[0].kind, first ? DependenceKind::Raw : DependenceKind::War);
            QCOMPARE(dependences[0].buffer.name(), "P");
        }
    }

    void unknownNamesAreAnsweredWithNearOnes()
    {
        const FunctionIndex index = indexOf(tests::parsed(nested));
        const auto missing = index.blockByName("secnd");
        QVERIFY(!missing);
        QCOMPARE(missing.error().code, "analysis.unknown-block");
        QCOMPARE(missing.error().message, "there is no block 'secnd'");
        QCOMPARE(missing.error().hint, "did you mean 'second'?");
        QCOMPARE(index.blockByName("xyz").error().hint, "there are 'root', 'first', 'second' and 'again'");
    }

    void axesOfLoops()
    {
        const FunctionIndex index = indexOf(tests::parsed(nested));
        const auto axes = analysis::loopAxes(index);
        const auto at = [&](int position) {
            return axes.at(index.all()[static_cast<std::size_t>(position)]);
        };
        QCOMPARE(at(1).single(), 0); // i, seen from "first"
        QCOMPARE(at(2).single(), 1);
        QCOMPARE(at(4).single(), 1); // j_0 and j_1 both run over vj of "second"
        QCOMPARE(at(5).single(), 1);
        QVERIFY(at(7).mixed()); // f is fused
        QCOMPARE(at(7).names, (Names{"vi", "vj"}));
        QVERIFY(at(7).spatial && !at(7).reduce);
        const FunctionIndex matmul = indexOf(tests::program("matmul"));
        const auto k = analysis::loopAxes(matmul).at(matmul.all()[3]);
        QCOMPARE(k.single(), 2);
        QVERIFY(k.reduce && !k.spatial);
    }
};

QTEST_GUILESS_MAIN(IndexTest)
#include "index_test.moc"
