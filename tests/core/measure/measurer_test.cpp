// SPDX-License-Identifier: Apache-2.0
/// Requests refused before any worker is asked, and reports of a worker that ended.
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/support/text/json.h"
#include "tests/support/programs.h"

#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

/// Of 8 n bytes.
MeasureJob jobOf(std::int64_t n)
{
    MeasureJob job;
    job.reference = tests::parsed(R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in range(n):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi] + T.float32(1)
)");
    job.variants = {job.reference};
    job.sizes = {{"n", n}};
    job.wantPeak = false;
    return job;
}

/// Code and message of the error of the job or of its variant.
std::string refusalOf(const MeasureJob &job, std::uint64_t memoryBytes = std::uint64_t{1} << 30)
{
    Measurer measurer({.program = "/nonexistent/nestc", .memoryBytes = memoryBytes});
    const auto results = measurer.measure(job, [](const Progress &) {});
    const support::Diagnostic &why = results ? *results->front().failure : results.error();
    return why.code + ": " + why.message;
}

} // namespace

class MeasurerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void memoryIsAskedForThreeTimes()
    {
        const auto tooLarge = [](const char *needed, const char *allowed) {
            return std::string("measure.too-large: the arguments of 'main' need ") + needed
                   + " three times over, but the worker may use " + allowed;
        };
        QCOMPARE(refusalOf(jobOf(64), 1535), tooLarge("512 B", "1.5 KB"));
        QVERIFY(refusalOf(jobOf(64), 1536).starts_with("worker.start"));
        QCOMPARE(refusalOf(jobOf(64), 999), tooLarge("512 B", "999 B"));
        QCOMPARE(refusalOf(jobOf(125), 1000), tooLarge("1.0 KB", "1.0 KB"));
        QCOMPARE(refusalOf(jobOf(1), 9), tooLarge("8 B", "9 B"));
        QCOMPARE(refusalOf(jobOf(1250), 10'000), tooLarge("9.8 KB", "9.8 KB"));
        QCOMPARE(refusalOf(jobOf(125'000'000), 1'500'000'000), tooLarge("954 MB", "1.4 GB"));
    }

    void functionsAreFoundByTheirNames()
    {
        MeasureJob job = jobOf(8);
        job.function = "other";
        QCOMPARE(refusalOf(job), std::string("measure.no-function: the module has no function 'other'"));
        const ir::Function function = job.reference.find("main");
        job.reference = ir::Module({{"main", tests::program("row_sum").find("main")}, {"other", function}});
        job.variants = {job.reference};
        QCOMPARE(refusalOf(job, 100),
                 std::string("measure.too-large: the arguments of 'other' need 64 B three "
                             "times over, but the worker may use 100 B"));
    }

    void codeOfOtherMachinesIsNotRun()
    {
        MeasureJob job = jobOf(8);
        job.target = *target::parseTarget("llvm -mtriple=aarch64-linux-gnu");
        QVERIFY(refusalOf(job).starts_with("measure.cannot-run"));
    }

    void lastWordsOfAWorkerAreShown()
    {
        const QTemporaryDir folder;
        QFile file(folder.filePath("worker"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "#!/bin/bash\nread -r request\nprintf 'first\\nlast \\033[31m\\177words\\n' >&2\nexit 5\n");
        file.close();
        chmod(qPrintable(file.fileName()), 0700);
        WorkerClient client({.program = file.fileName().toStdString()});
        const auto answer = client.ask({{"do", "ping"}}, [](const support::Json &) {}, {});
        QVERIFY(!answer);
        QCOMPARE(answer.error().code, std::string("worker.died"));
        QCOMPARE(answer.error().message, std::string("the worker ended with status 5"));
        QCOMPARE(answer.error().hint, std::string("its last words: last  [31m words\n"));
    }

    void threadsOfATarget()
    {
        target::Target target;
        target.threads = 3;
        QCOMPARE(threadsOf(target), 3);
        target.threads = 0;
        QVERIFY(threadsOf(target) >= 1);
    }
};

QTEST_GUILESS_MAIN(MeasurerTest)
#include "measurer_test.moc"
