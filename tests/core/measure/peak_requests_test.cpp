// SPDX-License-Identifier: Apache-2.0
// When a measurer asks for the machine's peak, what it believes, and what it makes of it. Workers are
// scripts.
#include "core/support/host.h"
#include "core/support/text/json.h"
#include "tests/core/measure/worker_fixture.h"

using namespace nestwright;
using namespace nestwright::tests;
using measure::MachinePeak;

namespace {

/// Of a measurement of 64 additions in a microsecond.
constexpr double measuredFlops = 64e6;

QString measured()
{
    return R"("measurements":[{"samples":[1e-6],"time":[1e-6,1e-6,1e-6],"verdict":"verified","final":true}])";
}

QString peakOf(double flops, bool isDisturbed = false)
{
    MachinePeak peak;
    peak.processor = support::processorName();
    peak.threads = 2;
    peak.float32Flops = flops;
    peak.float64Flops = flops / 2;
    peak.levels = {{"DRAM", 0, 1e10}};
    peak.disturbed = isDisturbed;
    return "\"peak\":" + QString::fromStdString(toJson(peak).dump());
}

} // namespace

class PeakRequestsTest : public QObject, WorkerFixture {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_cache;

    /// A worker that gives one answer after the other, and none behind the last.
    measure::WorkerOptions answering(const QStringList &answers)
    {
        QString body;
        for (qsizetype i = 0; i < answers.size(); ++i)
            body += QString("echo '{\"id\":%1,%2}'\nread -r request\n").arg(i + 1).arg(answers[i]);
        return fakeWorker(body + "exit 9", 5);
    }

    double fractionWith(const QStringList &answers, bool wantPeak = true, bool verifyOnly = false)
    {
        measure::Measurer measurer(answering(answers));
        measure::MeasureJob job = jobOf({adding("A[vi] + T.float32(1)")});
        job.target.threads = 2;
        job.wantPeak = wantPeak;
        job.verifyOnly = verifyOnly;
        const auto results = measurer.measure(job, ignore);
        if (!results || !results->front().ok())
            qFatal("the measurement failed");
        return results->front().peakFraction;
    }

private Q_SLOTS:
    void init()
    {
        m_cache = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CACHE_HOME", m_cache->path().toUtf8());
    }

    void thePeakIsAskedForOnce()
    {
        measure::Measurer measurer(answering({peakOf(1e11)}));
        for (int i = 0; i < 2; ++i) {
            const auto peak = measurer.machinePeak(2);
            QVERIFY2(peak, peak ? "" : peak.error().message.c_str());
            QCOMPARE(peak->float32Flops, 1e11);
        }
        measure::Measurer later({.program = "/nonexistent/nestc"});
        QCOMPARE(later.machinePeak(2)->float32Flops, 1e11); // it was kept
        QCOMPARE(later.machinePeak(3).error().code, std::string("worker.start"));
    }

    /// It is used for now, and asked for again after a while.
    void disturbedPeaksAreNotKept()
    {
        measure::Measurer measurer(answering({peakOf(1e10, true)}));
        for (int i = 0; i < 2; ++i) {
            const auto peak = measurer.machinePeak(2);
            QVERIFY2(peak, peak ? "" : peak.error().message.c_str());
            QCOMPARE(peak->float32Flops, 1e10);
            QVERIFY(peak->disturbed);
        }
        QVERIFY(!measure::loadCachedPeak(2));
    }

    void answersWithoutAPeakAreRefused()
    {
        for (const QString &answer : {QString("\"pong\":true"), peakOf(-1)}) {
            measure::Measurer measurer(answering({answer}));
            const auto peak = measurer.machinePeak(2);
            QVERIFY(!peak);
            QCOMPARE(peak.error().code, std::string("measure.bad-peak"));
        }
    }

    void kernelsReachAPartOfThePeak()
    {
        QCOMPARE(fractionWith({measured(), peakOf(4 * measuredFlops)}), 0.25);
    }

    void noPeakIsAskedForUnlessItIsWanted()
    {
        QCOMPARE(fractionWith({measured()}, false), 0.0);
        QCOMPARE(fractionWith({measured()}, true, true), 0.0);
        QCOMPARE(fractionWith({measured(), "\"pong\":true"}), 0.0); // nor is one invented
    }

    /// A kernel above the peak shows that others were at work while it was taken.
    void peaksBelowAKernelAreTakenAgain()
    {
        QCOMPARE(fractionWith({measured(), peakOf(measuredFlops / 2), peakOf(2 * measuredFlops)}), 0.5);
    }

    /// The higher of both counts, and is calm where one of them was.
    void aPeakThatWasReachedOnceCounts()
    {
        QCOMPARE(fractionWith({measured(), peakOf(measuredFlops / 2), peakOf(measuredFlops / 8, true)}), 2.0);
        const auto kept = measure::loadCachedPeak(2);
        QVERIFY(kept && !kept->disturbed);
        QCOMPARE(kept->float32Flops, measuredFlops / 2);
    }
};

int main(int argc, char *argv[]) { return runTestOrWorker<PeakRequestsTest>(argc, argv); }

#include "peak_requests_test.moc"
