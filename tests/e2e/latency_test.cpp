// SPDX-License-Identifier: GPL-3.0-or-later
/// How long a person waits in the real window. The times are printed, never judged: only that what is waited for comes.

#include "app/loop_pane.h"
#include "app/main_window.h"
#include "app/nest_pane.h"
#include "app/source_pane.h"
#include "core/schedule/primitive.h"
#include "widgets/code/code_view.h"
#include "widgets/document/action_list.h"
#include "widgets/document/document.h"
#include "widgets/document/measuring.h"
#include "widgets/document/selection.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace nestwright;

namespace {

constexpr int patience = 30000; // ms, for a machine that is busy with other things

/// Resident memory of this process in MB.
double residentMegabytes()
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray &line : status.readAll().split('\n')) {
        if (line.startsWith("VmRSS:"))
            return line.mid(6).trimmed().split(' ').first().toDouble() / 1024;
    }
    return 0;
}

} // namespace

class LatencyTest : public QObject {
    Q_OBJECT

private:
    look::Theme m_theme{*qApp, look::Mode::Light};
    QTemporaryDir m_folder;
    std::unique_ptr<app::MainWindow> m_window;

    document::Document &document() { return m_window->document(); }
    bool settle() { return QTest::qWaitFor([&] { return m_window->isSettled(); }, patience); }

    ir::StmtId loop(const std::string &name)
    {
        for (const document::NestRow &row : document().nest()->rows) {
            if (row.name == QString::fromStdString(name))
                return row.id;
        }
        return {};
    }

    /// Milliseconds from applying `step` until `shown`.
    double timeStep(const schedule::Step &step, const std::function<bool()> &shown)
    {
        QElapsedTimer timer;
        timer.start();
        document().apply(step);
        while (!shown() && timer.elapsed() < patience)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 5);
        return static_cast<double>(timer.nsecsElapsed()) * 1e-6;
    }

    schedule::Step split(const std::string &name, int factor)
    {
        return schedule::makeStep("split", {{"loop", loop(name)}, {"factors", schedule::ArgList{schedule::ArgValue(), factor}}}).value();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_theme.setReducedMotion(true);
        QElapsedTimer timer;
        timer.start();
        m_window = std::make_unique<app::MainWindow>(
            m_theme, app::WindowFolders{m_folder.filePath("settings.ini"), m_folder.path()}, true);
        m_window->resize(1600, 1000);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_window->open(QStringLiteral("op:matmul(M=128,N=128,K=128)"));
        QVERIFY(QTest::qWaitFor([&] { return document().isOpen() && m_window->isSettled(); }, patience));
        qInfo("window shown and kernel open: %lld ms (without starting the process)", timer.elapsed());
        qInfo("memory with a kernel open: %.0f MB", residentMegabytes());
    }

    void clickToLoopsAndNest()
    {
        std::vector<double> times;
        const std::pair<const char *, int> splits[] = {{"i", 32}, {"j", 32}, {"k", 4}};
        for (const auto &[name, factor] : splits) {
            const int before = document().currentId().value;
            const QString text = m_window->nestPane()->view()->text().text();
            times.push_back(timeStep(split(name, factor), [&] {
                return document().currentId().value != before && m_window->nestPane()->view()->text().text() != text;
            }));
            QVERIFY(document().currentId().value != before);
            QVERIFY(settle());
        }
        std::ranges::sort(times);
        qInfo("click to loop tree and loop nest: median %.1f ms, worst %.1f ms", times[1], times[2]);
    }

    void selectionToLegalActions()
    {
        QElapsedTimer timer;
        timer.start();
        document().selection().select(loop("k_1"));
        QVERIFY(QTest::qWaitFor([&] { return m_window->actions().isCurrent(); }, patience));
        qInfo("selection to legal actions: %.1f ms", static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    }

    void clickToSource_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("C") << static_cast<int>(backend::SourceKind::C);
        QTest::newRow("assembly") << static_cast<int>(backend::SourceKind::Asm);
    }
    void clickToSource()
    {
        QFETCH(int, kind);
        m_window->sourcePane()->setKind(static_cast<backend::SourceKind>(kind));
        QVERIFY(settle());
        const QString text = m_window->sourcePane()->view()->text().text();
        const bool first = static_cast<backend::SourceKind>(kind) == backend::SourceKind::C;
        const double time =
            timeStep(first ? split("i_1", 4) : split("j_1", 8), [&] { return m_window->sourcePane()->view()->text().text() != text; });
        QVERIFY(m_window->sourcePane()->view()->text().text() != text);
        qInfo("click to source, %s: %.1f ms", QTest::currentDataTag(), time);
        QVERIFY(settle());
    }

    void clickToGflops()
    {
        const auto id = document().currentId();
        QSignalSpy changed(&document(), &document::Document::measurementChanged);
        QElapsedTimer timer;
        timer.start();
        m_window->measuring().measure({id});
        const auto measurement = [&] { return document().tree().at(id).measurement; };
        QVERIFY(QTest::qWaitFor([&] { return measurement() && measurement()->ok(); }, patience));
        qInfo("click to first GFLOPS: %lld ms", timer.elapsed());
        QVERIFY(QTest::qWaitFor([&] { return measurement() && measurement()->final; }, patience));
        qInfo("click to final interval: %lld ms", timer.elapsed());
        QVERIFY(QTest::qWaitFor([&] { return !m_window->measuring().isRunning(); }, patience));
    }
};

QTEST_MAIN(LatencyTest)
#include "latency_test.moc"
