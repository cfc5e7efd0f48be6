// SPDX-License-Identifier: GPL-3.0-or-later
// The history of variants: its model, clicks and keys, the look of measurements, the problems.
#include "core/measure/machine/machine_peak.h"
#include "core/measure/verify/rungs.h"
#include "core/schedule/primitive.h"
#include "core/session/session.h"
#include "core/support/host.h"
#include "tests/support/programs.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/sealing.h"
#include "widgets/history/history_view.h"
#include "widgets/history/problems_view.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/fonts.h"
#include "widgets/models/measurement_texts.h"
#include "widgets/models/variants_model.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;
using models::VariantsModel;

namespace {
constexpr int patience = 20000;

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

class HistoryTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<jobs::JobRunner> m_jobs;
    std::unique_ptr<document::Document> m_document;
    std::unique_ptr<document::Measuring> m_measuring;
    std::unique_ptr<VariantsModel> m_model;
    std::unique_ptr<history::HistoryView> m_view;

    support::StmtId row(const char *name) const
    {
        for (const document::NestRow &each : m_document->nest()->rows) {
            if (each.name == QLatin1String(name))
                return each.id;
        }
        return {};
    }
    void apply(std::string_view primitive, support::StmtId loop) const
    {
        const int before = m_document->tree().size();
        m_document->apply(schedule::makeStep(primitive, {{"loop", loop}}).value());
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), before + 1, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
    }
    QString cell(int row, int column) const { return m_model->index(row, column).data().toString(); }

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_CACHE_HOME", m_folder.filePath(QStringLiteral("cache")).toUtf8()); }
    void init()
    {
        m_jobs = std::make_unique<jobs::JobRunner>(2);
        m_document = std::make_unique<document::Document>(*m_jobs);
        m_measuring = std::make_unique<document::Measuring>(*m_document);
        m_model = std::make_unique<VariantsModel>(*m_document, *m_measuring);
        m_view = std::make_unique<history::HistoryView>(*m_document, *m_model);
        m_view->resize(700, 300);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        const QString path = m_folder.filePath(QStringLiteral("matmul.py"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const std::string_view text = tests::programText("matmul");
        file.write(text.data(), qint64(text.size()));
        file.close();
        m_document->open(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_document->isOpen() && !m_document->isBusy(), patience);
    }
    void cleanup()
    {
        m_jobs->cancelAll();
        m_view.reset();
        m_model.reset();
        m_measuring.reset();
        m_document.reset();
        m_jobs.reset();
    }

    /// A step is sealed by itself, and says so beside the measured result.
    void sealsSteps()
    {
        document::Sealing sealing(*m_document);
        m_model->showSeals(sealing);
        apply("parallel", row("i"));
        QTRY_COMPARE_WITH_TIMEOUT(cell(1, VariantsModel::Result), QStringLiteral("sealed"), patience);
        QVERIFY(m_model->index(1, 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("Sealed: equal for every input")));
        QVERIFY(cell(0, VariantsModel::Result).isEmpty()); // nothing was scheduled there
        m_document->leave();
        QVERIFY(!sealing.of(m_document->currentId()));
    }

    /// Steps that one action makes are one row, which the mark before its text and keys unfold; undo leaves
    /// all of them.
    void stepsOfOneActionFold()
    {
        apply("parallel", row("i"));
        const session::VariantId before = m_document->currentId();
        std::vector<schedule::Step> steps;
        steps.push_back(schedule::makeStep("split", {{"loop", row("j")},
                                                     {"factors", schedule::ArgList{schedule::ArgValue(), 8}}})
                            .value());
        steps.push_back(schedule::makeStep("unroll", {{"loop", row("k")}}).value());
        steps.push_back(schedule::makeStep("vectorize", {{"loop", row("i")}}).value());
        m_document->branch(m_document->tree().root().id, QStringLiteral("Three steps"), steps);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 5, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
        const session::VariantId end = m_document->currentId();
        QCOMPARE(m_model->rowCount(), 3);
        QCOMPARE(cell(m_model->rowOf(end), VariantsModel::Step), QStringLiteral("Three steps (3 steps)"));
        const QRect folded = m_view->rowRect(end);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {},
                          QPoint(static_cast<int>(m_view->stepLeft()) + 3, folded.center().y()));
        QCOMPARE(m_model->rowCount(), 5);
        QVERIFY(m_document->currentId() == end);
        m_view->setFocus();
        m_view->setCurrentIndex(m_model->index(m_model->rowOf(end), 0));
        QTest::keyClick(m_view.get(), Qt::Key_Left);
        QCOMPARE(m_model->rowCount(), 3);
        m_document->undo();
        QTRY_VERIFY_WITH_TIMEOUT(m_document->currentId() == before, patience);
        m_document->redo();
        QTRY_VERIFY_WITH_TIMEOUT(m_document->currentId() == end, patience);
        // The one that is current has a row.
        m_document->jumpTo(*m_document->tree().at(end).parent);
        QTRY_VERIFY_WITH_TIMEOUT(m_document->currentId() != end, patience);
        QCOMPARE(m_model->rowCount(), 4);
        m_document->jumpTo(end);
        QTRY_VERIFY_WITH_TIMEOUT(m_document->currentId() == end, patience);
        QCOMPARE(m_model->rowCount(), 3);
    }

    /// A loop that runs so already: no variant is made of nothing.
    void noVariantOfNothing()
    {
        apply("parallel", row("i"));
        QSignalSpy refused(m_document.get(), &document::Document::stepRefused);
        m_document->apply(schedule::makeStep("parallel", {{"loop", row("i")}}).value());
        QTRY_COMPARE_WITH_TIMEOUT(refused.count(), 1, patience);
        QCOMPARE(m_document->tree().size(), 2);
        QCOMPARE(m_model->rowCount(), 2);
    }

    void growsAsATree()
    {
        QAbstractItemModelTester tester(m_model.get(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        apply("parallel", row("i"));
        apply("vectorize", row("j"));
        m_document->undo();
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 1, patience);
        apply("unroll", row("k")); // a branch
        QCOMPARE(m_model->rowCount(), 4);
        QCOMPARE(cell(1, VariantsModel::Step), QStringLiteral("parallel(i)"));
        QCOMPARE(cell(2, VariantsModel::Step), QStringLiteral("unroll(k)"));
        QCOMPARE(cell(3, VariantsModel::Step), QStringLiteral("vectorize(j)"));
        QVERIFY(m_model->isCurrent(2));
        apply("parallel", row("k")); // refused, on the branch
        const std::vector<VariantsModel::Row> &rows = m_model->rows();
        QCOMPARE(m_model->lanes(), 2);
        const auto drawn = [&](std::size_t row) {
            QString text(rows[row].lane, u' ');
            for (std::size_t lane = 0; lane < rows[row].lines.size(); ++lane)
                text[static_cast<qsizetype>(lane)] = rows[row].lines[lane] ? u'|' : u' ';
            return text + (rows[row].isBranch ? u'\\' : u'o') + (rows[row].goesOn ? u'+' : u'.');
        };
        QCOMPARE((QStringList{drawn(0), drawn(1), drawn(2), drawn(3), drawn(4)}),
                 (QStringList{"o+", "o+", "|\\+", "| \\.", "o."}));
    }

    void clicksAndKeysGoThere()
    {
        apply("parallel", row("i"));
        apply("vectorize", row("j"));
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, m_view->rowRect({0}).center());
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 0, patience);
        QTRY_VERIFY(!m_document->isBusy());
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 1, patience);
        QTRY_VERIFY(!m_document->isBusy());
        QTest::keyClick(m_view.get(), Qt::Key_End);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->currentId().value, 2, patience);
    }

    void refusedOnesAreRedAndTell()
    {
        apply("parallel", row("k"));
        QCOMPARE(cell(1, VariantsModel::Result), QStringLiteral("refused"));
        QCOMPARE(m_model->tone(1, VariantsModel::Step), models::Tone::Bad);
        QSignalSpy refused(m_view.get(), &history::HistoryView::refusedChosen);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, m_view->rowRect({1}).center());
        QCOMPARE(refused.size(), 1);
        QCOMPARE(m_document->currentId().value, 0);
    }

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

    /// Figures of two targets do not compare: one is shown, the other's wait.
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

    void manyVariantsStayQuick()
    {
        for (int i = 0; i < 40; ++i)
            apply(i % 2 == 0 ? "parallel" : "unroll", row("i"));
        QCOMPARE(m_model->rowCount(), 41);
        QVERIFY(!m_view->grab().isNull());
    }

    /// A thousand variants in ten branches: the text of each step has its room.
    void aThousandStepsAreReadable()
    {
        constexpr int branches = 10, steps = 100;
        auto session = session::Session::open(m_folder.filePath("matmul.py").toStdString()).value();
        const support::StmtId loop = row("i");
        for (int branch = 0; branch < branches; ++branch) {
            session::VariantId at = session.tree().root().id;
            for (int step = 0; step < steps; ++step)
                at = session.apply(
                    at, schedule::makeStep("annotate", {{"block_or_loop", loop},
                                                        {"ann_key", "pragma_" + std::to_string(branch)},
                                                        {"ann_val", std::int64_t{step}}})
                            .value());
        }
        m_document->openSession([session] { return session; });
        QTRY_COMPARE_WITH_TIMEOUT(m_model->rowCount(), 1 + branches * steps, patience);
        m_view->resize(700, 300); // the pane at 1366 x 768
        const QFontMetricsF metrics(look::interfaceFont(12, QFont::DemiBold));
        const double room = m_view->columnWidth(VariantsModel::Step) - m_view->stepLeft() - 12;
        for (int i = 0; i < m_model->rowCount(); ++i) {
            const QString text = cell(i, VariantsModel::Step);
            QVERIFY2(metrics.horizontalAdvance(text) <= room, qPrintable(text));
            QVERIFY2(i == 0 || text.startsWith("annotate(i, "), qPrintable(text));
        }
        QElapsedTimer timer;
        timer.start();
        m_view->scrollToTop();
        QVERIFY(!m_view->grab().isNull());
        QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
    }

    /// The pane becomes lower when charts come: the current step is still seen, unless it was not before.
    void theCurrentStepStaysInSight()
    {
        for (int step = 0; step < 14; ++step) {
            const auto made = schedule::makeStep("annotate", {{"block_or_loop", row("i")},
                                                              {"ann_key", "pragma_" + std::to_string(step)},
                                                              {"ann_val", std::int64_t{step}}});
            m_document->apply(*made);
            QTRY_COMPARE_WITH_TIMEOUT(m_model->rowCount(), step + 2, patience);
            QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
        }
        const auto current = [&] { return m_view->rowRect(m_document->currentId()); };
        const auto isInSight = [&] { return m_view->viewport()->rect().contains(current().center()); };
        QVERIFY(isInSight());
        m_view->resize(700, 120);
        QVERIFY(isInSight());
        m_view->scrollToTop();
        QVERIFY(!isInSight());
        m_view->resize(700, 140);
        QVERIFY(!isInSight());
    }

    void problemsLeadToTheirLoop()
    {
        history::ProblemsView problems(*m_document);
        problems.resize(400, 200);
        problems.show();
        apply("parallel", row("k"));
        QCOMPARE(problems.count(), 1);
        QTest::mouseClick(problems.viewport(), Qt::LeftButton, {},
                          problems.visualItemRect(problems.item(0)).center());
        QCOMPARE(m_document->selection().current(), row("k"));
        m_document->clearProblems();
        QCOMPARE(problems.count(), 0);
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

QTEST_MAIN(HistoryTest)
#include "history_test.moc"
