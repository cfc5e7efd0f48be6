// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/matrix_product.h"

#include "core/script/tvmscript/parser.h"
#include "tests/support/programs.h"

#include <QTest>
#include <format>

using namespace nestwright;
using analysis::MatrixProduct;

class MatrixProductTest : public QObject {
    Q_OBJECT

    static std::optional<MatrixProduct> of(const std::string &text)
    {
        const auto module = script::parseTvmScript(text, "product.py");
        if (!module)
            qFatal("%s", module.error().render().c_str());
        return analysis::matrixProductOf(*module->mainEntry()->function);
    }
    struct Parts {
        std::string a = "(4, 8)", b = "(8, 6)", value = "A[vi, vk] * B[vk, vj]", init = "T.float32(0)",
                    dtype = "float32", columns = "6", kinds = "SSR", guard = "",
                    begin = "with T.init():", old = "C[vi, vj]";
    };
    static std::string program(const Parts &parts)
    {
        return std::format(R"(
@T.prim_func
def main(A: T.Buffer({}, "{}"), B: T.Buffer({}, "{}"), C: T.Buffer((4, 6), "{}")):
    for i, j, k in T.grid(4, {}, 8):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("{}", [i, j, k])
            {}
            {}
                C[vi, vj] = {}
            C[vi, vj] = {} + {}
)",
                           parts.a, parts.dtype, parts.b, parts.dtype, parts.dtype, parts.columns,
                           parts.kinds, parts.guard, parts.begin, parts.init, parts.old, parts.value);
    }

private Q_SLOTS:
    void products()
    {
        QCOMPARE(of(program({})), (MatrixProduct{4, 6, 8, false, false, false}));
        QCOMPARE(of(program({.value = "B[vk, vj] * A[vi, vk]"})),
                 (MatrixProduct{4, 6, 8, false, false, false}));
        QCOMPARE(of(program({.a = "(8, 4)", .value = "A[vk, vi] * B[vk, vj]"})),
                 (MatrixProduct{4, 6, 8, true, false, false}));
        QCOMPARE(of(program({.b = "(6, 8)", .value = "A[vi, vk] * B[vj, vk]"})),
                 (MatrixProduct{4, 6, 8, false, true, false}));
        QCOMPARE(of(program({.init = "T.float64(0)", .dtype = "float64"})),
                 (MatrixProduct{4, 6, 8, false, false, true}));
    }

    void otherProgramsAreNone()
    {
        QVERIFY(!of(program({.init = "T.float32(1)"})));
        QVERIFY(!of(program({.value = "A[vi, vk] + B[vk, vj]"})));
        QVERIFY(!of(program({.guard = "T.where(k < 7)"})));
        QVERIFY(!of(program({.begin = "if vk == 0:"}))); // set by a branch, not before all terms
        for (const char *kinds : {"SRR", "RSR", "SSS"})
            QVERIFY2(!of(program({.kinds = kinds})), kinds);
        QVERIFY(!of(program({.value = "A[vi, vk] * A[vi, vk]"})));
        QVERIFY(!of(program({.value = "A[vi, vk] * B[vk, vj] * T.float32(2)"})));
        QVERIFY(!of(program({.value = "A[vi, vk] * T.float32(2)"})));
        QVERIFY(!of(program({.value = "T.float32(2) * B[vk, vj]"})));
        QVERIFY(!of(program({.old = "C[vi, 0]"}))); // adds to another element
        QVERIFY(!of(program({.old = "A[vi, vj]"})));
        QVERIFY(!of(program({.old = "T.float32(1)"})));
        QVERIFY(!of(program({.a = "(4, 9)"})));                 // it reads only a part
        QVERIFY(!of(program({.columns = "5"})));                // it fills only a part
        QVERIFY(!of(program({.init = "0", .dtype = "int32"}))); // no library has it
        QVERIFY(!of(program({.init = "T.float16(0)", .dtype = "float16"})));
        QVERIFY(!analysis::matrixProductOf(*tests::program("mm_relu").mainEntry()->function));
    }
};

QTEST_GUILESS_MAIN(MatrixProductTest)
#include "matrix_product_test.moc"
