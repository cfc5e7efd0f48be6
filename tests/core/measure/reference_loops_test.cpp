// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/reference_loops.h"

#include "core/analysis/device/parallel_conflicts.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "tests/support/check.h"
#include "tests/support/check_primitive.h"
#include "tests/support/random_program.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr const char *head = R"(
@T.prim_func
def main(A: T.Buffer((256, 128), "float32"), B: T.Buffer((128, 64), "float32"),
         C: T.Buffer((256, 64), "float32")):
)";

std::string quick(const std::string &body)
{
    return script::print(measure::withQuickLoops(scheduled(head + body).module)).text;
}

} // namespace

class ReferenceLoopsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Rows of the result are gone along, terms come in the same order, and the first loop is shared.
    void aProductGoesAlongRows()
    {
        const std::string text = quick(R"(    for i, j, k in T.grid(256, 64, 128):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)");
        QVERIFY2(text.contains("for i in T.parallel(256):\n            for k, j in T.grid(128, 64):"),
                 text.c_str());
    }

    void otherFormsStayAsTheyAre_data()
    {
        QTest::addColumn<QString>("body");
        QTest::newRow("reads what it writes") << R"(    for i, j, k in T.grid(255, 64, 128):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + C[vi + 1, vj] * A[vi, vk]
)";
        QTest::newRow("writes an element in several iterations")
            << R"(    for i, j, k in T.grid(256, 64, 128):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj // 2] = C[vi, vj // 2] + A[vi, vk]
)";
        QTest::newRow("goes over all with one variable") << R"(    for i, j, k in T.grid(256, 64, 128):
        with T.block("C"):
            vi = T.axis.spatial(256, i)
            vj = T.axis.opaque(64, j)
            vk = T.axis.reduce(128, k)
            C[vi, vj] = C[vi, vj] + A[vi, vk]
)";
        QTest::newRow("with a condition") << R"(    for i, j, k in T.grid(256, 64, 128):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.where(k < 100)
            C[vi, vj] = C[vi, vj] + A[vi, vk]
)";
        QTest::newRow("a triangle") << R"(    for i in range(64):
        for j in range(64):
            for k in range(j):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    vk = T.axis.reduce(64, k)
                    C[vi, vj] = C[vi, vj] + A[vi, vk]
)";
        QTest::newRow("calls what nobody knows") << R"(    for i, j, k in T.grid(256, 64, 128):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + T.call_extern("float32", "f", A[vi, vk])
)";
    }
    void otherFormsStayAsTheyAre()
    {
        QFETCH(QString, body);
        const ir::Module before = scheduled(head + body.toStdString()).module;
        const auto difference = ir::firstDifference(before, measure::withQuickLoops(before));
        QVERIFY2(!difference, difference ? difference->c_str() : "");
    }

    /// Bit by bit, and no iterations in parallel meet.
    void resultsAreTheSame()
    {
        int changed = 0;
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            Random random(seed);
            const ir::Module before = scheduled(randomProgram(random)).module;
            const ir::Module after = measure::withQuickLoops(before);
            if (ir::structurallyEqual(before, after))
                continue;
            ++changed;
            const auto why = whyNotEquivalent(before, after, {.exactFloats = true});
            QVERIFY2(!why, why ? why->c_str() : "");
            QVERIFY(!analysis::parallelConflict(*after.mainEntry()->function));
        }
        QVERIFY(changed > 30);
    }
};

QTEST_GUILESS_MAIN(ReferenceLoopsTest)
#include "reference_loops_test.moc"
