// SPDX-License-Identifier: Apache-2.0
// A program for a device is run by the interpreter: of a wrong result it is told which block wrote it.
#include "core/measure/interpreted.h"

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

support::Result<void> verified(const ir::Module &scheduled, const char *target)
{
    MeasureJob job;
    job.reference = program("2");
    job.target = lower::parseTarget(target).value();
    return verifyByInterpreter(job, scheduled, {});
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

    /// One thing after the other: what is compared is the program as it stands.
    void notForProcessors()
    {
        const auto wrong = verified(program("3"), "llvm");
        QVERIFY(!wrong);
        QVERIFY2(!wrong.error().message.contains("written in"), wrong.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(InterpretedTest)
#include "interpreted_test.moc"
