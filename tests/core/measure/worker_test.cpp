// SPDX-License-Identifier: Apache-2.0
// A worker that lies, floods, falls silent and dies; kernels that crash and hang.
#include "core/support/text/json.h"
#include "tests/core/measure/worker_fixture.h"
#include "tests/support/sanitized.h"

#include <QElapsedTimer>

#include <atomic>
#include <thread>

using namespace nestwright;
using namespace nestwright::tests;
using measure::Failure;
using measure::Measurement;
using measure::Verdict;

class WorkerTest : public QObject, WorkerFixture {
    Q_OBJECT

private Q_SLOTS:
    void aKernelIsVerifiedAndTimed()
    {
        measure::WorkerOptions options;
        options.program = thisProgram();
        measure::Measurer measurer(options);
        std::size_t told = 0;
        const auto results =
            measurer.measure(jobOf({adding("A[vi] + T.float32(1)"), adding("T.float32(1) + A[vi]"),
                                    adding("A[vi] + T.float32(2)")}),
                             [&](const measure::Progress &progress) {
                                 ++told;
                                 if (progress.fraction < 0 || progress.fraction > 1)
                                     qFatal("progress beyond its ends");
                             });
        QVERIFY2(results, results ? "" : results.error().render().c_str());
        QCOMPARE(results->size(), 3UL);
        for (const int right : {0, 1}) {
            const Measurement &result = (*results)[std::size_t(right)];
            QVERIFY(result.verdict == Verdict::Verified);
            QCOMPARE(result.samples.size(), 2UL);
            QVERIFY(result.ok() && result.final);
            QCOMPARE(result.bytes, 512.0);
        }
        QVERIFY((*results)[1].speedup.has_value());
        QVERIFY((*results)[2].verdict == Verdict::Wrong);
        QVERIFY((*results)[2].samples.empty());
        QVERIFY((*results)[2].failure->message.contains("the unscheduled program gives"));
        QVERIFY(told > 3);
    }

    /// Each with its own reason, and the variants beside it as if nothing were.
    void whatAKernelDoesWrongIsItsOwnFault_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("failed");
        QTest::addColumn<QString>("word");
        const auto row = [](const char *name, const char *code, Failure failed, const char *word) {
            QTest::newRow(name) << code << int(failed) << word;
        };
        row("crash", "*(volatile int *)8 = 1;", Failure::Crash, "outside its buffers");
        row("hang", "for (volatile int i = 0;; ++i) {}", Failure::TimeOut, "within 2 s");
        row("abort", "abort();", Failure::Crash, "SIGABRT");
        row("exit", "_exit(0);", Failure::Crash, "status 0");
        if (!tests::isSanitized)
            row("memory", "for (;;) *(volatile char *)malloc(64 << 20) = 1;", Failure::Crash,
                "outside its buffers");
        row("closes its line", "for (int i = 0; i < 100; ++i) close(i); for (;;) sleep(1);", Failure::Crash,
            "broke off");
        row("another word", "char forged[1000] = {1}; send(3, forged, sizeof forged, 0);", Failure::Crash,
            "");
    }
    void whatAKernelDoesWrongIsItsOwnFault()
    {
        QFETCH(QString, code);
        QFETCH(int, failed);
        QFETCH(QString, word);
        const auto own =
            library("bad.so", "#include <stdlib.h>\n#include <sys/socket.h>\n#include <unistd.h>\n"
                              "float nw_test_bad(float x) { "
                                  + code.toStdString() + " return x; }\n");
        const Measurement result =
            measuredWith(own, R"(T.call_extern("float32", "nw_test_bad", A[vi]) + T.float32(1))");
        QVERIFY(result.verdict != Verdict::Verified);
        QCOMPARE(int(result.failed), failed);
        QVERIFY2(result.failure->message.contains(word.toStdString()), result.failure->message.c_str());
        QVERIFY(result.samples.empty());
    }

    void aKernelsOwnErrorIsItsReason()
    {
        measure::WorkerOptions options;
        options.program = thisProgram();
        measure::Measurer measurer(options);
        measure::MeasureJob job = jobOf({});
        const auto dividing = [](const char *divisor) {
            return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = 100 // {}
)",
                                             divisor));
        };
        job.reference = dividing("(vi + 1)");
        job.variants = {dividing("(vi + 1)"), dividing("(A[vi] - A[vi])")};
        const auto results = measurer.measure(job, ignore);
        QVERIFY2(results, results ? "" : results.error().render().c_str());
        QVERIFY((*results)[0].verdict == Verdict::Verified);
        QVERIFY((*results)[1].failed == Failure::Crash);
        QVERIFY((*results)[1].verdict == Verdict::NotVerified);
        QCOMPARE((*results)[1].failure->message, std::string("the kernel divided an integer by zero"));
    }

    void eachReasonHasItsKind()
    {
        const auto kind = [](const char *code) {
            return measure::failureOf(support::diagnostic(code, "why"));
        };
        QVERIFY(kind("worker.time-out") == Failure::TimeOut);
        QVERIFY(kind("cancelled") == Failure::Cancelled);
        QVERIFY(kind("measure.load") == Failure::Compile);
        QVERIFY(kind("measure.file") == Failure::Compile);
        QVERIFY(kind("measure.memory") == Failure::Memory);
        QVERIFY(kind("measure.too-large") == Failure::Memory);
        QVERIFY(kind("worker.crash") == Failure::Crash);
        QVERIFY(kind("kernel.error") == Failure::Crash);
        QVERIFY(kind("worker.answer") == Failure::Worker);
        QVERIFY(kind("worker.start") == Failure::Worker);
    }

    void theWorkerAnswersWhatItIsAsked()
    {
        measure::WorkerOptions options;
        options.program = thisProgram();
        measure::WorkerClient client(options);
        const auto none = [](const support::Json &) {};
        const auto pong = client.ask({{"do", "ping"}}, none, {});
        QVERIFY(pong);
        QCOMPARE(*pong, (support::Json{{"id", 1}, {"pong", true}}));
        const auto other = client.ask({{"do", "sing"}}, none, {});
        QVERIFY(!other);
        QCOMPARE(other.error().code, std::string("measure.bad-request"));
        QVERIFY(other.error().message.contains("sing"));
        const auto broken = client.ask({{"do", "measure"}, {"request", {{"threads", "two"}}}}, none, {});
        QVERIFY(!broken);
        QCOMPARE(broken.error().code, std::string("measure.bad-request"));
        QVERIFY(client.ask({{"do", "ping"}}, none, {}));
    }

    void aWorkerThatIsNotThereIsNamed()
    {
        measure::WorkerOptions options;
        options.program = "/nonexistent/nestc";
        measure::Measurer measurer(options);
        const auto results = measurer.measure(jobOf({adding("A[vi]")}), ignore);
        QVERIFY(results);
        QCOMPARE(results->front().failure->code, std::string("worker.start"));
        QVERIFY(results->front().failure->message.contains("/nonexistent/nestc"));
    }

    void aWorkersWordsAreChecked_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("word");
        const auto row = [](const char *name, const char *body, const char *word) {
            QTest::newRow(name) << body << word;
        };
        row("no JSON", "echo hello; sleep 60", "not asked");
        row("an array", "echo '[1]'; sleep 60", "not asked");
        row("another's answer", "echo '{\"id\":999,\"measurements\":[]}'; sleep 60", "not asked");
        row("an id of text", "echo '{\"id\":\"1\",\"measurements\":[]}'; sleep 60", "not asked");
        row("none", "echo '{\"id\":1,\"measurements\":[]}'; sleep 60", "one measurement per variant");
        row("too many", "echo '{\"id\":1,\"measurements\":[{},{},{}]}'; sleep 60",
            "one measurement per variant");
        row("no list", "echo '{\"id\":1,\"measurements\":7}'; sleep 60", "one measurement per variant");
        row("wrong type", "echo '{\"id\":1,\"measurements\":[{\"samples\":\"none\"}]}'; sleep 60",
            "no sense");
        row("a time below 0",
            "echo '{\"id\":1,\"measurements\":[{\"samples\":[-1],\"verdict\":\"verified\"}]}'; sleep 60",
            "no sense");
        row("endless", "echo '{\"id\":1,\"measurements\":[{\"time\":[1e999,1,1]}]}'; sleep 60", "not asked");
        row("no order", "echo '{\"id\":1,\"measurements\":[{\"time\":[3,2,1]}]}'; sleep 60", "no sense");
        row("an unknown verdict", "echo '{\"id\":1,\"measurements\":[{\"verdict\":\"perfect\"}]}'; sleep 60",
            "no sense");
        row("failed without reason", "echo '{\"id\":1,\"measurements\":[{\"failed\":\"crash\"}]}'; sleep 60",
            "no sense");
        row("an error that is none", "echo '{\"id\":1,\"error\":7}'; sleep 60", "no reason");
        row("an error of numbers", "echo '{\"id\":1,\"error\":{\"code\":1,\"message\":2}}'; sleep 60",
            "no reason");
        row("dies in a line", "printf '{\"id\":1,\"mea'; exit 3", "status 3");
        row("dies of a signal", "kill -SEGV $$", "SIGSEGV");
        row("closes its line", "exec >&- 2>&-; sleep 60", "");
        row("says nothing", "sleep 60", "said nothing");
        row("floods a line", "yes x | tr -d '\\n'", "many megabytes");
        row("floods progress",
            "yes '{\"id\":1,\"progress\":0.1,\"phase\":\"x\",\"partial\":[{\"verdict\":\"verified\"},{}]}'",
            "more than it was asked");
        row("floods errors", "yes error >&2", "without end");
    }
    void aWorkersWordsAreChecked()
    {
        QFETCH(QString, body);
        QFETCH(QString, word);
        measure::Measurer measurer(fakeWorker(body));
        QElapsedTimer timer;
        timer.start();
        std::atomic<int> forged = 0;
        const auto results =
            measurer.measure(jobOf({adding("A[vi] + T.float32(2)")}), [&](const measure::Progress &progress) {
                forged += progress.partial.size() > 1 ? 1 : 0;
            });
        QVERIFY(timer.elapsed() < (tests::isSanitized ? 240000 : 60000));
        QCOMPARE(forged.load(), 0);
        QVERIFY(results);
        const Measurement &result = results->front();
        QVERIFY(!result.ok());
        QVERIFY(result.verdict == Verdict::NotVerified);
        QVERIFY2(result.failure->message.contains(word.toStdString()), result.failure->message.c_str());
    }

    /// A call of a slow variant is its first sample, and one more is taken.
    void slowVariantsAreRepeatedLessOften()
    {
        measure::Measurer measurer({.program = thisProgram()});
        measure::MeasureJob job = jobOf({adding("A[vi] + T.float32(1)"), adding("T.float32(1) + A[vi]")});
        job.repetitions = 5;
        job.secondsPerRepetition = 1e-9; // a single call
        for (const auto &[budget, samples] : {std::pair(1e-9, 2), std::pair(60.0, 5)}) {
            job.secondsPerVariant = budget;
            const auto results = measurer.measure(job, ignore);
            QVERIFY2(results, results ? "" : results.error().render().c_str());
            for (const measure::Measurement &each : *results) {
                QVERIFY(each.isVerified() && each.final);
                QCOMPARE(int(each.samples.size()), samples);
            }
            QVERIFY((*results)[1].speedup.has_value());
        }
    }

    void cancelIsQuick_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<int>("after"); // milliseconds
        QTest::newRow("silent") << "sleep 60" << 500;
        QTest::newRow("ignores signals") << "trap '' TERM INT HUP PIPE; while :; do sleep 1; done" << 500;
        // Before it has said more lines than a worker may.
        QTest::newRow("floods progress") << R"(yes '{"id":1,"progress":0.1,"phase":"x"}')" << 250;
        QTest::newRow("our own") << QString() << 1500;
    }
    void cancelIsQuick()
    {
        QFETCH(QString, body);
        QFETCH(int, after);
        measure::WorkerOptions options = fakeWorker(body, 30);
        if (body.isEmpty())
            options.program = thisProgram();
        measure::Measurer measurer(options);
        measure::MeasureJob job = jobOf({adding("A[vi] + T.float32(1)")});
        job.secondsPerRepetition = 5;
        job.repetitions = 100;
        std::stop_source stop;
        std::atomic<qint64> asked = 0;
        QElapsedTimer timer;
        timer.start();
        std::jthread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(after));
            asked = timer.elapsed();
            stop.request_stop();
        });
        const auto results = measurer.measure(job, ignore, stop.get_token());
        const qint64 taken = timer.elapsed() - asked;
        QVERIFY(!results);
        QCOMPARE(results.error().code, std::string("cancelled"));
        QVERIFY2(taken < 200, qPrintable(QString("%1 ms").arg(taken)));
    }
};

int main(int argc, char *argv[]) { return runTestOrWorker<WorkerTest>(argc, argv); }

#include "worker_test.moc"
