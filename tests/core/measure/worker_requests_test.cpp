// SPDX-License-Identifier: Apache-2.0
// Answers of our own worker, and questions that jobs may ask.
#include "core/support/text/json.h"
#include "tests/core/measure/worker_fixture.h"

#include <QProcess>

using namespace nestwright;
using namespace nestwright::tests;
using measure::Failure;
using measure::Measurement;
using measure::Verdict;
using support::Json;

class WorkerRequestsTest : public QObject, WorkerFixture {
    Q_OBJECT

    static std::vector<Measurement> measured(const measure::MeasureJob &job)
    {
        measure::Measurer measurer({.program = thisProgram()});
        auto results = measurer.measure(job, ignore);
        if (!results)
            qFatal("%s", results.error().render().c_str());
        return std::move(*results);
    }

private Q_SLOTS:
    /// One line each, whatever it was, and it goes on.
    void everyLineIsAnswered()
    {
        QProcess worker;
        worker.start(QString::fromStdString(thisProgram()), {"worker"});
        worker.write("hello\n[1]\n{\"do\":\"sing\",\"id\":6}\n{\"id\":7}\n{\"do\":3,\"id\":8}\n"
                     "{\"do\":\"measure\",\"id\":9}\n{\"do\":\"ping\",\"id\":10}\n");
        worker.closeWriteChannel();
        QVERIFY(worker.waitForFinished());
        QCOMPARE(worker.exitCode(), 0);
        std::vector<Json> answers;
        for (const QByteArray &line : worker.readAllStandardOutput().trimmed().split('\n'))
            answers.push_back(Json::parse(line.toStdString()));
        QCOMPARE(answers.size(), 7UL);
        const auto code = [&](std::size_t i) { return answers[i].at("error").at("code").get<std::string>(); };
        for (const std::size_t i : {0, 1}) {
            QVERIFY(answers[i].at("id").is_null());
            QCOMPARE(code(i), std::string("measure.bad-request"));
        }
        for (const std::size_t i : {2, 3, 5})
            QCOMPARE(code(i), std::string("measure.bad-request"));
        QCOMPARE(code(4), std::string("measure.internal"));
        for (std::size_t i = 2; i < 7; ++i)
            QCOMPARE(answers[i].at("id").get<std::size_t>(), i + 4);
        QVERIFY(answers[6].at("pong").get<bool>());
    }

    /// A device's compiler may work when a kernel is first started.
    void kernelsOfOpenClMayBeSilentForLonger()
    {
        const ir::Module bound = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] + T.float32(1)
)");
        const QString asked = m_folder.filePath("asked.json");
        for (const auto &[target, seconds] : {std::pair("llvm", 20.0), std::pair("opencl", 60.0)}) {
            measure::WorkerOptions options = fakeWorker("echo \"$request\" > " + asked);
            options.silence.reset();
            measure::Measurer measurer(options);
            measure::MeasureJob job = jobOf({bound});
            job.target = *target::parseTarget(target);
            if (job.target.kind != target::TargetKind::OpenCl)
                job.variants = {job.reference};
            job.verifyOnly = true;
            QVERIFY(measurer.measure(job, ignore)->front().failure); // the worker ends without an answer
            QFile file(asked);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const Json request = Json::parse(file.readAll().toStdString());
            QCOMPARE(request.at("request").at("silenceSeconds").get<double>(), seconds);
        }
    }

    void verifyingTakesNoTimes()
    {
        measure::MeasureJob job = jobOf({adding("T.float32(1) + A[vi]"), adding("A[vi]")});
        job.verifyOnly = true;
        const auto results = measured(job);
        QVERIFY(results[0].verdict == Verdict::Verified && results[1].verdict == Verdict::Wrong);
        for (const Measurement &each : results)
            QVERIFY(each.samples.empty() && !each.final && each.time.median == 0);
    }

    /// Caches are emptied before each call, which takes far longer than a short kernel does.
    void cachesCanBeFlushed()
    {
        const auto adding = [](const char *sum) {
            return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((1,), "float32"), B: T.Buffer((1,), "float32")):
    for k in range(20000000):
        with T.block("B"):
            vk = T.axis.reduce(20000000, k)
            with T.init():
                B[0] = T.float32(0)
            B[0] = {}
)",
                                             sum));
        };
        measure::MeasureJob job = jobOf({adding("A[0] + B[0]")});
        job.reference = adding("B[0] + A[0]");
        job.flushCache = true;
        job.secondsPerRepetition = 1e-7;
        const auto results = measured(job);
        QVERIFY2(results[0].ok(), results[0].failure ? results[0].failure->message.c_str() : "");
        QCOMPARE(results[0].samples.size(), 2UL);
        QVERIFY(results[0].isVerified() && results[0].final);
    }

    void variantsAreComparedWithTheFirst()
    {
        const ir::Module right = adding("T.float32(1) + A[vi]"), wrong = adding("A[vi]");
        const auto results = measured(jobOf({right, right, wrong}));
        QVERIFY(!results[0].speedup);
        QVERIFY(results[1].speedup);
        QVERIFY(results[1].speedup->ratio.low <= results[1].speedup->ratio.median);
        QVERIFY(!results[2].speedup);
        const auto others = measured(jobOf({wrong, right}));
        QVERIFY(others[0].failed == Failure::WrongResult);
        QVERIFY(others[1].final && !others[1].speedup); // nothing to compare with
    }

    /// Rounding is told from bugs by the reference in double precision, where there is one.
    void wrongResultsAreComparedMorePrecisely()
    {
        const auto wrong = measured(jobOf({adding("A[vi]")}));
        QVERIFY(wrong[0].failed == Failure::WrongResult);
        QVERIFY2(wrong[0].failure->message.contains("and double precision"),
                 wrong[0].failure->message.c_str());
        QVERIFY(!wrong[0].failure->hint.empty());
        const auto counting = [](const char *value) {
            return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = {}
)",
                                             value));
        };
        measure::MeasureJob job = jobOf({counting("vi + 2")});
        job.reference = counting("vi + 1");
        const auto integers = measured(job);
        QVERIFY(integers[0].failed == Failure::WrongResult);
        QCOMPARE(integers[0].failure->message,
                 std::string("wrong result: 'B[0]' is 2, but the unscheduled program gives 1"));
    }

    /// By the kernel as by the reference.
    void inputsThatAreGivenAreUsed()
    {
        measure::MeasureJob job = jobOf({adding("T.float32(0)")}); // right where A is -1
        job.verifyOnly = true;
        QVERIFY(measured(job)[0].verdict == Verdict::Wrong);
        ir::NdArray given(ir::DataType::float32(), {64});
        for (int i = 0; i < 64; ++i)
            given.set(i, -1);
        job.inputs.emplace("A", given);
        QVERIFY(measured(job)[0].verdict == Verdict::Verified);
        measure::Measurer measurer({.program = thisProgram()});
        QVERIFY(measurer.measure(job, ignore)->front().verdict == Verdict::Verified);
        job.inputs.at("A").set(63, 0); // other numbers need another answer of the reference
        const auto results = measurer.measure(job, ignore);
        QVERIFY(results->front().verdict == Verdict::Wrong);
        QVERIFY2(results->front().failure->message.contains("'B[63]' is 0"),
                 results->front().failure->message.c_str());
    }

    /// By the name of the argument, whatever stands between them.
    void theWrongElementIsNamed()
    {
        const auto storing = [](const char *value) {
            return tests::parsed(std::format(R"(
@T.prim_func
def main(s: T.float32, A: T.Buffer((4, 3), "float32"), n: T.int32, B: T.Buffer((4, 3), "float32"),
         m: T.int32, C: T.Buffer((4, 3), "float32")):
    for i, j in T.grid(4, 3):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
            C[vi, vj] = {}
)",
                                             value));
        };
        measure::MeasureJob job =
            jobOf({storing("T.Select(vi == 2 and vj == 1, T.float32(9), T.float32(1))")});
        job.reference = storing("T.float32(1)");
        job.verifyOnly = true;
        const auto results = measured(job);
        QVERIFY(results[0].verdict == Verdict::Wrong);
        QVERIFY2(results[0].failure->message.starts_with("wrong result: 'C[2, 1]' is 9, but"),
                 results[0].failure->message.c_str());
    }

    /// A fault while times are taken is that of one variant; the others are timed without it.
    void faultsWhileTimingAreTheVariantsOwn()
    {
        measure::MeasureJob job =
            jobOf({adding(R"(T.call_extern("float32", "nw_test_twice", A[vi]) + T.float32(1))"),
                   adding("T.float32(1) + A[vi]")});
        job.externs = library("twice.so", "float nw_test_twice(float x) { static int calls; "
                                          "if (++calls > 64) *(volatile int *)8 = 1; return x; }\n");
        const auto results = measured(job);
        QVERIFY(results[0].failed == Failure::Crash);
        QVERIFY(results[0].verdict == Verdict::NotVerified && results[0].samples.empty());
        QVERIFY2(results[0].failure->message.contains("outside its buffers"),
                 results[0].failure->message.c_str());
        QVERIFY(results[1].isVerified() && results[1].final);
        QCOMPARE(results[1].samples.size(), 2UL);
    }

    /// Each variant keeps its place.
    void variantsThatDoNotCompileAreSkipped()
    {
        const ir::Module right = adding("T.float32(1) + A[vi]");
        measure::MeasureJob job = jobOf({adding(R"(T.call_extern("float32", "nw_none", A[vi]))"), right});
        job.verifyOnly = true;
        std::size_t told = 0;
        measure::Measurer measurer({.program = thisProgram()});
        const auto results = measurer.measure(job, [&](const measure::Progress &step) {
            told += step.partial.empty() ? 0 : 1;
            if (!step.partial.empty() && step.partial.size() != 2)
                qFatal("a variant has lost its place");
        });
        QVERIFY(results);
        QVERIFY(results->at(0).failed == Failure::Compile);
        QCOMPARE(results->at(0).failure->code, std::string("extern.unknown"));
        QVERIFY(results->at(1).verdict == Verdict::Verified);
        QVERIFY(told > 0);
    }
};

int main(int argc, char *argv[]) { return runTestOrWorker<WorkerRequestsTest>(argc, argv); }

#include "worker_requests_test.moc"
