// SPDX-License-Identifier: Apache-2.0
/// Groups of more than one warp: who meets whom, who wrote last, how threads and places are named.
#include "core/interp/interpreter.h"
#include "core/script/tvmscript/parser.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

/// A program over A (int32) = 0, 1, …, of as many elements, and B (int32) of 4 zeros.
struct Run {
    ir::Module module;
    ir::NdArray a, b;
    support::Result<void> done;

    explicit Run(const std::string &body, int elements = 64,
                 const interp::Limits &limits = {.stop = {}, .findRaces = true})
        : a(ir::DataType::int32(), {elements})
        , b(ir::DataType::int32(), {4})
    {
        std::string text = std::format("@T.prim_func\ndef main(A: T.Buffer(({},), \"int32\"), B: "
                                       "T.Buffer((4,), \"int32\")):\n    ",
                                       elements);
        for (const char c : body)
            text += c == '\n' ? std::string("\n    ") : std::string(1, c);
        auto parsed = script::parseTvmScript(text + "\n", "program.py");
        if (!parsed)
            qFatal("%s", parsed.error().render().c_str());
        module = std::move(*parsed);
        reset();
        const std::array<ir::NdArray *, 2> buffers{&a, &b};
        done = interp::run(function(), buffers, {}, limits);
    }

    const ir::PrimFunc &function() const { return *module.find("main"); }
    void reset()
    {
        for (std::int64_t i = 0; i < a.size(); ++i)
            a.set(i, static_cast<double>(i));
        for (int i = 0; i < 4; ++i)
            b.set(i, 0);
    }
    QString error() const { return done ? QString() : QString::fromStdString(done.error().message); }
    /// The block that wrote last to an element of a buffer: "none" where nobody did.
    QString lastWriter(std::size_t buffer, std::int64_t index)
    {
        reset();
        const std::array<ir::NdArray *, 2> buffers{&a, &b};
        const auto found = interp::lastWriteTo({buffer, index}, function(), buffers);
        if (!found)
            return QString::fromStdString(found.error().message);
        return *found ? QString::fromStdString((*found)->label) : QStringLiteral("none");
    }
};

const std::string threads = "tx = T.launch_thread(\"threadIdx.x\", 64)\n";
const std::string tile = threads
                         + "D = T.allocate([64], \"int32\", \"shared\")\n"
                           "S = T.Buffer((64,), \"int32\", data=D, scope=\"shared\")\n";

/// A loop over threads of whose elements of A each block writes some.
std::string writers(const std::string &first, const std::string &second)
{
    return "for t in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
           "    with T.block(\"first\"):\n        v = T.axis.spatial(4, t)\n        "
           + first + "\n    with T.block(\"second\"):\n        w = T.axis.spatial(4, t)\n        " + second;
}

} // namespace

class ThreadsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBlockThatWroteLastIsFound()
    {
        Run run(writers("A[v] = 100", "A[w + 2] = 200"));
        QCOMPARE(
            run.lastWriter(0, 0),
            "thread 2 writes 'A[2]' in block 'first', thread 0 writes it in block 'second', and no barrier "
            "is between them");
        Run apart(writers("A[v] = 100", "A[w + 4] = 200"));
        QVERIFY2(apart.done, qPrintable(apart.error()));
        QCOMPARE(apart.lastWriter(0, 0), "block 'first'");
        QCOMPARE(apart.lastWriter(0, 3), "block 'first'");
        QCOMPARE(apart.lastWriter(0, 4), "block 'second'");
        QCOMPARE(apart.lastWriter(0, 7), "block 'second'");
    }

    void nobodyWroteWhatNoThreadTouched()
    {
        Run run(writers("A[v] = 100", "A[w + 4] = 200"));
        QCOMPARE(run.lastWriter(0, 8), "none");
        QCOMPARE(run.lastWriter(0, 63), "none");
        QCOMPARE(run.lastWriter(1, 0), "none"); // a buffer that is not used at all
        QCOMPARE(run.lastWriter(1, 3), "none");
    }

    void whatIsWrittenAnewIsNoChange()
    {
        Run run(writers("A[v] = v", "A[w + 4] = 200"));
        QCOMPARE(run.lastWriter(0, 0), "none");
        QCOMPARE(run.lastWriter(0, 4), "block 'second'");
    }

    void writesOutsideOfThreadsAreNotNoted()
    {
        Run run("A[0] = 100");
        QCOMPARE(run.lastWriter(0, 0), "none");
    }

    void onlyTheLastLaunchCounts()
    {
        const auto launch = [](const char *block, const char *element) {
            return std::format(
                "for t in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
                "    with T.block(\"{}\"):\n        v = T.axis.spatial(4, t)\n        {} = 100\n",
                block, element);
        };
        Run run(launch("before", "A[v]") + launch("after", "A[v + 4]"));
        QVERIFY2(run.done, qPrintable(run.error()));
        QCOMPARE(run.lastWriter(0, 0), "none");
        QCOMPARE(run.lastWriter(0, 5), "block 'after'");
    }

    /// 3,000 launches touch a few of a million elements each: what was touched counts, not what there is.
    void shortLaunchesOverLargeMemoryAreQuick()
    {
        const std::string body = "for k in range(3000):\n"
                                 "    for t in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
                                 "        A[k * 300 + t] = A[k * 300 + t + 4] + 1\n";
        QElapsedTimer timer;
        timer.start();
        Run run(body, 1 << 20);
        QVERIFY2(run.done, qPrintable(run.error()));
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed()) + " ms"));
        Run race(body + "for t in T.thread_binding(4, thread=\"threadIdx.x\"):\n    A[t // 2] = t + 100",
                 1 << 20);
        QCOMPARE(race.error(), "thread 1 writes 'A[0]' in the function, thread 0 writes it in the function, "
                               "and no barrier is between them");
    }

    void memoryOfEachBlockIsNew()
    {
        const auto blocks = [](const std::string &second) {
            return "bx = T.launch_thread(\"blockIdx.x\", 2)\n" + tile
                   + "S[tx] = bx\nT.tvm_storage_sync(\"shared\")\nif bx == 1:\n    " + second;
        };
        Run apart(blocks("S[63 - tx] = 7"));
        QVERIFY2(apart.done, qPrintable(apart.error()));
        Run race(blocks("S[tx // 2] = tx + 100"));
        QCOMPARE(race.error(), "thread 1 writes 'S[0]' in the function, thread 0 writes it in the function, "
                               "and no barrier is between them");
    }

    /// One memory as elements of several sizes, in the order in which they come.
    void racesAreFoundThroughViewsOfOtherTypes()
    {
        const std::string views = threads
                                  + "D = T.allocate([64], \"int32\", \"shared\")\n"
                                    "W = T.Buffer((64,), \"int32\", data=D, scope=\"shared\")\n"
                                    "Q = T.Buffer((16,), \"int32x4\", data=D, scope=\"shared\")\n"
                                    "H = T.Buffer((256,), \"int8\", data=D, scope=\"shared\")\n";
        Run late(views + "W[tx] = tx\nif tx == 3:\n    H[21] = T.int8(77)");
        QCOMPARE(late.error(), "thread 5 writes 'W[5]' in the function, thread 3 writes it in the function, "
                               "and no barrier is between them");
        Run early(views + "H[tx + 4] = T.int8(9)\nif tx == 0:\n    W[17] = 1\nif tx == 1:\n    W[16] = 2");
        QCOMPARE(early.error(), "thread 60 writes 'H[64]' in the function, thread 1 writes it in the "
                                "function, and no barrier is between them");
        Run wide(views + "if tx < 4:\n    Q[tx] = T.Broadcast(tx, 4)\nif tx == 9:\n    W[tx] = 99");
        QCOMPARE(wide.error(), "thread 9 writes 'W[9]' in the function, thread 2 writes it in the function, "
                               "and no barrier is between them");
        Run own(views + "W[tx] = tx\nH[tx * 4 + 1] = T.int8(77)");
        QVERIFY2(own.done, qPrintable(own.error()));
    }

    void aBarrierOfAWarpIsNoneForOthers()
    {
        const std::string meet = "T.tvm_storage_sync(\"warp\")\n";
        Run within(tile + "S[tx] = A[tx]\n" + meet + "A[tx] = S[tx // 32 * 32 + 31 - tx % 32]");
        QVERIFY2(within.done, qPrintable(within.error()));
        QCOMPARE(within.a.at(0), 31);
        QCOMPARE(within.a.at(63), 32);
        Run across(tile + "S[tx] = A[tx]\n" + meet + "A[tx] = S[63 - tx]");
        QCOMPARE(across.error(),
                 "thread 0 reads 'S[63]' in the function, thread 63 writes it in the function, "
                 "and no barrier is between them");
        Run shared(tile + "S[tx] = A[tx]\nT.tvm_storage_sync(\"shared\")\nA[tx] = S[63 - tx]");
        QVERIFY2(shared.done, qPrintable(shared.error()));
        QCOMPARE(shared.a.at(0), 63);
    }

    void oneWarpMayMeetAlone()
    {
        Run first(threads + "if tx < 32:\n    T.tvm_storage_sync(\"warp\")");
        QVERIFY2(first.done, qPrintable(first.error()));
        Run second(threads + "if tx >= 32:\n    T.tvm_storage_sync(\"warp\")");
        QVERIFY2(second.done, qPrintable(second.error()));
        Run some(threads + "if tx >= 33:\n    T.tvm_storage_sync(\"warp\")");
        QCOMPARE(some.error(), "only 31 of 32 threads of a warp reach a barrier in the function, thread 32 "
                               "does not");
        Run all(threads + "if tx < 63:\n    T.tvm_storage_sync(\"shared\")");
        QCOMPARE(all.error(), "only 63 of 64 threads reach a barrier in the function, thread 63 does not");
    }

    void aWarpMayHaveFewerThreads()
    {
        const std::string forty = "tx = T.launch_thread(\"threadIdx.x\", 40)\n";
        Run run(forty + "T.tvm_storage_sync(\"warp\")\nA[tx] = 1");
        QVERIFY2(run.done, qPrintable(run.error()));
        Run some(forty + "if tx < 39:\n    T.tvm_storage_sync(\"warp\")");
        QCOMPARE(some.error(),
                 "only 7 of 8 threads of a warp reach a barrier in the function, thread 39 does "
                 "not");
    }

    void shufflesStayWithinTheirWarp()
    {
        const auto shuffled = [](const std::string &what, const std::string &lane) {
            return Run(threads + "A[tx] = T." + what + "(T.uint32(4294967295), A[tx], " + lane + ", 32, 32)");
        };
        const Run to = shuffled("tvm_warp_shuffle", "5"), up = shuffled("tvm_warp_shuffle_up", "1"),
                  down = shuffled("tvm_warp_shuffle_down", "1"), last = shuffled("tvm_warp_shuffle", "-1");
        QCOMPARE(to.a.at(0), 5);
        QCOMPARE(to.a.at(32), 37);
        QCOMPARE(last.a.at(3), 31);
        QCOMPARE(up.a.at(32), 32);
        QCOMPARE(up.a.at(33), 32);
        QCOMPARE(down.a.at(31), 31);
        QCOMPARE(down.a.at(30), 31);
        QCOMPARE(down.a.at(63), 63);
    }

    void theMaskIsThatOfTheWarp()
    {
        const Run run(threads
                      + "if tx == 0 or tx == 33 or tx == 34:\n"
                        "    A[tx] = T.Cast(\"int32\", T.tvm_warp_activemask())");
        QCOMPARE(run.a.at(0), 1);
        QCOMPARE(run.a.at(33), 6);
        QCOMPARE(run.a.at(34), 6);
        const Run third("tx = T.launch_thread(\"threadIdx.x\", 96)\n"
                        "if tx == 0 or tx == 65:\n"
                        "    A[tx] = T.Cast(\"int32\", T.tvm_warp_activemask())",
                        96);
        QCOMPARE(third.a.at(0), 1);
        QCOMPARE(third.a.at(65), 2);
        const Run outside("A[0] = T.Cast(\"int32\", T.tvm_warp_activemask()) + 7");
        QCOMPARE(outside.a.at(0), 8);
    }

    void threadsOfSeveralAxesAreNamedByAll()
    {
        const std::string axes = "ty = T.launch_thread(\"threadIdx.y\", 2)\n"
                                 "tx = T.launch_thread(\"threadIdx.x\", 3)\n";
        Run race(axes + "A[tx] = ty * 10 + tx + 100");
        QCOMPARE(race.error(),
                 "thread (0, 1, 0) writes 'A[0]' in the function, thread (0, 0, 0) writes it in "
                 "the function, and no barrier is between them");
        Run deep("tz = T.launch_thread(\"threadIdx.z\", 2)\nA[0] = tz + 100");
        QCOMPARE(deep.error(),
                 "thread (0, 0, 1) writes 'A[0]' in the function, thread (0, 0, 0) writes it in "
                 "the function, and no barrier is between them");
        Run apart(axes + "A[ty * 3 + tx] = 9");
        QVERIFY2(apart.done, qPrintable(apart.error()));
    }

    void threadsOfOtherBlocksAreNotNamed()
    {
        Run race("bx = T.launch_thread(\"blockIdx.x\", 2)\ntx = T.launch_thread(\"threadIdx.x\", 2)\n"
                 "A[tx] = bx + 100");
        QCOMPARE(race.error(),
                 "thread 0 writes 'A[0]' in the function, a thread of another block writes it in "
                 "the function, and no barrier is between them");
    }

    void aGroupHas1024ThreadsAtMost()
    {
        const auto grid = [](int x, int y) {
            return std::format("ty = T.launch_thread(\"threadIdx.y\", {})\n"
                               "tx = T.launch_thread(\"threadIdx.x\", {})\nT.tvm_storage_sync(\"shared\")",
                               y, x);
        };
        Run most(grid(32, 32));
        QVERIFY2(most.done, qPrintable(most.error()));
        Run more(grid(41, 25));
        QVERIFY(more.error().contains("runs with more than 1024 threads in a block"));
        Run none("tx = T.launch_thread(\"threadIdx.x\", B[0])\nT.tvm_storage_sync(\"shared\")\nA[0] = 9");
        QVERIFY2(none.done, qPrintable(none.error()));
        QCOMPARE(none.a.at(0), 0);
    }

    void boundsThatAreNotKnownAreChecked()
    {
        // The loop before has bounds that are known; those of the second are not.
        const auto loops = [](int turns, const std::string &begin, const std::string &end) {
            return std::format("for i in range({}):\n    A[i] = A[i]\nfor i in range({}, {}):\n"
                               "    with T.block(\"b\"):\n        v = T.axis.spatial(4, i)\n        A[v] = 9",
                               turns, begin, end);
        };
        for (const int turns : {1, 2, 4}) {
            Run run(loops(turns, "0", "A[5]"), 8);
            QCOMPARE(run.error(), "block 'b' runs with 'v' = 4, outside its domain from 0 to 3");
            Run late(loops(turns, "A[3]", "A[3] + 2"), 8);
            QCOMPARE(late.error(), "block 'b' runs with 'v' = 4, outside its domain from 0 to 3");
        }
        Run inside(loops(2, "0", "A[4]"), 8);
        QVERIFY2(inside.done, qPrintable(inside.error()));
    }

    void stepsOfThreadsAreBounded()
    {
        const std::string endless = threads + "while A[tx] < 1000000:\n    T.tvm_storage_sync(\"shared\")";
        Run run(endless, 64, {.steps = 10000, .stop = {}});
        QVERIFY(!run.done);
        QCOMPARE(run.done.error().code, "interp.step-limit");
    }
};

QTEST_GUILESS_MAIN(ThreadsTest)
#include "threads_test.moc"
