// SPDX-License-Identifier: Apache-2.0
// Small programs and their outcomes: values, or the one error that they end with.
#include "core/interp/interpreter.h"
#include "core/script/tvmscript_parser.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

/// The result of `body` on A = F = 0, 1, … 7 (int32 and float32): the elements of A, or the error.
std::string outcome(const std::string &body, const interp::Limits &limits = {})
{
    std::string text =
        "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), F: T.Buffer((8,), \"float32\")):\n    ";
    for (const char c : body)
        text += c == '\n' ? std::string("\n    ") : std::string(1, c);
    const auto module = script::parseTvmScript(text + "\n", "program.py");
    if (!module)
        return module.error().render();
    ir::NdArray a(ir::DataType::int32(), {8}), f(ir::DataType::float32(), {8});
    for (int i = 0; i < 8; ++i) {
        a.set(i, i);
        f.set(i, i);
    }
    const std::array<ir::NdArray *, 2> buffers{&a, &f};
    if (const auto done = interp::run(*module->find("main"), buffers, {}, limits); !done)
        return done.error().code + ": " + done.error().message;
    std::string values;
    for (int i = 0; i < 8; ++i)
        values += (i > 0 ? " " : "") + std::to_string(static_cast<int>(a.at(i)));
    return values;
}

} // namespace

class OutcomesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void programs_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const char *body, const char *expected) {
            QTest::newRow(name) << body << expected;
        };
        // Both ends of a dimension.
        row("reads before the first", "A[0] = A[A[0] - 1]",
            "interp.out-of-bounds: the function reads 'A[-1]', but dimension 0 of 'A' has the extent 8");
        row("reads the first and the last", "A[1] = A[A[0]] + A[A[7]]", "0 7 2 3 4 5 6 7");
        row("writes behind the last", "A[A[7] + 1] = 0",
            "interp.out-of-bounds: the function writes 'A[8]', but dimension 0 of 'A' has the extent 8");
        row("second dimension",
            "B = T.decl_buffer((2, 4), \"int32\", data=A.data)\nA[0] = B[1, 3]\nB[1, A[4]] = 0",
            "interp.out-of-bounds: the function writes 'B[1, 4]', but dimension 1 of 'B' has the extent 4");
        row("views beyond the memory",
            "B = T.decl_buffer((4,), \"int32\", data=A.data, elem_offset=4)\nB[3] = 0\nA[0] = 9",
            "9 1 2 3 4 5 6 0");
        row("views just beyond the memory",
            "B = T.decl_buffer((4,), \"int32\", data=A.data, elem_offset=5)\nB[2] = 0\nB[A[3]] = 0",
            "interp.out-of-bounds: the function writes 'B[3]', which is element 8 of memory for 8 elements");
        // Masks.
        row("masked loads",
            "A[0:4] = A.vload([T.Ramp(4, 1, 4)], predicate=T.Ramp(0, 1, 4) < T.Broadcast(2, 4))",
            "4 5 0 0 4 5 6 7");
        row("masked loads of floats",
            "A[0:4] = T.Cast(\"int32x4\", F.vload([T.Ramp(4, 1, 4)], predicate=T.Ramp(0, 1, 4) < "
            "T.Broadcast(2, 4)))",
            "4 5 0 0 4 5 6 7");
        row("what is masked out is not read",
            "A[0:2] = A.vload([T.Ramp(7, 1, 2)], predicate=T.Ramp(0, 1, 2) < "
            "T.Broadcast(1, 2))",
            "7 0 2 3 4 5 6 7");
        row("masked stores",
            "A.vstore([T.Ramp(6, 1, 4)], T.Broadcast(9, 4), predicate=T.Ramp(0, 1, 4) < T.Broadcast(2, 4))",
            "0 1 2 3 4 5 9 9");
        row("a masked store of one",
            "A.vstore([A[3]], 9, predicate=A[0] > 0)\nA.vstore([A[4]], 8, predicate=A[1] > 0)",
            "0 1 2 3 8 5 6 7");
        // Domains of block variables: known, and found at run time.
        row("inside",
            "for i in range(4):\n    with T.block(\"b\"):\n        v = T.axis.spatial((2, 6), i + 2)\n"
            "        A[v] = 9",
            "0 1 9 9 9 9 6 7");
        row("one too far",
            "for i in range(5):\n    with T.block(\"b\"):\n        v = T.axis.spatial((2, 6), i + 2)\n"
            "        A[v] = 9",
            "interp.out-of-domain: block 'b' runs with 'v' = 6, outside its domain from 2 to 5");
        row("one before",
            "for i in range(4):\n    with T.block(\"b\"):\n        v = T.axis.spatial((2, 6), i + 1)\n"
            "        A[v] = 9",
            "interp.out-of-domain: block 'b' runs with 'v' = 1, outside its domain from 2 to 5");
        row("at run time",
            "for i in range(A[4]):\n    with T.block(\"b\"):\n        v = T.axis.spatial(4, i)\n"
            "        A[v] = 9",
            "9 9 9 9 4 5 6 7");
        row("too far at run time",
            "for i in range(A[5]):\n    with T.block(\"b\"):\n"
            "        v = T.axis.spatial(4, i)\n        A[v] = 9",
            "interp.out-of-domain: block 'b' runs with 'v' = 4, outside its domain from 0 to 3");
        row("a domain of run time",
            "for i in range(4):\n    with T.block(\"b\"):\n"
            "        v = T.axis.spatial(A[4], i)\n        A[v] = 9",
            "9 9 9 9 4 5 6 7");
        row("a domain of run time that ends",
            "for i in range(4):\n    with T.block(\"b\"):\n"
            "        v = T.axis.spatial(A[3], i)\n        F[v] = T.float32(9)",
            "interp.out-of-domain: block 'b' runs with 'v' = 3, outside its domain from 0 to 2");
        row("a domain that begins at run time",
            "for i in range(4):\n    with T.block(\"b\"):\n"
            "        v = T.axis.spatial((A[1], 4), i)\n        F[v] = T.float32(9)",
            "interp.out-of-domain: block 'b' runs with 'v' = 0, outside its domain from 1 to 3");
        row("products of wide numbers",
            "for i, j in T.grid(3, 2):\n    with T.block(\"b\"):\n"
            "        v = T.axis.spatial(4, i * 2147483647 + j)\n        A[v] = 9",
            "interp.out-of-domain: block 'b' runs with 'v' = 2147483647, outside its domain from 0 to 3");
        row("a falling value",
            "for i in range(4):\n    with T.block(\"b\"):\n        v = T.axis.spatial(4, 3 - i)\n"
            "        A[v] = i",
            "3 2 1 0 4 5 6 7");
        row("a falling value below 0",
            "for i in range(5):\n    with T.block(\"b\"):\n"
            "        v = T.axis.spatial(4, 3 - i)\n        A[v] = i",
            "interp.out-of-domain: block 'b' runs with 'v' = -1, outside its domain from 0 to 3");
        row("loops within loops",
            "for i in range(2):\n    for j in range(i, i + 2):\n        with T.block(\"b\"):\n"
            "            v = T.axis.spatial(2, j)\n            A[v] = 9",
            "interp.out-of-domain: block 'b' runs with 'v' = 2, outside its domain from 0 to 1");
        // Reductions begin where all their variables do.
        row("init",
            "for i, j in T.grid(2, 3):\n    with T.block(\"b\"):\n        v, w = T.axis.remap(\"RR\", [i, "
            "j])\n"
            "        with T.init():\n            A[0] = 100\n        A[0] = A[0] + 1",
            "106 1 2 3 4 5 6 7");
        row("init at the start of the domain",
            "for i in range(3):\n    with T.block(\"b\"):\n"
            "        v = T.axis.reduce((4, 7), i + 4)\n        with T.init():\n            A[0] = 100\n"
            "        A[0] = A[0] + v",
            "115 1 2 3 4 5 6 7");
        row("init for each spatial value",
            "for i, j in T.grid(2, 3):\n    with T.block(\"b\"):\n"
            "        v, w = T.axis.remap(\"SR\", [i, j])\n        with T.init():\n            A[v] = 10\n"
            "        A[v] = A[v] + 1",
            "13 13 2 3 4 5 6 7");
        row("predicates",
            "for i in range(8):\n    with T.block(\"b\"):\n        v = T.axis.spatial(8, i)\n"
            "        T.where(i < 3)\n        A[v] = 9",
            "9 9 9 3 4 5 6 7");
        // Statements.
        row("assertions", "assert A[1] == 1, \"fine\"\nassert A[1] == 2, \"one is not two\"\nA[0] = 1",
            "interp.assertion: an assertion of the function does not hold: one is not two");
        row("choices",
            "if A[0] == 0:\n    A[0] = 5\nelse:\n    A[1] = 5\nif A[0] == 0:\n    A[2] = 5\nelse:\n"
            "    A[3] = 5\nif A[0] == 0:\n    A[4] = 5",
            "5 1 2 5 4 5 6 7");
        row("loops that stop", "while A[0] < 5:\n    A[0] = A[0] + 2", "6 1 2 3 4 5 6 7");
        row("no turns", "for i in range(A[0]):\n    A[1] = 9\nfor i in range(A[0] - 1):\n    A[2] = 9",
            "0 1 2 3 4 5 6 7");
        row("an error in a value alone", "T.evaluate(A[0] // A[0])",
            "interp.division-by-zero: the function divides 0 by zero");
        row("an error in a float alone", "T.evaluate(F[A[7] + 1])",
            "interp.out-of-bounds: the function reads 'F[8]', but dimension 0 of 'F' has the extent 8");
        // Values.
        row("let of lanes",
            "A[0:4] = T.Let(T.Let(x + x, where={x: y + T.Broadcast(1, 4)}), where={y: A[4:8]})",
            "10 12 14 16 4 5 6 7");
        row("variables of lanes", "with T.LetStmt(A[4:8]) as x:\n    A[0:4] = x + x", "8 10 12 14 4 5 6 7");
        row("differences", "for i in range(4):\n    A[i] = (7 - i) - (2 - i * 3)", "5 7 9 11 4 5 6 7");
        row("products of sums", "for i in range(4):\n    A[i] = (i + 1) * 3 + (2 - i) * (i + 1)",
            "5 8 9 8 4 5 6 7");
        row("products of variables", "for i, j in T.grid(2, 2):\n    A[i * 2 + j] = i * j + i * 2 + j",
            "0 1 2 4 4 5 6 7");
        row("threads", "tx = T.launch_thread(\"threadIdx.x\", 4)\nA[tx] = A[tx + 4]", "4 5 6 7 4 5 6 7");
        row("other attributes", "with T.attr(A.data, \"pragma\", 3):\n    A[0] = 9", "9 1 2 3 4 5 6 7");
        // Parts of buffers.
        row("a part with a size of its own",
            "with T.block(\"b\"):\n    n = T.int32()\n"
            "    B = T.match_buffer(A[2:6], (n,), \"int32\", strides=(T.int32(),), offset_factor=1)\n"
            "    A[0] = n\n    B[n - 1] = 9",
            "4 1 2 3 4 9 6 7");
        row("behind a part",
            "with T.block(\"b\"):\n    B = T.match_buffer(A[2:6], (4,), \"int32\", offset_factor=1)\n"
            "    B[A[4]] = 9",
            "interp.out-of-bounds: block 'b' writes 'B[4]', but dimension 0 of 'B' has the extent 4");
    }
    void programs()
    {
        QFETCH(QString, body);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(outcome(body.toStdString())), expected);
    }

    void memoryIsBoundedToTheByte()
    {
        const char *const program =
            "B = T.alloc_buffer((3,), \"float32\")\nB[2] = F[0]\nA[0] = T.Cast(\"int32\", B[2])";
        QCOMPARE(outcome(program, {.bytes = 12, .stop = {}}), std::string("0 1 2 3 4 5 6 7"));
        QCOMPARE(outcome(program, {.bytes = 11, .stop = {}}),
                 std::string(
                     "interp.memory-limit: the buffer 'B' needs 12 bytes, but a run may use only 11 more"));
        // Memory that is allocated again is the same memory.
        QCOMPARE(outcome("for i in range(3):\n    with T.block(\"b\"):\n        v = T.axis.spatial(3, i)\n"
                         "        B = T.alloc_buffer((4,), \"float32\")\n        B[v] = F[0]",
                         {.bytes = 16, .stop = {}}),
                 std::string("0 1 2 3 4 5 6 7"));
    }

    void argumentsAreBoundedToTheByte()
    {
        const ir::Module module = tests::parsed(
            "@T.prim_func\ndef main(A: T.Buffer((5,), \"int32\"), b: T.handle):\n    n = T.int32()\n"
            "    B = T.match_buffer(b, (n, n * 2), \"int8\")\n    B[0, 0] = T.int8(1)\n");
        const ir::PrimFunc &function = *module.find("main");
        const auto code = [&](std::int64_t n, std::int64_t bytes) {
            const auto made = interp::makeArguments(function, 1, {{"n", n}}, bytes);
            return made ? "" : made.error().code;
        };
        QCOMPARE(code(3, 20 + 18), "");
        QCOMPARE(code(3, 20 + 17), "interp.memory-limit");
        QCOMPARE(code(0, 20), "");
        QCOMPARE(code(-1, 1000), "interp.argument");
        const auto shapes = interp::argumentShapes(function, {{"n", 4}});
        QCOMPARE((*shapes)[1], (std::vector<std::int64_t>{4, 8}));
        QCOMPARE((*interp::argumentShapes(function))[1], (std::vector<std::int64_t>{7, 14}));
    }
};

QTEST_GUILESS_MAIN(OutcomesTest)
#include "outcomes_test.moc"
