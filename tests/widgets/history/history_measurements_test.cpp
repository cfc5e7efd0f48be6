// SPDX-License-Identifier: GPL-3.0-or-later
// The look of measurements in the history: figures, doubts, targets, trust, failures.
#include "core/measure/machine/machine_peak.h"
#include "core/measure/verify/rungs.h"
#include "core/support/host.h"
#include "tests/widgets/history/history_fixture.h"
#include "widgets/models/measurement_texts.h"

#include <QtTest>

using namespace nestwright;
using models::VariantsModel;

namespace {

measure::Measurement measured(double milliseconds, double noise = 0.01)
{
    measure::Measurement result;
    result.samples = {milliseconds * 1e-3};
    result.time = {milliseconds * 1e-3 * (1 - noise), milliseconds * 1e-3, milliseconds * 1e-3 * (1 + noise)};
    result.verdict = measure::Verdict::Verified;
    result.flops = 2e9;
    result.peakFraction = 0.25;
    result.final = true;
    return result;
}

} // namespace

class HistoryMeasurementsTest : public QObject, tests::HistoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { useCacheOfItsOwn(); }
    void init() { beginHistory(); }
    void cleanup() { endHistory(); }

    void showsMeasurements()
    {
        apply("parallel", row("i"));
        m_document->setMeasurement({0}, measured(1130));
        m_document->setMeasurement({1}, measured(19.1));
        QCOMPARE(cell(0, VariantsModel::Time), QStringLiteral("1.13 s"));
        QCOMPARE(cell(1, VariantsModel::Time), QStringLiteral("19.1 ms"));
        QCOMPARE(cell(1, VariantsModel::Gflops), QStringLiteral("105"));
        QCOMPARE(cell(1, VariantsModel::OfPeak), QStringLiteral("25.0 %"));
        QCOMPARE(cell(1, VariantsModel::VsFirst), QStringLiteral("59.2×"));
        QCOMPARE(cell(1, VariantsModel::Result), QStringLiteral("verified"));
        QCOMPARE(m_model->tone(1, VariantsModel::Result), models::Tone::Good);
        QVERIFY(m_model->doubt(1).empty());
    }

    void trustIsCountedInRungs()
    {
        using measure::RungResult;
        apply("parallel", row("i"));
        const session::VariantId id = m_document->currentId();
        const auto result = [](measure::Rung rung, RungResult::Outcome outcome) {
            RungResult made;
            made.rung = rung;
            made.outcome = outcome;
            if (outcome != RungResult::Outcome::Holds)
                made.reason = support::diagnostic("test.reason", "this is why");
            return made;
        };
        const RungResult holds = result(measure::Rung::Interpreter, RungResult::Outcome::Holds),
                         missing = result(measure::Rung::Nvrtc, RungResult::Outcome::NotHere),
                         fails = result(measure::Rung::OpenCl, RungResult::Outcome::Fails);
        m_document->setTrust(id, {holds, missing});
        QCOMPARE(cell(1, VariantsModel::Result), QStringLiteral("holds 1/2"));
        QCOMPARE(m_model->tone(1, VariantsModel::Result), models::Tone::Good);
        m_document->setMeasurement(id, measured(2));
        QCOMPARE(cell(1, VariantsModel::Result), QStringLiteral("verified 1/2"));
        const QString tip = m_model->index(1, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("✓ interpreter: ")), qPrintable(tip));
        QVERIFY2(tip.contains(QStringLiteral("– NVRTC: this is why")), qPrintable(tip));
        const std::size_t problems = m_document->problems().size();
        m_document->setTrust(id, {holds, fails});
        QCOMPARE(cell(1, VariantsModel::Result), QStringLiteral("wrong: OpenCL"));
        QCOMPARE(m_model->tone(1, VariantsModel::Result), models::Tone::Bad);
        QCOMPARE(m_document->problems().size(), problems + 1);
        target::Target other = m_document->session().target();
        other.kind = target::TargetKind::C;
        m_document->setTarget(other); // which nobody checked
        QCOMPARE(cell(1, VariantsModel::Result), QStringLiteral("on llvm"));
    }

    void rungsAreClimbedInTheBackground()
    {
        apply("parallel", row("i"));
        const session::VariantId id = m_document->currentId();
        m_measuring->check(id);
        QVERIFY(m_measuring->isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(!m_measuring->isRunning(), patience);
        QCOMPARE(m_document->tree().trust(id).size(), std::size_t{3});
        QVERIFY2(cell(1, VariantsModel::Result).startsWith(QStringLiteral("holds ")),
                 qPrintable(cell(1, VariantsModel::Result)));
    }

    /// Figures of two targets do not compare: one is shown, the other's wait.
    void figuresOfAnotherTargetWait()
    {
        apply("parallel", row("i"));
        m_document->setMeasurement({0}, measured(1130));
        m_document->setMeasurement({1}, measured(19.1));
        const target::Target all = m_document->session().target();
        m_document->setTarget(target::parseTarget("llvm -num-cores=1").value());
        QCOMPARE(cell(1, VariantsModel::Time), QStringLiteral("19.1 ms")); // and says of which
        QCOMPARE(cell(1, VariantsModel::Result), QStringLiteral("on llvm"));
        QCOMPARE(m_model->tone(1, VariantsModel::Time), models::Tone::Secondary);
        QCOMPARE(cell(1, VariantsModel::VsFirst), QString());
        m_document->setMeasurement({1}, measured(38.2));
        QCOMPARE(cell(1, VariantsModel::Time), QStringLiteral("38.2 ms"));
        QCOMPARE(cell(1, VariantsModel::VsFirst), QString());
        m_document->setTarget(all);
        QCOMPARE(cell(1, VariantsModel::Time), QStringLiteral("19.1 ms"));
        QCOMPARE(cell(1, VariantsModel::VsFirst), QStringLiteral("59.2×"));
    }

    /// The share is of the machine's peak with the threads of the target, in all rows.
    void thePeakIsThatOfTheTarget()
    {
        measure::MachinePeak peak;
        peak.processor = support::processorName();
        peak.float64Flops = 1e9;
        peak.threads = 1;
        peak.float32Flops = 200e9;
        measure::storeCachedPeak(peak);
        m_document->setMeasurement({0}, measured(20));
        QCOMPARE(cell(0, VariantsModel::OfPeak), QStringLiteral("25.0 %")); // as its measurement says
        m_document->setTarget(target::parseTarget("llvm -num-cores=1").value());
        m_document->setMeasurement({0}, measured(20));
        QCOMPARE(cell(0, VariantsModel::OfPeak), QStringLiteral("50.0 %"));
        peak.disturbed = true;
        peak.float32Flops = 400e9;
        measure::storeCachedPeak(peak); // is not kept
        peak.disturbed = false;
        peak.float32Flops = 100e9;
        measure::storeCachedPeak(peak); // the machine has reached more
        QCOMPARE(measure::loadCachedPeak(1)->float32Flops, 200e9);
    }

    void aBusyMachineIsNamed()
    {
        measure::Measurement busy = measured(20);
        busy.otherLoad = 1.3;
        busy.disturbed = true;
        m_document->setMeasurement({0}, busy);
        QCOMPARE(cell(0, VariantsModel::Result), QStringLiteral("verified, busy"));
        QCOMPARE(m_model->tone(0, VariantsModel::Result), models::Tone::Warn);
        QVERIFY(m_model->index(0, 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("Other programs kept 1.3 processors busy")));
    }

    void whatWasComparedAndCountedIsTold()
    {
        measure::Measurement counted = measured(20);
        counted.difference = 3.1e-7;
        counted.counters = measure::Counters{.counts = {{"cycles", 1000}, {"instructions", 2500}},
                                             .absent = "no branch-misses: a reason"};
        m_document->setMeasurement({0}, counted);
        const QString tip = m_model->index(0, 0).data(Qt::ToolTipRole).toString();
        for (const char *line : {"Largest relative difference 3.1e-07 to the unscheduled program.",
                                 "a call: 2.5 instructions per cycle",
                                 "a call: 1e+03 cycles, 2.5e+03 instructions", "No branch-misses: a reason."})
            QVERIFY2(tip.contains(QString::fromUtf8(line)), qPrintable(tip));
    }

    void differencesWithinTheNoiseAreNotRanked()
    {
        apply("parallel", row("i"));
        m_document->setMeasurement({0}, measured(20, 0.05));
        m_document->setMeasurement({1}, measured(19.5, 0.05));
        QVERIFY(!m_model->doubt(1).empty());
        QVERIFY(m_model->index(1, 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("not significant")));
    }

    /// The unit stands in the header, once for all rows.
    void bytesPerSecondStandForOperations()
    {
        QCOMPARE(m_model->headerData(VariantsModel::Gflops, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("GFLOPS"));
        measure::Measurement moved = measured(10);
        moved.flops = 0;
        moved.bytes = 8e6;
        m_document->setMeasurement({0}, moved);
        QCOMPARE(m_model->headerData(VariantsModel::Gflops, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("GB/s"));
        QCOMPARE(cell(0, VariantsModel::Gflops), QStringLiteral("0.80"));
    }

    /// A ratio of single runs says nothing yet, however large it is.
    void fewSamplesAreSaidToBeFew()
    {
        apply("parallel", row("i"));
        measure::Measurement slow = measured(230), fast = measured(10);
        fast.samples = {0.01};
        fast.speedup = measure::Speedup{{23, 23, 23}, false};
        m_document->setMeasurement({0}, slow);
        m_document->setMeasurement({1}, fast);
        QCOMPARE(m_model->doubt(1), std::string_view("not enough samples"));
        const QString tip = m_model->index(1, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("not enough samples")) && !tip.contains(QStringLiteral("noise")),
                 qPrintable(tip));
    }

    /// A measurement that ended unverified is seen at once; an estimate on its way is not.
    void whatIsLeftUnverifiedIsPlain()
    {
        measure::Measurement unverified = measured(20);
        unverified.verdict = measure::Verdict::NotVerified;
        unverified.final = false;
        m_document->setMeasurement({0}, unverified);
        QCOMPARE(m_model->tone(0, VariantsModel::Result), models::Tone::Secondary);
        unverified.final = true;
        m_document->setMeasurement({0}, unverified);
        QCOMPARE(cell(0, VariantsModel::Result), QStringLiteral("not verified"));
        QCOMPARE(m_model->tone(0, VariantsModel::Result), models::Tone::Warn);
        const QString tip = m_model->index(0, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("F6")), qPrintable(tip));
    }

    void storedOnesAreNotShownAsVerified()
    {
        measure::Measurement stored = measured(20);
        stored.stored = true;
        m_document->setMeasurement({0}, stored);
        QCOMPARE(cell(0, VariantsModel::Result), QStringLiteral("was verified"));
        QCOMPARE(m_model->tone(0, VariantsModel::Result), models::Tone::Secondary);
        QCOMPARE(m_model->tone(0, VariantsModel::Time), models::Tone::Secondary);
        const QString tip = m_model->index(0, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("not checked here")), qPrintable(tip));
    }

    void otherInputsDoNotCompare()
    {
        apply("parallel", row("i"));
        m_document->setMeasurement({0}, measured(20));
        m_document->setInputs({{"A", {"/data/a.npy"}}});
        QCOMPARE(cell(0, VariantsModel::Result), QStringLiteral("other inputs"));
        QCOMPARE(m_model->tone(0, VariantsModel::Result), models::Tone::Secondary);
        measure::Measurement with = measured(10);
        with.inputs = {{"A", {"/data/a.npy", 7}}};
        m_document->setMeasurement({1}, with);
        QCOMPARE(cell(1, VariantsModel::Result), QStringLiteral("verified"));
        QCOMPARE(cell(1, VariantsModel::VsFirst), QString()); // the first ran with others
        QVERIFY(m_model->doubt(1).empty());
        QVERIFY(
            m_model->index(1, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("with A = a.npy")));
        m_document->setInputs({});
        QCOMPARE(cell(0, VariantsModel::Result), QStringLiteral("verified"));
        QCOMPARE(cell(1, VariantsModel::Result), QStringLiteral("other inputs"));
    }

    void failuresSayWhy()
    {
        measure::Measurement crashed;
        crashed.failed = measure::Failure::Crash;
        crashed.failure = support::diagnostic("worker.crash", "the kernel crashed");
        m_document->setMeasurement({0}, crashed);
        QCOMPARE(cell(0, VariantsModel::Result), QStringLiteral("crashed"));
        QCOMPARE(m_model->tone(0, VariantsModel::Result), models::Tone::Bad);
        QCOMPARE(int(m_document->problems().size()), 1);
    }

    void times_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("s") << 12.3 << QStringLiteral("12.3 s");
        QTest::newRow("a few s") << 4.4254 << QStringLiteral("4.43 s");
        QTest::newRow("ms") << 0.0898 << QStringLiteral("89.8 ms");
        QTest::newRow("us") << 0.00074 << QStringLiteral("740 µs");
        QTest::newRow("ns") << 2.5e-7 << QStringLiteral("250 ns");
        QTest::newRow("none") << 0.0 << QString();
    }
    void times()
    {
        QFETCH(double, seconds);
        QFETCH(QString, text);
        QCOMPARE(models::timeText(seconds), text);
    }
};

QTEST_MAIN(HistoryMeasurementsTest)
#include "history_measurements_test.moc"
