// SPDX-License-Identifier: GPL-3.0-or-later
// Latencies of the window, as a table: nothing here fails on a time, only on events that do not happen at
// all.
#include "app/window/frame/main_window.h"
#include "app/window/panes/loop_pane.h"
#include "app/window/panes/nest_pane.h"
#include "app/window/panes/source_pane.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/code/code_view.h"
#include "widgets/document/action_list.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/document/selection.h"
#include "widgets/document/target_source.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/forms/action_strip.h"
#include "widgets/look/theme.h"
#include "widgets/looptree/loop_tree.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace nestwright;

namespace {

constexpr int patience = 60000;

/// The longest time that the event loop was away, in milliseconds.
class Heartbeat : public QObject {
public:
    Heartbeat()
    {
        m_since.start();
        startTimer(1, Qt::PreciseTimer);
    }
    double take() { return std::exchange(m_longest, 0) * 1e-6; }

protected:
    void timerEvent(QTimerEvent *) override
    {
        m_longest = std::max(m_longest, m_since.nsecsElapsed());
        m_since.start();
    }

private:
    QElapsedTimer m_since;
    qint64 m_longest = 0;
};

double residentMegabytes()
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray &line : status.readAll().split('\n')) {
        if (line.startsWith("VmRSS:"))
            return line.mid(6).trimmed().split(' ').front().toDouble() / 1024;
    }
    return 0;
}

void report(const char *what, double milliseconds, const char *target)
{
    qInfo().noquote() << QStringLiteral("%1 %2 ms   target %3")
                             .arg(QLatin1String(what), -46)
                             .arg(milliseconds, 8, 'f', 1)
                             .arg(QLatin1String(target));
}

} // namespace

class LatencyTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<look::Theme> m_theme;
    std::unique_ptr<app::MainWindow> m_window;
    Heartbeat m_heartbeat;

    document::Document &document() const { return m_window->document(); }
    bool settle() const
    {
        return QTest::qWaitFor([this] { return m_window->isSettled(); }, patience);
    }
    support::StmtId row(const char *name) const
    {
        for (const document::NestRow &each : document().nest()->rows) {
            if (each.name == QLatin1String(name))
                return each.id;
        }
        return {};
    }
    /// Milliseconds until `done`, at the grain of the event loop.
    template <class Done> double until(Done done) const
    {
        QElapsedTimer timer;
        timer.start();
        while (!done() && timer.elapsed() < patience)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
        return double(timer.nsecsElapsed()) * 1e-6;
    }

private Q_SLOTS:
    void start()
    {
        QElapsedTimer timer;
        timer.start();
        m_theme = std::make_unique<look::Theme>(*qApp, look::Mode::Light);
        m_window =
            std::make_unique<app::MainWindow>(*m_theme,
                                              app::WindowFolders{m_folder.filePath(QStringLiteral("s.ini")),
                                                                 m_folder.filePath(QStringLiteral("a"))},
                                              true);
        m_window->resize(1600, 1000);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_window->open(QStringLiteral("op:matmul(M=128,N=128,K=128,dtype=float32)"));
        until([this] { return document().isOpen() && !m_window->nestPane()->view()->text().isEmpty(); });
        report("the window with an open kernel, after main()", double(timer.nsecsElapsed()) * 1e-6, "1500");
        QVERIFY(settle());
        m_heartbeat.take();
    }

    void clickOnAPrimitive()
    {
        document().selection().select(row("i"));
        QVERIFY(settle());
        m_heartbeat.take();
        m_window->loopPane()->strip()->trigger("parallel");
        report("click on a primitive -> loop tree and loop nest", until([this] {
                   return m_window->nestPane()->view()->text().text().contains(QStringLiteral("T.parallel"));
               }),
               "50");
        QVERIFY(settle());
        report("longest stall of the UI thread meanwhile", m_heartbeat.take(), "50");
    }

    void sources_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QByteArray>("target");
        QTest::newRow("... -> C source") << int(backend::SourceKind::C) << QByteArray("150");
        QTest::newRow("... -> LLVM IR") << int(backend::SourceKind::LlvmIr) << QByteArray("400");
        QTest::newRow("... -> assembly") << int(backend::SourceKind::Asm) << QByteArray("400");
    }
    void sources()
    {
        QFETCH(int, kind);
        QFETCH(QByteArray, target);
        m_window->sourcePane()->setKind(static_cast<backend::SourceKind>(kind));
        QVERIFY(settle());
        document().selection().select(row("j"));
        QVERIFY(settle());
        const int variants = document().tree().size();
        document().undo(); // every row a new variant, so that no source is at hand
        QVERIFY(settle());
        const QString before = m_window->sourcePane()->view()->source().text;
        document().apply(schedule::makeStep("split", {{"loop", row("k")},
                                                      {"factors", schedule::ArgList{{}, 4 << variants % 3}}})
                             .value());
        const double took = until([&] {
            const QString &text = m_window->sourcePane()->view()->source().text;
            return document().tree().size() > variants && !text.isEmpty() && text != before;
        });
        report(QTest::currentDataTag(), took, target.constData());
        QVERIFY(took < patience);
    }

    void legalActions()
    {
        document().selection().select(row("j"));
        QVERIFY(settle());
        m_heartbeat.take();
        document().selection().select(row("i"));
        report("legal actions for a selection", until([this] { return m_window->actions().isCurrent(); }),
               "50");
        document().selection().select(row("i"));
        bool found = false;
        const auto connection = connect(&m_window->actions(), &document::ActionList::placementsReady, this,
                                        [&] { found = true; });
        m_window->actions().findPlacements(row("i"));
        report("drag feedback: the legal places", until([&] { return found; }), "50");
        disconnect(connection);
        report("longest stall of the UI thread meanwhile", m_heartbeat.take(), "50");
    }

    void actionsAmongAHundredLoops()
    {
        QString script =
            QStringLiteral("from tvm import te\nT0 = te.placeholder((16, 16, 16), name=\"T0\")\n");
        for (int i = 1; i <= 33; ++i)
            script +=
                QStringLiteral(
                    "T%1 = te.compute((16, 16, 16), lambda a, b, c: T%2[a, b, c] + 1.0, name=\"T%1\")\n")
                    .arg(i)
                    .arg(i - 1);
        script += QStringLiteral("func = te.create_prim_func([T0, T33])\n");
        QFile file(m_folder.filePath(QStringLiteral("chain.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(script.toUtf8());
        file.close();
        m_window->open(file.fileName());
        QTRY_COMPARE_WITH_TIMEOUT(document().title(), QStringLiteral("chain.py"), patience);
        QVERIFY(settle());
        const document::NestRow &loop = document().nest()->rows[document().nest()->rows.size() / 2];
        m_heartbeat.take();
        document().selection().select(loop.id);
        report("legal actions among 99 loops", until([this] { return m_window->actions().isCurrent(); }),
               "100");
        document().apply(
            schedule::makeStep("parallel", {{"loop", document().nest()->rows.front().id}}).value());
        report("a step on 99 loops -> loop tree and loop nest", until([this] {
                   return m_window->nestPane()->view()->text().text().contains(QStringLiteral("T.parallel"));
               }),
               "50");
        QVERIFY(settle());
        report("longest stall of the UI thread meanwhile", m_heartbeat.take(), "50");
        // One that is not open in a tab.
        m_window->open(QStringLiteral("op:matmul(M=128, N=128, K=128, dtype=float32)"));
        QTRY_VERIFY_WITH_TIMEOUT(document().title() != u"chain.py", patience);
        QVERIFY(settle());
        document().apply(schedule::makeStep("parallel", {{"loop", row("i")}}).value());
        QVERIFY(QTest::qWaitFor([this] { return document().tree().size() == 2 && m_window->isSettled(); },
                                patience));
    }

    void measuring()
    {
        const QString text = m_window->nestPane()->view()->text().text();
        m_heartbeat.take();
        QElapsedTimer timer;
        timer.start();
        m_window->measuring().measure({document().currentId()});
        until([this] {
            return document().tree().current().measurement && document().tree().current().measurement->ok();
        });
        report("first GFLOPS of a small kernel", double(timer.nsecsElapsed()) * 1e-6, "600");
        until([this] { return document().tree().current().measurement->final; });
        report("final interval", double(timer.nsecsElapsed()) * 1e-6, "3000");
        QVERIFY(document().tree().current().measurement->ok());
        QVERIFY(settle());
        report("longest stall of the UI thread meanwhile", m_heartbeat.take(), "50");
    }

    void jumps()
    {
        QVERIFY(settle());
        const QString before = m_window->nestPane()->view()->text().text();
        QElapsedTimer timer;
        timer.start();
        document().jumpTo({0});
        until([&] { return m_window->nestPane()->view()->text().text() != before; });
        report("jump in the history", double(timer.nsecsElapsed()) * 1e-6, "150");
        QVERIFY(settle());
        report("memory in MB, not", residentMegabytes(), "300 MB");
    }

    void models()
    {
        const QString resnet = QStringLiteral("/usr/share/libonnx-testdata/data/light/light_resnet50.onnx");
        if (!QFile::exists(resnet))
            QSKIP("ONNX's test data (libonnx-testdata) are not installed");
        qputenv("XDG_CACHE_HOME",
                m_folder.filePath(QStringLiteral("cache")).toUtf8()); // no kernel is compiled yet
        m_heartbeat.take();
        QElapsedTimer timer;
        timer.start();
        m_window->open(resnet);
        until([this] {
            return m_window->model().kernel() >= 0 && m_window->graphCanvas()->isLaidOut()
                   && m_window->graphCanvas()->whole().nodes.size() > 50;
        });
        report("ResNet-50 -> a canvas that is laid out", double(timer.nsecsElapsed()) * 1e-6, "1500");
        QVERIFY(settle());
        report("longest stall of the UI thread meanwhile", m_heartbeat.take(), "50");
        for (const auto &[what, target] : {std::pair("... -> first measured run, nothing compiled", "60000"),
                                           std::pair("... -> again, compiled kernels on disk", "2000")}) {
            QSignalSpy measured(&m_window->modelMeasuring(), &document::ModelMeasuring::measured);
            timer.start();
            m_window->modelMeasuring().measure();
            until([&] { return !measured.isEmpty(); });
            report(what, double(timer.nsecsElapsed()) * 1e-6, target);
            QVERIFY(m_window->modelMeasuring().last());
            until([this] { return !m_window->modelMeasuring().isRunning(); });
        }
        QVERIFY(settle());
        report("longest stall of the UI thread meanwhile", m_heartbeat.take(), "50");
        qunsetenv("XDG_CACHE_HOME");
    }

    void cleanupTestCase() { m_window.reset(); }
};

QTEST_MAIN(LatencyTest)
#include "latency_test.moc"
