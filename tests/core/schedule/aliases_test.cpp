// SPDX-License-Identifier: Apache-2.0
/// Steps on programs in which two buffers are the same memory: those that would change what only one of them
/// sees are refused.
#include "core/schedule/primitive.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// B is summed up under its own name and read under that of F.
constexpr std::string_view sums = R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    F = T.Buffer((8,), data=B.data)
    for i, k in T.grid(8, 16):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = F[vi] * T.float32(2)
)";

} // namespace

class AliasesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsThatMoveOrRenewMemoryAreRefused_data()
    {
        QTest::addColumn<QString>("step");
        for (const char *step :
             {"sch.decompose_reduction('B', sch.get_loops('B')[1])", "sch.rfactor(sch.get_loops('B')[1], 0)",
              "sch.cache_read('B', 0, 'local')", "sch.cache_write('B', 0, 'local')",
              "sch.reverse_compute_at('C', sch.get_loops('B')[0])", "sch.set_scope('B', 0, 'local')",
              "sch.storage_align('B', 0, 0, 32, 1)", "sch.unsafe_set_dtype('B', 0, 'float64')",
              "sch.transform_layout('B', ('write', 0), lambda i: (i // 2, i % 2))"})
            QTest::newRow(step) << QString::fromLatin1(step);
    }
    void stepsThatMoveOrRenewMemoryAreRefused()
    {
        QFETCH(QString, step);
        QVERIFY(checkRefused(sums, step.toStdString(), "schedule.alias",
                             "the buffers 'B' and 'F' sees, which are the same memory"));
        QVERIFY(checkRefused(sums, step.toStdString(), "schedule.alias",
                             "write the program with one buffer in place of both"));
    }

    void loopsMayBeChanged()
    {
        QVERIFY(checkSchedule(sums, "a, b = sch.split(sch.get_loops('B')[0], [2, 4])\nsch.parallel(a)\n"
                                    "sch.reorder(sch.get_loops('B')[2], b)"));
        QVERIFY(checkSchedule(sums, "sch.annotate(sch.get_loops('B')[0], 'mark', 1)"));
        QVERIFY(checkSchedule(sums, "sch.reorder_block_iter_var('B', [1, 0])"));
    }
};

QTEST_APPLESS_MAIN(AliasesTest)
#include "aliases_test.moc"
