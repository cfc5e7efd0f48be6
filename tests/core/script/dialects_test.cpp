// SPDX-License-Identifier: Apache-2.0
// The forms that the versions of TVM write, one by one: each is read, and written again where the version
// asks for it.
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"

#include <QTest>

using namespace nestwright;
using script::Dialect;

namespace {

ir::Module parsed(const std::string &text)
{
    auto module = script::parseTvmScript(text, "test.py");
    if (!module)
        qFatal("%s", (module.error().render() + "\n" + text).c_str());
    return *std::move(module);
}

/// Printed in `dialect`, after checking that every dialect's text is read as the same module.
std::string printed(const ir::Module &module, Dialect dialect)
{
    for (const Dialect each : script::allDialects) {
        const std::string text = script::print(module, each).text;
        const ir::Module again = parsed(text);
        if (const auto difference = ir::firstDifference(module, again))
            qFatal("%s", (*difference + "\n" + text).c_str());
        if (script::print(again, each).text != text)
            qFatal("%s", ("printed another time it differs:\n" + text).c_str());
    }
    return script::print(module, dialect).text;
}

support::Diagnostic refusal(const std::string &text)
{
    const auto module = script::parseTvmScript(text, "test.py");
    return module ? support::Diagnostic() : module.error();
}

std::string function(const std::string &head, const std::string &body = "    T.evaluate(0)\n")
{
    return "# from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\ndef " + head + ":\n" + body;
}

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

class DialectsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void names()
    {
        QCOMPARE(script::findDialect("latest"), Dialect::Tvm027);
        QCOMPARE(script::findDialect("0.26"), Dialect::Tvm025);
        QVERIFY(!script::findDialect("0.22"));
        for (const Dialect dialect : script::allDialects)
            QCOMPARE(script::findDialect(script::dialectName(dialect)), dialect);
        QCOMPARE(script::dialectNames().size(), std::size_t{6});
    }

    void textOfEachVersion()
    {
        const ir::Module module = parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    C = T.alloc_buffer((8,))
    for i in range(8):
        with T.block("C"):
            vi = T.axis.spatial(8, i)
            x: T.float32 = A[vi]
            C[vi] = x
)");
        const std::string first = printed(module, Dialect::Tvm023);
        QVERIFY(first.contains("import tir as T") && first.contains("    @T.prim_func\n"));
        QVERIFY(first.contains("C = T.alloc_buffer((8,))") && first.contains("x: T.float32 = A[vi]"));
        const std::string second = printed(module, Dialect::Tvm024);
        QVERIFY(second.contains("import tirx as T") && second.contains("    @T.prim_func\n"));
        QVERIFY(second.contains("C = T.sblock_alloc_buffer((8,))") && second.contains("T.sblock(\"C\")"));
        QVERIFY(second.contains("x: T.float32 = A[vi]"));
        const std::string third = printed(module, Dialect::Tvm025);
        QVERIFY(third.contains("@T.prim_func(s_tir=True)") && third.contains("x: T.let[T.float32] = A[vi]"));
        QCOMPARE(printed(module, Dialect::Tvm027), third); // there are no sizes here
    }

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
        QCOMPARE(QString::fromStdString(refusal(function(head.toStdString())).code), code);
        QVERIFY(refusal("n = TypeVar(\"m\")\n" + function("main()")).message.contains("TypeVar(\"n\")"));
    }

    void typeVariablesThatAreNoSizes()
    {
        for (const char *call : {"TypeVar()", "TypeVar(\"m\")", "TypeVar(n)", "TypeVar(\"n\", int)",
                                 "TypeVar(\"n\", bound=int)"}) {
            const support::Diagnostic refused =
                refusal("n = " + std::string(call) + "\n" + function("main()"));
            QCOMPARE(refused.code, std::string("script.argument"));
            QVERIFY2(refused.message.contains("'n = TypeVar(\"n\")'"), refused.message.c_str());
        }
        QCOMPARE(refusal("n = TypeVar(\"n\")\n" + function("main()")).code, std::string());
    }

    /// A size that stands only within others, as in twice that many, is a type parameter too.
    void sizesWithinSizes()
    {
        const ir::Module module = parsed(
            function("main[m, n](A: T.Buffer((n * T.int64(2), T.max(m, T.int64(4)) + n), \"float32\"))"));
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
                const ir::Module module = parsed(function(head, body));
                const ir::PrimFunc &main = *module.find("main");
                const ir::Expr n = main.params[0].buffer.shape()[0];
                QCOMPARE(n.dtype(), ir::DataType::int64());
                QVERIFY(n.same(main.params[0].buffer.shape()[1]) && n.same(main.params[1].buffer.shape()[0]));
                QVERIFY(ir::uses(main.body, ir::Var::from(n)));
                printed(module, Dialect::Tvm027);
            }
        }
        const ir::Module later = parsed(function(
            "main(A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((n * 2, 4), \"float32\"), n: T.int32)"));
        const ir::PrimFunc &main = *later.find("main");
        QVERIFY(main.params[0].buffer.shape()[0].same(main.params[2].var));
        QVERIFY(ir::uses(main.params[1].buffer.shape()[0], main.params[2].var));
        printed(later, Dialect::Tvm027);
    }

    void namesThatCannotBeOneSize()
    {
        const auto wrong = [](const std::string &body) {
            return refusal(function("main(A: T.Buffer((\"n\",), \"float32\"), k: T.int32)", body));
        };
        const support::Diagnostic type =
            wrong("    for i in range(2):\n        n = T.int64()\n        T.evaluate(n)\n");
        QCOMPARE(type.code, std::string("script.type"));
        QVERIFY(type.message.contains("'n'") && type.message.contains("int32")
                && type.message.contains("int64"));
        QCOMPARE(wrong("    k = T.int32()\n    T.evaluate(k)\n").code, std::string("script.redefined"));
    }

    void variablesThatAreAssigned()
    {
        const std::string text = R"(# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(V: T.Buffer((5,), "float32"), out: T.Buffer((5,), "int64")):
        with T.sblock("search"):
            T.reads()
            T.writes()
            for v in T.parallel(5):
                low: T.int64
                high: T.int64 = T.int64(9)
                low = T.int64(0)
                while low < high:
                    if V[v] > T.float32(0.0):
                        low = low + T.int64(1)
                    else:
                        high = high - T.int64(1)
                out[v] = low
)";
        const ir::Module module = parsed(text);
        QCOMPARE(printed(module, Dialect::Tvm027), text);
        QVERIFY(printed(module, Dialect::Tvm023)
                    .contains("low = T.decl_buffer((1,), \"int64\", scope=\"local\")"));
        // Shorter ways to write the same.
        std::string shorter = text;
        shorter.replace(shorter.find("low = low + T.int64(1)"), 22, "low += T.int64(1)");
        QVERIFY(!ir::firstDifference(module, parsed(shorter)));
    }

    void variablesWithoutType()
    {
        // A name that gets another value is a variable, one that does not is not; each body has its own.
        const ir::Module module =
            parsed(function("main(A: T.Buffer((8,), \"float32\"))", R"(    total = T.float32(0)
    for i in range(8):
        x = A[i]
        total = total + x
    A[0] = total
)"));
        const std::string text = printed(module, Dialect::Tvm027);
        QVERIFY(text.contains("total: T.float32 = T.float32(0.0)\n"));
        QVERIFY(text.contains("x: T.let[T.float32] = A[i]\n"));
        QVERIFY(text.contains("total = total + x\n"));
        // Before 0.24 a second value is a second name.
        const ir::Module older =
            parsed("@T.prim_func\ndef main(A: T.Buffer((8,), \"float32\")):\n    x = A[0]\n"
                   "    x = x + x\n    A[1] = x\n");
        QVERIFY(!printed(older, Dialect::Tvm027).contains("x: T.float32 ="));
    }

    void buffersThatAreNoVariables()
    {
        // Its pointer is used, or it holds more than one element, or a block names it.
        const ir::Module module =
            parsed(function("main(A: T.Buffer((8,), \"float32\"))", R"(    a = T.alloc_local((1,), "int32")
    b = T.alloc_local((2,), "int32")
    c = T.alloc_local((1,), "int32")
    a[0] = 1
    b[0] = 2
    c[0] = 3
    T.evaluate(T.isnullptr(a.data))
    with T.sblock("x"):
        T.reads(c[0])
        T.writes(A[0])
        A[0] = T.Cast("float32", c[0])
)"));
        const std::string text = printed(module, Dialect::Tvm027);
        for (const char *store : {"a[0] = 1", "b[0] = 2", "c[0] = 3"})
            QVERIFY2(text.contains(store), text.c_str());
    }

    /// Code behind the value of a variable is printed as behind anything else.
    void scopesBehindAValue()
    {
        const std::string text = R"(    x: T.int32 = 1
    with T.attr(A.data, "first", "v"):
        A[0] = T.Cast("float32", x)
    T.attr(A.data, "last", "v")
    A[1] = T.Cast("float32", x)
)";
        const ir::Module module = parsed(function("main(A: T.Buffer((8,), \"float32\"))", text));
        const std::string found = printed(module, Dialect::Tvm027);
        QVERIFY(printed(module, Dialect::Tvm025).contains("x: T.int32 = 1\n"));
        QVERIFY2(QString::fromStdString(found)
                     .remove(QStringLiteral("    "))
                     .contains(QString::fromStdString(text).remove(QStringLiteral("    "))),
                 found.c_str());
    }

    void wrongAssignments_data()
    {
        QTest::addColumn<QString>("body");
        QTest::newRow("pointer") << "    x: T.handle\n    T.evaluate(0)\n";
        QTest::newRow("let without value") << "    x: T.let[T.int32]\n    T.evaluate(0)\n";
        QTest::newRow("several") << "    x: T.int32\n    y: T.int32\n    x, y = 1, 2\n";
        QTest::newRow("element") << "    A[0]: T.int32 = 1\n";
        QTest::newRow("a pointer for a number") << "    x: T.int32\n    x = A.data\n";
    }

    void wrongAssignments()
    {
        QFETCH(QString, body);
        const support::Diagnostic found =
            refusal(function("main(A: T.Buffer((8,), \"float32\"))", body.toStdString()));
        QVERIFY(found.code == "script.unsupported" || found.code == "script.type");
        QVERIFY(!found.locations.empty());
    }

    void views()
    {
        const ir::Module module = parsed(function(
            "main(A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((4, 4), \"float32\", offset_factor=1))",
            R"(    B = A.view(256)
    D = A.view(-1, 8)
    E = C.view("int32")
    F = B.view(2, 128)
    G = A.view("float16")
    for i in range(256):
        B[i] = D[0, 0] + F[0, 1] + T.Cast("float32", E[0, 0]) + T.Cast("float32", G[0, 31])
)"));
        const std::string text = printed(module, Dialect::Tvm027);
        for (const char *view : {"B = A.view(256)\n", "D = A.view(32, 8)\n", "F = A.view(2, 128)\n"})
            QVERIFY2(text.contains(view), text.c_str());
        QVERIFY2(text.contains("E = T.decl_buffer((4, 4), \"int32\", data=C.data"), text.c_str());
        QVERIFY2(text.contains("G = T.decl_buffer((16, 32), \"float16\", data=A.data)"), text.c_str());
        QVERIFY(printed(module, Dialect::Tvm025).contains("B = A.view(256)\n"));
        for (const Dialect before : {Dialect::Tvm023, Dialect::Tvm024})
            QVERIFY(printed(module, before).contains("B = T.decl_buffer((256,), data=A.data)\n"));
    }

    void typesOfPointers()
    {
        const ir::Module module =
            parsed(function("main(args: T.handle, A_data: T.handle(\"float32\", \"global\"))",
                            R"(    first: T.let[T.handle] = T.tvm_struct_get(args, 0, 12, T.handle().ty)
    data: T.let[T.handle("float32", "global")] = T.reinterpret(T.handle("float32", "global").ty, first)
    A = T.decl_buffer((8,), data=data)
    B = T.decl_buffer((8,), data=A_data)
    B[0] = A[0]
)"));
        const std::string text = printed(module, Dialect::Tvm027);
        QVERIFY2(text.contains("T.tvm_struct_get(args, 0, 12, \"handle\")"), text.c_str());
        QVERIFY2(text.contains(" = T.reinterpret(T.handle(\"float32\", \"global\").ty, first)"),
                 text.c_str());
    }

    void metadata()
    {
        // Where nothing refers to it, it says nothing; an object that only it holds cannot be read.
        const std::string section = "metadata = tvm.ir.load_json(\"\"\"{\"root\": 1}\"\"\")\n";
        printed(parsed(section + function("main(A: T.Buffer((8,), \"float32\"))")), Dialect::Tvm027);
        const support::Diagnostic found = refusal(
            section
            + function(
                "main(A: T.Buffer((8,), \"float32\"))",
                "    T.func_attr({\"c\": metadata[\"relax.expr.Constant\"][0]})\n    T.evaluate(0)\n"));
        QCOMPARE(found.code, std::string("script.unsupported"));
        QVERIFY(found.message.contains("'metadata'") && !found.hint.empty() && !found.locations.empty());
    }

    void buffersThatNothingDeclares()
    {
        // Later versions of TVM read them only when told to.
        const ir::Module module = parsed("@T.prim_func\ndef main(A: T.Buffer((8, 8), \"float32\")):\n"
                                         "    F = T.Buffer((64,), data=A.data)\n    F[0] = T.float32(1)\n");
        QVERIFY(printed(module, Dialect::Tvm027)
                    .contains("@I.ir_module(check_well_formed=False)\nclass Module:"));
        QVERIFY(!printed(module, Dialect::Tvm023).contains("check_well_formed"));
    }

    void namesKeepTheirDigits()
    {
        const ir::Module module =
            parsed(function("main(A0123456789: T.Buffer((8,), \"float32\"), z9: T.int32)",
                            "    for aZ9 in range(z9):\n        A0123456789[aZ9] = T.float32(0)\n"));
        const std::string text = printed(module, Dialect::Tvm023);
        for (const char *name :
             {"A0123456789: T.Buffer", "z9: T.int32", "for aZ9 in range(z9)", "A0123456789[aZ9]"})
            QVERIFY2(text.contains(name), text.c_str());
    }

    void freeVariablesOfLayouts()
    {
        // One variable in the strides of two buffers, each declared in a body of its own.
        const ir::Module module = parsed(function("main(A: T.Buffer((8,), \"float32\"))", R"(    s = T.int32()
    k = T.int32()
    for i in range(2):
        B = T.decl_buffer((k, 2), data=A.data, strides=(s * 2, 1))
        B[0, 0] = T.float32(1)
    for j in range(2):
        C = T.decl_buffer((k, 2), data=A.data, strides=(s * 2, 1), elem_offset=s + 1)
        C[0, 0] = T.float32(2)
)"));
        const std::string text = printed(module, Dialect::Tvm027);
        QVERIFY2(text.find("s = T.int32()") < text.find("for i in") && text.contains("strides=(s * 2, 1)"),
                 text.c_str());
        QCOMPARE(text.find("s = T.int32()"), text.rfind("s = T.int32()"));
        QCOMPARE(text.find("k = T.int32()"), text.rfind("k = T.int32()"));
        // A variable that only one declaration names takes its name from there.
        const ir::Module own = parsed(function(
            "main(a: T.handle)", R"(    A = T.match_buffer(a, (8, 4), strides=("s", 1), offset_factor=2)
    A[0, 0] = T.Cast("float32", A.strides[0] + A.elem_offset)
)"));
        const std::string inlined = printed(own, Dialect::Tvm023);
        QVERIFY2(inlined.contains("strides=(s, 1), offset_factor=2)")
                     || inlined.contains("strides=(\"s\", 1), offset_factor=2)"),
                 inlined.c_str());
        QVERIFY(inlined.contains("A.strides[0] + A.elem_offset"));
    }

    void viewsThatDoNotFit_data()
    {
        QTest::addColumn<QString>("view");
        for (const char *view : {"A.view(255)", "A.view(-1, -1)", "A.view(-1, 7)", "A.view()",
                                 "A.view(\"handle\")", "A.view(256, layout=1)", "A.view(16.5)", "S.view(16)"})
            QTest::newRow(view) << view;
    }

    void viewsThatDoNotFit()
    {
        QFETCH(QString, view);
        const support::Diagnostic found =
            refusal(function("main(A: T.Buffer((16, 16), \"float32\"), s: T.handle)",
                             "    S = T.match_buffer(s, (4, 4), strides=(8, 1))\n    B = "
                                 + view.toStdString() + "\n    T.evaluate(0)\n"));
        QVERIFY(!found.code.empty() && !found.locations.empty());
    }
};

QTEST_APPLESS_MAIN(DialectsTest)
#include "dialects_test.moc"
