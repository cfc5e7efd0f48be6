// SPDX-License-Identifier: Apache-2.0
// Sizes as the versions of TVM write them: type parameters, strings, variables of the body. One name is one
// size.
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "tests/core/script/dialects.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::tests;
using script::Dialect;

namespace {

const std::string copyRows = R"(from __future__ import annotations

# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T

cols = TypeVar("cols")
rows = TypeVar("rows")

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((rows, cols * T.int64(2)), "float32"), B: T.Buffer((cols,), "float32")):
        # with T.sblock("root"):
        for i, j in T.grid(rows, cols):
            with T.sblock("B"):
                vi, vj = T.axis.remap("RS", [i, j])
                T.reads(A[vi, vj * T.int64(2)])
                T.writes(B[vj])
                with T.init():
                    B[vj] = T.float32(0.0)
                B[vj] = B[vj] + A[vi, vj * T.int64(2)]
)";

} // namespace

class DialectSizesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sizesAsTypeParameters()
    {
        const ir::Module module = parsed(copyRows);
        QCOMPARE(printed(module, Dialect::Tvm027), copyRows);
        QVERIFY(printed(module, Dialect::Tvm025).contains("rows, cols = T.int64(), T.int64()"));
        // Python from 3.12 on reads them behind the name of the function, too.
        std::string behind = copyRows;
        behind.replace(behind.find("main("), 5, "main[cols, rows](");
        behind.erase(behind.find("cols = "), behind.find("@I.ir") - behind.find("cols = "));
        QCOMPARE(printed(parsed(behind), Dialect::Tvm027), copyRows);
        // The file declares them for all of its functions.
        const std::string declared = R"(
rows = TypeVar("rows")
cols = TypeVar("cols")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((rows, cols), "float32")):
        T.evaluate(rows)
    @T.prim_func(s_tir=True)
    def other(A: T.Buffer(("rows", rows), "float32")):
        rows = T.int32()
        T.evaluate(rows)
    @T.prim_func(s_tir=True)
    def third(A: T.Buffer(("rows",), "float32"), rows: T.int32):
        T.evaluate(rows)
)";
        const ir::Module several = parsed(declared);
        const ir::Buffer a = several.find("main")->params[0].buffer;
        const ir::Buffer b = several.find("other")->params[0].buffer;
        QCOMPARE(a.shape()[0].dtype(), ir::DataType::int64());
        QCOMPARE(b.shape()[0].dtype(), ir::DataType::int32());
        QVERIFY(b.shape()[0].same(b.shape()[1]));
        QVERIFY(
            several.find("third")->params[0].buffer.shape()[0].same(several.find("third")->params[1].var));
        printed(several, Dialect::Tvm027);
    }

    void typeParametersThatAreNone_data()
    {
        QTest::addColumn<QString>("head");
        QTest::addColumn<QString>("code");
        const auto row = [](const char *name, const char *head, const char *code) {
            QTest::newRow(name) << QString(head) << QString(code);
        };
        row("bound", "main[n: str](A: T.Buffer((n,), \"float32\"))", "script.unsupported");
        row("twice", "main[n, n](A: T.Buffer((n,), \"float32\"))", "script.redefined");
        row("a parameter too", "main[n](A: T.Buffer((n,), \"float32\"), n: T.int64)", "script.redefined");
        row("a star", "main[*n](A: T.Buffer((4,), \"float32\"))", "script.syntax");
        row("not closed", "main[n(A: T.Buffer((4,), \"float32\"))", "script.syntax");
        row("empty", "main[](A: T.Buffer((4,), \"float32\"))", "script.syntax");
    }

    void typeParametersThatAreNone()
    {
        QFETCH(QString, head);
        QFETCH(QString, code);
        QCOMPARE(QString::fromStdString(refusal(tirxFunction(head.toStdString())).code), code);
        QVERIFY(refusal("n = TypeVar(\"m\")\n" + tirxFunction("main()")).message.contains("TypeVar(\"n\")"));
    }

    void typeVariablesThatAreNoSizes()
    {
        for (const char *call : {"TypeVar()", "TypeVar(\"m\")", "TypeVar(n)", "TypeVar(\"n\", int)",
                                 "TypeVar(\"n\", bound=int)"}) {
            const support::Diagnostic refused =
                refusal("n = " + std::string(call) + "\n" + tirxFunction("main()"));
            QCOMPARE(refused.code, std::string("script.argument"));
            QVERIFY2(refused.message.contains("'n = TypeVar(\"n\")'"), refused.message.c_str());
        }
        QCOMPARE(refusal("n = TypeVar(\"n\")\n" + tirxFunction("main()")).code, std::string());
    }

    /// A size that stands only within others, as in twice that many, is a type parameter too.
    void sizesWithinSizes()
    {
        const ir::Module module = parsed(
            tirxFunction("main[m, n](A: T.Buffer((n * T.int64(2), T.max(m, T.int64(4)) + n), \"float32\"))"));
        const std::string text = printed(module, Dialect::Tvm027);
        QVERIFY2(text.contains("def main(A: T.Buffer((n * T.int64(2), "), text.c_str());
        QVERIFY2(text.contains("\nm = TypeVar(\"m\")\nn = TypeVar(\"n\")\n"), text.c_str());
        QVERIFY(ir::structurallyEqual(parsed(text), module));
    }

    void oneNameIsOneSize()
    {
        // However a size is spelled: as a string, by name, declared in the body, as a parameter that comes
        // later.
        for (const char *head :
             {"main(A: T.Buffer((\"n\", n), \"float32\"), B: T.Buffer((n,), \"float32\"))",
              "main(A: T.Buffer((\"n\", \"n\"), \"float32\"), B: T.Buffer((\"n\",), \"float32\"))"}) {
            for (const char *body : {"    n = T.int64()\n    T.evaluate(n)\n",
                                     "    m, n = T.int32(), T.int64()\n    T.evaluate(n)\n",
                                     "    n = T.var(\"int64\")\n    T.evaluate(n)\n"}) {
                const ir::Module module = parsed(tirxFunction(head, body));
                const ir::PrimFunc &main = *module.find("main");
                const ir::Expr n = main.params[0].buffer.shape()[0];
                QCOMPARE(n.dtype(), ir::DataType::int64());
                QVERIFY(n.same(main.params[0].buffer.shape()[1]) && n.same(main.params[1].buffer.shape()[0]));
                QVERIFY(ir::uses(main.body, ir::Var::from(n)));
                printed(module, Dialect::Tvm027);
            }
        }
        const ir::Module later = parsed(tirxFunction(
            "main(A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((n * 2, 4), \"float32\"), n: T.int32)"));
        const ir::PrimFunc &main = *later.find("main");
        QVERIFY(main.params[0].buffer.shape()[0].same(main.params[2].var));
        QVERIFY(ir::uses(main.params[1].buffer.shape()[0], main.params[2].var));
        printed(later, Dialect::Tvm027);
    }

    void namesThatCannotBeOneSize()
    {
        const auto wrong = [](const std::string &body) {
            return refusal(tirxFunction("main(A: T.Buffer((\"n\",), \"float32\"), k: T.int32)", body));
        };
        const support::Diagnostic type =
            wrong("    for i in range(2):\n        n = T.int64()\n        T.evaluate(n)\n");
        QCOMPARE(type.code, std::string("script.type"));
        QVERIFY(type.message.contains("'n'") && type.message.contains("int32")
                && type.message.contains("int64"));
        QCOMPARE(wrong("    k = T.int32()\n    T.evaluate(k)\n").code, std::string("script.redefined"));
    }
};

QTEST_APPLESS_MAIN(DialectSizesTest)
#include "dialect_sizes_test.moc"
