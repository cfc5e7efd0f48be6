// SPDX-License-Identifier: GPL-3.0-or-later
// How models open in the real window: readable, folded, and with the sizes that are asked for.
// NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "app/window/dialogs/sizes_dialog.h"
#include "tests/e2e/model_fixture.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/search_box.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QSpinBox>
#include <QtTest>
#include <algorithm>

using namespace nestwright;
using app::SizesDialog;
using e2e::patience;

class ModelOpeningTest : public QObject, e2e::ModelFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        showModelWindow();
        if (m_window)
            openSqueezenet();
    }
    void cleanupTestCase() { m_window.reset(); }

    void itOpensReadableAndFoldedByTheNamesOfTheFile()
    {
        const canvas::GraphCanvas *graph = m_window->graphCanvas();
        QVERIFY(graph->zoom() >= 0.7);
        QVERIFY(graph->room().contains(graph->nodeRect(0)));
        QCOMPARE(graph->graph().nodes[0].title, QStringLiteral("data_0"));
        const auto has = [&](const char *title) {
            return std::ranges::count(graph->graph().nodes, QString::fromUtf8(title),
                                      &canvas::GraphNode::title)
                   == 1;
        };
        QVERIFY(has("fire2 … fire5  ×2") && has("fire6 … fire9  ×4"));

        // Its nodes are numbered and its tensors too; the weights say what they are.
        QTest::keyClick(m_window->graphCanvas(), Qt::Key_F, Qt::ControlModifier);
        auto *edit = graph->searchBox()->findChild<QLineEdit *>();
        QTest::keyClicks(edit, QStringLiteral("fire2/expand1x1"));
        QCOMPARE(graph->searchBox()->found()->hits.size(), std::size_t{1});
        QTest::keyClick(edit, Qt::Key_Return); // unfolds what it lies in
        QTRY_VERIFY_WITH_TIMEOUT(graph->isLaidOut() && !graph->isPainting(), patience);
        QVERIFY(graph->graph().nodes.size() > 15);
        shoot("model-search");
        edit->setText(QStringLiteral("fire2/expand1x1_w_0")); // the name of a weight
        QCOMPARE(graph->searchBox()->found()->hits.size(), std::size_t{1});
        edit->setText(QStringLiteral("n5")); // … and the file's own of the node
        QVERIFY(!graph->searchBox()->found()->hits.empty());
        QTest::keyClick(edit, Qt::Key_Escape);
        m_window->graphCanvas()->setAllOpen(false);
        QVERIFY(settle());
    }

    void aDeepModelOpensWhereItCanBeRead()
    {
        m_window->open(QStringLiteral("/usr/share/libonnx-testdata/data/light/light_resnet50.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().isOpen()
                                     && m_window->model().model().path.ends_with("resnet50.onnx"),
                                 patience);
        QVERIFY(settle());
        canvas::GraphCanvas *graph = m_window->graphCanvas();
        QVERIFY(graph->zoom() >= 0.7);
        QVERIFY(graph->room().contains(graph->nodeRect(0)));
        const std::size_t shown = graph->graph().nodes.size(); // of more than 60
        QVERIFY2(shown < 35, std::to_string(shown).c_str());
        if (qEnvironmentVariableIsSet("NESTWRIGHT_SHOTS")) // with colours that say where the time goes
            measureModel();
        // The graph alone, in both themes: whole, and near.
        const QList<QDockWidget *> docks = m_window->findChildren<QDockWidget *>();
        for (QDockWidget *dock : docks)
            dock->setVisible(dock->isAncestorOf(graph));
        QTRY_VERIFY_WITH_TIMEOUT(graph->width() > 1000, patience);
        for (const look::Mode mode : {look::Mode::Light, look::Mode::Dark}) {
            m_theme->setMode(mode);
            const QString theme =
                mode == look::Mode::Light ? QStringLiteral("light") : QStringLiteral("dark");
            graph->fit();
            QVERIFY(graph->room().contains(graph->nodeRect(0)));
            QVERIFY(graph->zoom() > 0.38); // with titles, on a screen of 1000 pixels
            shoot(qPrintable(QStringLiteral("resnet-whole-") + theme));
            graph->zoomTo(1);
            graph->reveal(graph->selectedId());
            shoot(qPrintable(QStringLiteral("resnet-near-") + theme));
        }
        m_theme->setMode(look::Mode::Light);
        for (QDockWidget *dock : docks)
            dock->show();
    }

    void openSizesAreAskedFor()
    {
        const QString file = QStringLiteral("examples/models/two_sizes.onnx");
        m_window->open(file);
        const auto shown = [this] {
            auto *found = m_window->findChild<SizesDialog *>();
            return found && found->isVisible() ? found : nullptr;
        };
        QTRY_VERIFY_WITH_TIMEOUT(shown() != nullptr, patience);
        SizesDialog *dialog = shown();
        shoot("model-sizes");
        const QList<QSpinBox *> boxes = dialog->findChildren<QSpinBox *>();
        QCOMPARE(boxes.size(), 2);
        boxes[0]->setValue(3);
        boxes[1]->setValue(5);
        QTest::keyClick(dialog, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().isOpen()
                                     && m_window->model().model().path.ends_with("two_sizes.onnx"),
                                 patience);
        QVERIFY(settle());
        QCOMPARE(m_window->model().model().settings.sizes, (frontend::Sizes{{"batch", 3}, {"length", 5}}));
        m_window->modelMeasuring().measure(); // with these sizes
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->modelMeasuring().isRunning(), patience);
        QVERIFY(m_window->modelMeasuring().last());
        // Other sizes begin with those that it has.
        m_window->commands().trigger(QStringLiteral("graph.sizes"));
        QTRY_VERIFY_WITH_TIMEOUT(shown() != nullptr, patience);
        dialog = shown();
        const QList<QSpinBox *> again = dialog->findChildren<QSpinBox *>();
        QCOMPARE(again[0]->value(), 3);
        QCOMPARE(again[1]->value(), 5);
        again[1]->setValue(7);
        QTest::keyClick(dialog, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->model().model().settings.sizes,
                                  (frontend::Sizes{{"batch", 3}, {"length", 7}}), patience);
        QVERIFY(settle());
    }

    void somethingElseTakesItsPlace()
    {
        m_window->open(QStringLiteral("op:matmul(M=64,N=64,K=64)"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->model().isOpen(), patience);
        QVERIFY(settle());
        QCOMPARE(m_window->model().kernel(), -1);
        QCOMPARE(m_window->graphCanvas()->graph().nodes.size(), std::size_t{4});
    }
};

QTEST_MAIN(ModelOpeningTest)
#include "model_opening_test.moc"
