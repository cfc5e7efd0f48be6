// SPDX-License-Identifier: Apache-2.0
// The forms that the versions of TVM write, one by one: each is read, and written again where the version
// asks for it.
#include "core/ir/build/builder.h"
#include "core/ir/node/equality.h"
#include "tests/core/script/dialects.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::tests;
using script::Dialect;

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
            parsed(tirxFunction("main(A: T.Buffer((8,), \"float32\"))", R"(    total = T.float32(0)
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
        const ir::Module module = parsed(
            tirxFunction("main(A: T.Buffer((8,), \"float32\"))", R"(    a = T.alloc_local((1,), "int32")
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
        const ir::Module module = parsed(tirxFunction("main(A: T.Buffer((8,), \"float32\"))", text));
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
            refusal(tirxFunction("main(A: T.Buffer((8,), \"float32\"))", body.toStdString()));
        QVERIFY(found.code == "script.unsupported" || found.code == "script.type");
        QVERIFY(!found.locations.empty());
    }

    void views()
    {
        const ir::Module module = parsed(tirxFunction(
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
            parsed(tirxFunction("main(args: T.handle, A_data: T.handle(\"float32\", \"global\"))",
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
        printed(parsed(section + tirxFunction("main(A: T.Buffer((8,), \"float32\"))")), Dialect::Tvm027);
        const support::Diagnostic found = refusal(
            section
            + tirxFunction(
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
            parsed(tirxFunction("main(A0123456789: T.Buffer((8,), \"float32\"), z9: T.int32)",
                                "    for aZ9 in range(z9):\n        A0123456789[aZ9] = T.float32(0)\n"));
        const std::string text = printed(module, Dialect::Tvm023);
        for (const char *name :
             {"A0123456789: T.Buffer", "z9: T.int32", "for aZ9 in range(z9)", "A0123456789[aZ9]"})
            QVERIFY2(text.contains(name), text.c_str());
    }

    void freeVariablesOfLayouts()
    {
        // One variable in the strides of two buffers, each declared in a body of its own.
        const ir::Module module =
            parsed(tirxFunction("main(A: T.Buffer((8,), \"float32\"))", R"(    s = T.int32()
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
        const ir::Module own = parsed(tirxFunction(
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
            refusal(tirxFunction("main(A: T.Buffer((16, 16), \"float32\"), s: T.handle)",
                                 "    S = T.match_buffer(s, (4, 4), strides=(8, 1))\n    B = "
                                     + view.toStdString() + "\n    T.evaluate(0)\n"));
        QVERIFY(!found.code.empty() && !found.locations.empty());
    }
};

QTEST_APPLESS_MAIN(DialectsTest)
#include "dialects_test.moc"
