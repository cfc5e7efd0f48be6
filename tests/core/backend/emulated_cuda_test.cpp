// SPDX-License-Identifier: Apache-2.0
// CUDA's text on this processor: threads meet at barriers, and faults between them show.
#include "core/backend/cuda/emulated_device.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/shared_stages.h"

#include <QtTest>

using namespace nestwright;

namespace {

ir::Module parsed(const QString &text) { return script::parseTvmScript(text.toStdString(), "test").value(); }

/// Through memory that the threads of a block share, C[i] becomes the element `neighbour` places behind A[i],
/// around the end of its block of 8.
ir::Module rotation(int neighbour)
{
    return parsed(QString(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    S = T.alloc_buffer((8,), scope="shared")
    for b in T.thread_binding(8, thread="blockIdx.x"):
        for t in T.thread_binding(8, thread="threadIdx.x"):
            with T.block("copy"):
                vb, vt = T.axis.remap("SS", [b, t])
                S[vt] = A[vb * 8 + vt]
        for t in T.thread_binding(8, thread="threadIdx.x"):
            with T.block("rotate"):
                vb, vt = T.axis.remap("SS", [b, t])
                C[vb * 8 + vt] = S[(vt + %1) % 8]
)")
                      .arg(neighbour));
}

ir::Module expected(int neighbour)
{
    return parsed(QString(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for b, t in T.grid(8, 8):
        with T.block("rotate"):
            vb, vt = T.axis.remap("SS", [b, t])
            C[vb * 8 + vt] = A[vb * 8 + (vt + %1) % 8]
)")
                      .arg(neighbour));
}

target::Target cuda()
{
    target::Target target;
    target.kind = target::TargetKind::Cuda;
    return target;
}

using Change = std::function<void(QStringList &lines)>;

/// Why the kernel of `rotation` is wrong, or nothing. `change` is made to the program that its threads run.
std::optional<std::string> whyNotRight(int neighbour, const Change &change)
{
    const ir::Module module = rotation(neighbour);
    const ir::Module threads = lower::lowerToThreads(module, cuda()).value();
    QStringList lines = QString::fromStdString(script::print(threads).text).split('\n');
    change(lines);
    const lower::Pass *split = lower::findPass("split-host-device");
    const backend::Unit unit{lower::runPass(*split, parsed(lines.join('\n')), cuda()).value().after,
                             {backend::signatureOf(*module.mainEntry()->function).value()}};
    const auto artifact = backend::compileEmulated(unit, cuda(), {});
    if (!artifact)
        return artifact.error().render();
    return tests::whyNotRight(*expected(neighbour).mainEntry()->function, *artifact);
}

bool isBarrier(const QString &line) { return line.contains("T.tvm_storage_sync"); }

} // namespace

class EmulatedCudaTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const auto artifact = backend::compileEmulated(rotation(1), cuda());
        if (!artifact && artifact.error().code == "backend.no-compiler")
            QSKIP("there is no C++ compiler here");
        QVERIFY2(artifact, artifact ? "" : artifact.error().render().c_str());
    }

    void threadsMeetAtBarriers()
    {
        qsizetype barriers = 0;
        const auto why =
            whyNotRight(7, [&](QStringList &lines) { barriers = std::ranges::count_if(lines, isBarrier); });
        QVERIFY2(!why, why.value_or("").c_str());
        QCOMPARE(barriers, 1);
    }

    /// Threads take their turns first to last in one block and last to first in the next: whichever neighbour
    /// is read, in one of two blocks it has not written yet.
    void missingBarrierShows_data()
    {
        QTest::addColumn<int>("neighbour");
        QTest::newRow("the one before") << 7;
        QTest::newRow("the one after") << 1;
    }
    void missingBarrierShows()
    {
        QFETCH(int, neighbour);
        const auto why = whyNotRight(neighbour, [](QStringList &lines) { lines.removeIf(isBarrier); });
        QVERIFY(why);
        QVERIFY2(why->starts_with("argument 1"), why->c_str());
    }

    /// In 256 bytes of their own, and in memory that a GPU would be given at the launch.
    void arraysLieWhereOthersLay()
    {
        for (const int size : {64, 8192}) {
            const ir::Module stages = parsed(QString::fromStdString(tests::sharedStages(size)));
            target::Target target = cuda();
            target.arch = "sm_75";
            const auto artifact = backend::compileEmulated(stages, target);
            QVERIFY2(artifact, artifact ? "" : artifact.error().render().c_str());
            const auto why = tests::whyNotRight(*stages.mainEntry()->function, *artifact);
            QVERIFY2(!why, why.value_or("").c_str());
        }
    }

    void barrierThatSomeThreadsPass()
    {
        const auto why = whyNotRight(7, [](QStringList &lines) {
            for (QString &line : lines) {
                if (isBarrier(line)) {
                    const QString indent(line.indexOf('T'), ' ');
                    line = indent + "if t < 4:\n    " + line;
                }
            }
        });
        QVERIFY(why);
        QVERIFY2(why->contains("[device.divergent-barrier]"), why->c_str());
    }
};

QTEST_GUILESS_MAIN(EmulatedCudaTest)
#include "emulated_cuda_test.moc"
