// SPDX-License-Identifier: GPL-3.0-or-later
// Cards as docks of a window: the header drags, floats and says the title; the state of the window is
// restored. NESTWRIGHT_SHOTS=DIR also leaves a picture of all panes together there.
#include "widgets/canvas/graph_canvas.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/code/code_view.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/theme.h"

#include <QDir>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QSignalSpy>
#include <QToolBar>
#include <QtTest>

using namespace nestwright;

namespace {

look::CardDock *addDock(QMainWindow &window, const QString &title, QWidget *content, Qt::DockWidgetArea area)
{
    auto *dock = new look::CardDock(title, title.toLower().replace(' ', '-'), &window);
    dock->setContent(content);
    window.addDockWidget(area, dock);
    return dock;
}

QWidget *gap(int width)
{
    auto *widget = new QWidget;
    widget->setFixedWidth(width);
    return widget;
}

QToolBar *makeToolBar()
{
    auto *bar = new QToolBar;
    bar->setMovable(false);
    auto *name = new QLabel("matmul.py");
    name->setFont(look::interfaceFont(14, QFont::DemiBold));
    bar->addWidget(name);
    auto *shape = new QLabel("  main · 1024×1024×1024 float32");
    shape->setProperty("role", "secondary");
    bar->addWidget(shape);
    bar->addWidget(gap(24));
    const auto add = [&](look::Button *button) {
        bar->addWidget(button);
        return button;
    };
    add(new look::Button("Open"))->setMenu(new QMenu(bar));
    add(new look::Button("Examples"))->setMenu(new QMenu(bar));
    auto *target = add(new look::Button("llvm  znver4 · 2 threads"));
    target->setCaption("Target");
    target->setMenu(new QMenu(bar));
    add(new look::Button(""))->setIcon(look::icon("undo"));
    add(new look::Button(""))->setIcon(look::icon("redo"));
    auto *spring = new QWidget;
    spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(spring);
    add(new look::Button("Tune"));
    add(new look::Button("Measure", nullptr, look::Button::Kind::Primary))->setKey("M");
    add(new look::Button("Export…"));
    return bar;
}

} // namespace

class DockTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_theme = new look::Theme(*qApp, look::Mode::Light); }

    void stateIsRestored()
    {
        QByteArray state;
        for (const bool second : {false, true}) {
            QMainWindow window;
            window.resize(800, 600);
            auto *left = addDock(window, "Loops", new QWidget, Qt::LeftDockWidgetArea);
            auto *right = addDock(window, "Loop nest", new QWidget, Qt::RightDockWidgetArea);
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            QCOMPARE(left->header()->title(), QString("Loops"));
            QVERIFY(left->widget()->geometry().top() >= left->header()->geometry().bottom());
            QVERIFY(left->widget()->isVisible());
            if (second) {
                QVERIFY(window.restoreState(state));
                QVERIFY(!right->isVisible());
                QVERIFY(left->isVisible());
            } else {
                right->hide();
                state = window.saveState();
            }
        }
    }

    /// The window decides on its effect.
    void doubleClickOnTheHeaderIsTold()
    {
        QMainWindow window;
        window.resize(800, 600);
        window.setCentralWidget(new QWidget);
        auto *dock = addDock(window, "Loops", new QWidget, Qt::LeftDockWidgetArea);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QSignalSpy told(dock->header(), &look::CardHeader::doubleClicked);
        QTest::mouseDClick(dock->header(), Qt::LeftButton, {}, {60, 12});
        QCOMPARE(told.size(), 1);
        QTest::qWait(50);
        QVERIFY(!dock->isFloating());
    }

    void picture()
    {
        const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS");
        jobs::JobRunner jobs(1);
        for (const look::Mode mode : {look::Mode::Light, look::Mode::Dark}) {
            m_theme->setMode(mode);
            // The tool bar from edge to edge, the docks with a margin around them.
            QMainWindow outer;
            outer.resize(1366, 768);
            outer.addToolBar(makeToolBar());
            auto &window = *new QMainWindow;
            window.setWindowFlags(Qt::Widget);
            window.setContentsMargins(10, 10, 10, 10);
            window.setDockNestingEnabled(true);
            outer.setCentralWidget(&window);
            auto *canvas = new canvas::GraphCanvas(jobs);
            canvas->setGraph(
                {{},
                 {{1, "A", "1024×1024 f32", canvas::NodeKind::Input, {}, -1, {}},
                  {2, "C  matmul", "sum over k · 2.15 GFLOP", canvas::NodeKind::Compute, {}, -1, {}}},
                 {{1, 2, "1024×1024 f32", {}}},
                 {}});
            auto *code = new code::CodeView("Loop nest");
            code->setSource({"for i in T.serial(32):\n    for j in T.vectorized(4):\n        C[i] = 0.0\n",
                             code::Language::TvmScript,
                             {{support::StmtId{1}, 1, 2, 0}},
                             {}});
            code->setHighlighted({support::StmtId{1}});
            auto *bars = new charts::VariantBars;
            charts::BarData data;
            for (int i = 0; i < 6; ++i)
                data.bars.push_back({i,
                                     QString("step %1").arg(i),
                                     10.0 + i * 18,
                                     9.0 + i * 18,
                                     11.0 + i * 18,
                                     charts::Outcome::Measured,
                                     {}});
            data.references = {{"machine peak", 232, charts::Reference::Kind::Peak}};
            data.current = 5;
            bars->setData(data);
            auto *graphDock = addDock(window, "Graph", canvas, Qt::TopDockWidgetArea);
            auto *nest = addDock(window, "Loop nest", code, Qt::TopDockWidgetArea);
            auto *source =
                addDock(window, "Target source", new code::CodeView("Source"), Qt::TopDockWidgetArea);
            source->header()->setTabs({"asm", "LLVM IR", "C", "CUDA", "PTX", "OpenCL"});
            graphDock->header()->setSecondary("2 nodes · 1 kernel");
            nest->header()->setSecondary("TVMScript · diff to parent");
            addDock(window, "Variants", bars, Qt::BottomDockWidgetArea);
            addDock(window, "Roofline", new charts::Roofline, Qt::BottomDockWidgetArea);
            outer.show();
            QVERIFY(QTest::qWaitForWindowExposed(&outer));
            window.resizeDocks({graphDock, nest, source}, {300, 500, 500}, Qt::Horizontal);
            QTRY_VERIFY(canvas->isLaidOut());
            canvas->setSelected(2);
            QTest::qWait(50);
            const QPixmap shot = outer.grab();
            QVERIFY(outer.minimumSizeHint().width() <= 1366 && outer.minimumSizeHint().height() <= 768);
            if (!folder.isEmpty())
                QVERIFY(shot.save(
                    QDir(folder).filePath(mode == look::Mode::Dark ? "docks-dark.png" : "docks-light.png")));
        }
        m_theme->setMode(look::Mode::Light);
    }

private:
    look::Theme *m_theme = nullptr;
};

QTEST_MAIN(DockTest)
#include "dock_test.moc"
