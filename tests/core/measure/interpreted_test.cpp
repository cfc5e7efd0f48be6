// SPDX-License-Identifier: Apache-2.0
// A program for a device is run by the interpreter: of a wrong result it is told which block wrote it.
#include "core/measure/verify/interpreted.h"

#include "core/measure/codes.h"
#include "tests/support/programs.h"

#include <QTest>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

/// Block "first" stores A + 1 to B, block "second" B * `factor` to C, in `threads` of 8 threads.
ir::Module program(const std::string &factor, const std::string &threads = "8")
{
    return tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in T.thread_binding()"
                         + threads + R"(, thread="threadIdx.x"):
        with T.block("first"):
            v = T.axis.spatial(8, i)
            B[v] = A[v] + T.float32(1)
        with T.block("second"):
            v = T.axis.spatial(8, i)
            C[v] = B[v] * T.float32()"
                         + factor + ")\n");
}

MeasureJob jobFor(const char *target)
{
    MeasureJob job;
    job.reference = program("2");
    job.target = target::parseTarget(target).value();
    return job;
}

support::Result<void> verified(const ir::Module &scheduled, const char *target)
{
    return verifyByInterpreter(jobFor(target), scheduled, {});
}

} // namespace

class InterpretedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theWriterIsNamed()
    {
        QVERIFY(verified(program("2"), "cuda"));
        const auto wrong = verified(program("3"), "cuda");
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().code, std::string(codes::wrongResult));
        QVERIFY2(wrong.error().message.ends_with("; it is written in block 'second'"),
                 wrong.error().message.c_str());
        QCOMPARE(wrong.error().locations.size(), 1U);
        QVERIFY(wrong.error().locations.front().stmt);
    }

    void nobodyWrote()
    {
        const auto wrong = verified(program("2", "7"), "cuda");
        QVERIFY(!wrong);
        QVERIFY2(wrong.error().message.ends_with("; no thread changes it"), wrong.error().message.c_str());
        QVERIFY(wrong.error().locations.empty());
    }

    void otherBuffers()
    {
        for (const auto &[type, size] : {std::pair{"float32", "9"}, std::pair{"float64", "8"}}) {
            const std::string buffer = std::string(": T.Buffer((") + size + ",), \"" + type + "\")";
            const auto wrong = verified(
                tests::parsed("@T.prim_func\ndef main(A" + buffer + ", B" + buffer + ", C" + buffer + R"():
    for i in T.thread_binding(8, thread="threadIdx.x"):
        with T.block("first"):
            v = T.axis.spatial(8, i)
            B[v] = A[v]
)"),
                "cuda");
            QVERIFY(!wrong);
            QCOMPARE(wrong.error().code, std::string("verify.other-buffers"));
        }
    }

    /// Numbers that a person gives are those of both programs; others are random.
    void inputsThatAreGiven()
    {
        MeasureJob job = jobFor("cuda");
        const ir::Module zero = program("0"); // right for A = -1 only
        QVERIFY(!verifyByInterpreter(job, zero, {}));
        ir::NdArray given(ir::DataType::float32(), {8});
        for (int i = 0; i < 8; ++i)
            given.set(i, -1);
        job.inputs.emplace("A", given);
        QVERIFY(verifyByInterpreter(job, zero, {}));
        job.inputs.at("A") = ir::NdArray(ir::DataType::float32(), {9});
        const auto refused = verifyByInterpreter(job, zero, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("measure.input"));
    }

    /// Sizes, scalars that name sizes, and indices within bounds.
    void argumentsFitEachOther()
    {
        MeasureJob job;
        job.sizes = {{"n", 3}, {"m", 4}};
        job.reference = tests::parsed(R"(
@T.prim_func
def main(a: T.handle, I: T.Buffer((6,), "int32"), m: T.int32, b: T.handle, s: T.float32):
    n = T.int32()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (m,))
    for i in range(m):
        with T.block("B"):
            v = T.axis.spatial(m, i)
            B[v] = A[I[v]] * s
)");
        const auto same = verifyByInterpreter(job, job.reference, {});
        QVERIFY2(same, same ? "" : same.error().render().c_str());
    }

    void onlyFunctionsThatBothHaveAreCompared()
    {
        MeasureJob job = jobFor("cuda");
        const ir::Function main = program("2").find("main"), wrong = program("3").find("main");
        job.reference = ir::Module({{"gone", wrong}, {"main", main}});
        QVERIFY(verifyByInterpreter(job, ir::Module({{"main", main}}), {}));
        QVERIFY(!verifyByInterpreter(job, ir::Module({{"main", wrong}}), {}));
        QVERIFY(!verifyByInterpreter(job, ir::Module({{"gone", main}, {"main", main}}), {}));
    }

    void programsWithoutEndAreRefused_data()
    {
        QTest::addColumn<int>("loops"); // of 2 000 000 000 iterations each
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("word");
        QTest::newRow("hours") << 2 << "verify.too-slow" << "'main' computes 4.0e+18 operations";
        QTest::newRow("for ever") << 40 << codes::tooLarge.data() << "can be counted";
    }
    void programsWithoutEndAreRefused()
    {
        QFETCH(int, loops);
        QFETCH(QString, code);
        QFETCH(QString, word);
        std::string text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"float32\")):\n";
        std::string indent;
        for (int i = 0; i < loops; ++i) {
            indent += "    ";
            text += indent + "for i" + std::to_string(i) + " in range(2000000000):\n";
        }
        MeasureJob job;
        job.reference = tests::parsed(text + indent + "    A[0] = T.float32(1)\n");
        const auto refused = verifyByInterpreter(job, job.reference, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, code.toStdString());
        QVERIFY2(refused.error().message.contains(word.toStdString()), refused.error().message.c_str());
        QVERIFY(!refused.error().hint.empty());
    }

    /// By the interpreter's own words, of whichever program it is.
    void whatTheInterpreterRefusesIsTold()
    {
        const auto reading = [](const std::string &index) {
            return tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            v = T.axis.spatial(8, i)
            B[v] = A[)" + index + "]\n");
        };
        for (const auto &[before, after] : {std::pair{"v", "v * v"}, std::pair{"v * v", "v"}}) {
            MeasureJob job;
            job.reference = reading(before);
            const auto outside = verifyByInterpreter(job, reading(after), {});
            QVERIFY(!outside);
            QCOMPARE(outside.error().code, std::string("interp.out-of-bounds"));
        }
    }

    void verifyingCanBeCancelled()
    {
        MeasureJob job;
        job.reference = tests::program("matmul");
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = verifyByInterpreter(job, job.reference, stop.get_token());
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, std::string("cancelled"));
    }

    /// The interpreter has threads whatever the target: barriers are those that lowering adds.
    void threadsForProcessors()
    {
        for (const char *target : {"llvm", "c"}) {
            const auto right = verified(program("2"), target);
            QVERIFY2(right, right ? "" : right.error().render().c_str());
            const auto wrong = verified(program("3"), target);
            QVERIFY(!wrong);
            QCOMPARE(wrong.error().code, std::string("measure.wrong-result"));
        }
    }
};

QTEST_GUILESS_MAIN(InterpretedTest)
#include "interpreted_test.moc"
