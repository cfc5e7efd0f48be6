// SPDX-License-Identifier: Apache-2.0
/// Vectors whose lanes are no power of two: the optimizer makes them of rows that stay in registers.
#include "core/backend/backend.h"
#include "tests/support/backends.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

/// Rows of `columns` numbers that are padded by one row, and transposed.
ir::Module transposed(int rows, int columns, const char *type)
{
    return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}, {1}), "{2}"), B: T.Buffer(({1}, {0}), "{2}")):
    P = T.alloc_buffer(({0} + 1, {1}), "{2}")
    E = T.alloc_buffer(({0} + 1, {1}), "{2}")
    for i, j in T.grid({0} + 1, {1}):
        with T.block("P"):
            v, w = T.axis.remap("SS", [i, j])
            P[v, w] = T.if_then_else(v < {0}, A[v, w], T.Cast("{2}", 0))
    for i, j in T.grid({0} + 1, {1}):
        with T.block("E"):
            v, w = T.axis.remap("SS", [i, j])
            E[v, w] = T.exp(P[v, w] * T.Cast("{2}", 0.1))
    for i, j in T.grid({1}, {0}):
        with T.block("B"):
            v, w = T.axis.remap("SS", [i, j])
            B[v, w] = E[w, v] + T.Cast("{2}", 1)
)",
                                     rows, columns, type));
}

} // namespace

class OddLanesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
    }

    /// 9, 17, 25 … lanes of bfloat16 end LLVM where the processor has instructions for that type.
    void haveCode_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        for (const char *type : {"bfloat16", "float16"}) {
            for (const auto &[rows, columns] : {std::pair(7, 3), std::pair(9, 1), std::pair(17, 1),
                                                std::pair(3, 3), std::pair(5, 5), std::pair(3, 11)})
                QTest::addRow("%s %d x %d", type, rows, columns) << QString(type) << rows << columns;
        }
    }
    void haveCode()
    {
        QFETCH(QString, type);
        QFETCH(int, rows);
        QFETCH(int, columns);
        const ir::Module module = transposed(rows, columns, type.toLatin1().constData());
        for (const char *processor : {"sapphirerapids", "znver4", "haswell", "x86-64-v2"}) {
            const auto target =
                *target::parseTarget(std::string("llvm -mtriple=x86_64-linux-gnu -mcpu=") + processor);
            const auto source = backend::source(module, target, backend::SourceKind::Asm);
            QVERIFY2(source, source ? "" : source.error().render().c_str());
            QVERIFY(source->text.contains("ret"));
        }
        const auto why = tests::whyNotCompiledRight(*module.mainEntry()->function, module, "llvm", {});
        QVERIFY2(!why, why.value_or("").c_str());
    }
};

QTEST_GUILESS_MAIN(OddLanesTest)
#include "odd_lanes_test.moc"
