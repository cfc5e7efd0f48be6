// SPDX-License-Identifier: Apache-2.0
// Small programs and their outcomes: values, or the one error that they end with.
#include "core/interp/interpreter.h"
#include "core/script/tvmscript/parser.h"
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
        // Threads that meet.
        const std::string threads = "tx = T.launch_thread(\"threadIdx.x\", 8)\n";
        const std::string tile = threads + "D = T.allocate([8], \"int32\", \"shared\")\n"
                                 + "S = T.Buffer((8,), \"int32\", data=D, scope=\"shared\")\n";
        const std::string barrier = "T.tvm_storage_sync(\"shared\")\n";
        const auto meeting = [&](const char *name, const std::string &body, const char *expected) {
            row(name, body.c_str(), expected);
        };
        meeting("a barrier", tile + "S[tx] = A[tx]\n" + barrier + "A[tx] = S[7 - tx]", "7 6 5 4 3 2 1 0");
        meeting("barriers in a loop",
                tile + "S[tx] = A[tx]\nfor i in range(3):\n    " + barrier
                    + "    if tx < T.shift_right(4, i):\n"
                      "        S[tx] = S[tx] + S[tx + T.shift_right(4, i)]\n"
                    + barrier + "A[tx] = S[0]",
                "28 28 28 28 28 28 28 28");
        meeting("two axes",
                "ty = T.launch_thread(\"threadIdx.y\", 2)\n"
                "tx = T.launch_thread(\"threadIdx.x\", 4)\nD = T.allocate([8], \"int32\", \"shared\")\n"
                "S = T.Buffer((8,), \"int32\", data=D, scope=\"shared\")\nS[ty * 4 + tx] = A[ty * 4 + tx]\n"
                    + barrier + "A[tx * 2 + ty] = S[ty * 4 + tx]",
                "0 4 1 5 2 6 3 7");
        meeting("loops over the same threads",
                "with T.attr(A.data, \"p\", 0):\n    D = T.allocate([8], \"int32\", \"shared\")\n"
                "    S = T.Buffer((8,), \"int32\", data=D, scope=\"shared\")\n"
                "    for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
                "        for u in T.thread_binding(4, thread=\"threadIdx.x\"):\n            S[u] = A[u + 4]\n"
                "        T.tvm_storage_sync(\"shared\")\n        A[t] = S[t % 4]",
                "4 5 6 7 4 5 6 7");
        meeting("memory of each thread",
                threads
                    + "D = T.allocate([1], \"int32\", \"local\")\n"
                      "L = T.Buffer((1,), \"int32\", data=D, scope=\"local\")\nL[0] = 7 - tx\n"
                    + barrier + "A[tx] = L[0]",
                "7 6 5 4 3 2 1 0");
        meeting("a barrier that some miss", threads + "if tx < 4:\n    " + barrier,
                "interp.divergent-barrier: only 4 of 8 threads reach a barrier in the function, thread 4 "
                "does not");
        meeting("a barrier in loops of other lengths", threads + "for i in range(tx):\n    " + barrier,
                "interp.divergent-barrier: only 7 of 8 threads reach a barrier in the function, thread 0 "
                "does not");
        meeting("a barrier in loops of the same length",
                tile + "S[tx] = 0\nfor i in range(A[3]):\n    " + barrier
                    + "    S[(tx + i) % 8] = S[(tx + i) % 8] + tx\n" + barrier + "A[tx] = S[tx]",
                "13 8 3 6 9 12 15 18");
        meeting("a barrier of a warp that some miss",
                threads + "if tx < 4:\n    T.tvm_storage_sync(\"warp\")\n",
                "interp.divergent-barrier: only 4 of 8 threads of a warp reach a barrier in the function, "
                "thread 4 does not");
        meeting("a barrier outside of threads", barrier + "A[0] = 9", "9 1 2 3 4 5 6 7");
        meeting("a shuffle", threads + "A[tx] = T.tvm_warp_shuffle(T.uint32(255), A[tx], 2, 4, 32)",
                "2 2 2 2 6 6 6 6");
        meeting("a shuffle up", threads + "A[tx] = T.tvm_warp_shuffle_up(T.uint32(255), A[tx], 1, 4, 32)",
                "0 0 1 2 4 4 5 6");
        meeting("a shuffle down",
                threads + "A[tx] = A[tx] + T.tvm_warp_shuffle_down(T.uint32(255), A[tx], 4, 8, 32)",
                "4 6 8 10 8 10 12 14");
        meeting("a shuffle of floats",
                threads
                    + "A[tx] = T.Cast(\"int32\", "
                      "T.tvm_warp_shuffle(T.uint32(255), F[tx] * T.float32(2), 7 - tx, 8, 32))",
                "14 12 10 8 6 4 2 0");
        meeting("a variable of a shuffle",
                threads
                    + "v: T.int32 = T.tvm_warp_shuffle_down(T.uint32(255), A[tx], 1, 8, 32)\n"
                      "A[tx] = v",
                "1 2 3 4 5 6 7 7");
        meeting("who is active",
                threads + "if tx < 3:\n    A[tx] = T.Cast(\"int32\", T.tvm_warp_activemask())",
                "7 7 7 3 4 5 6 7");
        meeting("a shuffle from a thread that does not run",
                threads + "if tx < 4:\n    A[tx] = T.tvm_warp_shuffle_down(T.uint32(255), A[tx], 2, 8, 32)",
                "interp.inactive-lane: the function reads in thread 2 the value of thread 4, which does not "
                "run the statement");
        meeting("a shuffle outside of threads", "A[0] = T.tvm_warp_shuffle(T.uint32(255), A[1], 2, 4, 32)",
                "interp.unsupported: the function exchanges values within a warp outside of loops over "
                "threads");
        meeting("too many threads", "tx = T.launch_thread(\"threadIdx.x\", 1025)\n" + barrier,
                "interp.unsupported: the function runs with more than 1024 threads in a block, which is more "
                "than any device has");
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

    void races_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const std::string &body, const char *expected) {
            QTest::newRow(name) << QString::fromStdString(body) << expected;
        };
        const std::string threads = "tx = T.launch_thread(\"threadIdx.x\", 8)\n";
        const std::string tile = threads + "D = T.allocate([8], \"int32\", \"shared\")\n"
                                 + "S = T.Buffer((8,), \"int32\", data=D, scope=\"shared\")\n";
        const std::string barrier = "T.tvm_storage_sync(\"shared\")\n";
        row("own elements", threads + "A[tx] = A[tx] + 1", "1 2 3 4 5 6 7 8");
        row("a neighbour's element", threads + "A[tx] = A[(tx + 1) % 8]",
            "interp.race: thread 1 writes 'A[1]' in the function, thread 0 reads it in the function, and no "
            "barrier is between them");
        row("with a barrier", tile + "S[tx] = A[tx]\n" + barrier + "A[tx] = S[7 - tx]", "7 6 5 4 3 2 1 0");
        row("without one", tile + "S[tx] = A[tx]\nA[tx] = S[7 - tx]",
            "interp.race: thread 4 writes 'S[4]' in the function, thread 3 reads it in the function, and no "
            "barrier is between them");
        row("a barrier too few",
            tile + "for i in range(2):\n    S[tx] = A[tx] + i\n    " + barrier + "    A[tx] = S[7 - tx]",
            "interp.race: thread 0 writes 'S[0]' in the function, thread 7 reads it in the function, and no "
            "barrier is between them");
        row("all write to one element", threads + "A[0] = tx + 1",
            "interp.race: thread 1 writes 'A[0]' in the function, thread 0 writes it in the function, and no "
            "barrier is between them");
        row("all write the same", threads + "A[0] = 9", "9 1 2 3 4 5 6 7");
        row("what was there is written and read",
            "bx = T.launch_thread(\"blockIdx.x\", 4)\ntx = T.launch_thread(\"threadIdx.x\", 2)\nA[0] = 9\n"
            "A[bx * 2 + tx] = A[0] + bx * 2 + tx",
            "9 10 11 12 13 14 15 16");
        row("two readers, one writes later", threads + "A[7] = T.if_then_else(tx < 2, A[7], A[6] + tx)",
            "interp.race: thread 2 writes 'A[7]' in the function, thread 1 reads it in the function, and no "
            "barrier is between them");
        row("a barrier of the warp", tile + "S[tx] = A[tx]\nT.tvm_storage_sync(\"warp\")\nA[tx] = S[7 - tx]",
            "7 6 5 4 3 2 1 0");
        row("memory of each thread",
            threads
                + "D = T.allocate([1], \"int32\", \"local\")\n"
                  "L = T.Buffer((1,), \"int32\", data=D, scope=\"local\")\nL[0] = 7 - tx\nA[tx] = L[0]",
            "7 6 5 4 3 2 1 0");
        row("blocks of their own elements",
            "bx = T.launch_thread(\"blockIdx.x\", 2)\ntx = T.launch_thread(\"threadIdx.x\", 4)\n"
            "A[bx * 4 + tx] = 1",
            "1 1 1 1 1 1 1 1");
        row("blocks that share an element",
            "bx = T.launch_thread(\"blockIdx.x\", 2)\ntx = T.launch_thread(\"threadIdx.x\", 4)\n"
            "A[bx * 3 + tx] = bx + 20",
            "interp.race: thread 0 writes 'A[3]' in the function, a thread of another block writes it in the "
            "function, and no barrier is between them");
        row("memory of blocks",
            "bx = T.launch_thread(\"blockIdx.x\", 2)\ntx = T.launch_thread(\"threadIdx.x\", 4)\n"
            "D = T.allocate([4], \"int32\", \"shared\")\n"
            "S = T.Buffer((4,), \"int32\", data=D, scope=\"shared\")\nS[tx] = A[bx * 4 + tx]\n"
                + barrier + "A[bx * 4 + tx] = S[3 - tx]",
            "3 2 1 0 7 6 5 4");
        row("two launches",
            "for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n    A[t] = A[t] + 1\n"
            "for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n    A[7 - t] = A[7 - t] * 2",
            "2 4 6 8 10 12 14 16");
        row("vectors",
            "for t in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
            "    A[t:t + 2] = A[t:t + 2] + T.Broadcast(1, 2)",
            "interp.race: thread 1 reads 'A[1]' in the function, thread 0 writes it in the function, and no "
            "barrier is between them");
    }
    void races()
    {
        QFETCH(QString, body);
        QFETCH(QString, expected);
        const std::string found = outcome(body.toStdString(), {.stop = {}, .findRaces = true});
        QCOMPARE(QString::fromStdString(found), expected);
    }

    /// Shared memory counts once, memory of the threads as often as there are threads, all until they end.
    void threadsShareOneBudget()
    {
        const auto program = [](const char *scope) {
            return "for i in range(3):\n    for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
                   "        D = T.allocate([2], \"int32\", \""
                   + std::string(scope)
                   + "\")\n        T.tvm_storage_sync(\"shared\")\n        A[t] = A[t] + 1";
        };
        const std::string counted = "3 4 5 6 7 8 9 10";
        QCOMPARE(outcome(program("shared"), {.bytes = 8, .stop = {}}), counted);
        QCOMPARE(outcome(program("local"), {.bytes = 64, .stop = {}}), counted);
        QVERIFY(outcome(program("shared"), {.bytes = 7, .stop = {}}).starts_with("interp.memory-limit"));
        QVERIFY(outcome(program("local"), {.bytes = 63, .stop = {}}).starts_with("interp.memory-limit"));
        QVERIFY(outcome("for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n    while A[0] < 9:\n"
                        "        T.tvm_storage_sync(\"shared\")",
                        {.steps = 100000, .stop = {}})
                    .starts_with("interp.step-limit"));
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
