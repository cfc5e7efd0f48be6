// SPDX-License-Identifier: GPL-3.0-or-later
// A language model in the real window: it opens folded with sizes that are proposed, its attention is
// scheduled by mouse and measured, and tokens are generated. NESTWRIGHT_SHOTS=DIR leaves pictures there;
// NESTWRIGHT_LANGUAGE_MODEL names another model to do the same with.
#include "app/window/dialogs/sizes_dialog.h"
#include "app/window/tools/tokens_window.h"
#include "tests/e2e/model_fixture.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/search_box.h"
#include "widgets/charts/token_times.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/button.h"

#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QtTest>
#include <algorithm>

using namespace nestwright;
using app::SizesDialog;
using app::TokensWindow;
using e2e::patience;

class LanguageModelTest : public QObject, e2e::ModelFixture {
    Q_OBJECT

    bool isExample() const { return qEnvironmentVariableIsEmpty("NESTWRIGHT_LANGUAGE_MODEL"); }
    QString file() const
    {
        return qEnvironmentVariable("NESTWRIGHT_LANGUAGE_MODEL",
                                    QDir::currentPath()
                                        + QStringLiteral("/examples/models/language_model.onnx"));
    }

private Q_SLOTS:
    void initTestCase() { showModelWindow(); }
    void cleanupTestCase() { m_window.reset(); }

    void itOpensFoldedWithSizesThatFit()
    {
        m_window->open(file());
        const auto dialog = [this] {
            auto *found = m_window->findChild<SizesDialog *>();
            return found && found->isVisible() ? found : nullptr;
        };
        QTRY_VERIFY_WITH_TIMEOUT(dialog() != nullptr, patience);
        shoot("language-sizes");
        QList<int> sizes; // one token behind 128
        for (const QSpinBox *box : dialog()->findChildren<QSpinBox *>())
            sizes << box->value();
        std::ranges::sort(sizes);
        QCOMPARE(sizes, (QList{1, 128, 129}));
        QTest::keyClick(dialog(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().isOpen(), patience);
        QVERIFY(settle());
        m_window->activateWindow();
        QTRY_VERIFY(m_window->isActiveWindow());
        const canvas::GraphCanvas *graph = m_window->graphCanvas();
        QTRY_VERIFY_WITH_TIMEOUT(graph->isLaidOut() && !graph->isPainting(), patience);
        QStringList titles;
        for (const canvas::GraphNode &node : graph->graph().nodes)
            titles << node.title;
        QVERIFY2(graph->graph().nodes.size() < 60, qPrintable(titles.join(u'\n')));
        QVERIFY(graph->zoom() >= 0.7);
        if (!isExample())
            return;
        for (const char *folded :
             {"layers.1 … layers.3  ×3", "past_key_values.0.key … past_key_values.3.key  ×4",
              "present.0.value … present.3.value  ×4"})
            QVERIFY2(titles.contains(QString::fromUtf8(folded)), qPrintable(titles.join(u'\n')));
        shoot("language-folded");
    }

    void itsAttentionIsScheduledAndMeasured()
    {
        measureModel();
        const double before = m_window->modelMeasuring().last()->seconds.median;
        QVERIFY(before > 0);
        // Found by its operator, opened by a click.
        canvas::GraphCanvas *graph = m_window->graphCanvas();
        QTest::keyClick(graph, Qt::Key_F, Qt::ControlModifier);
        auto *edit = graph->searchBox()->findChild<QLineEdit *>();
        QTest::keyClicks(edit, QStringLiteral("op:attention"));
        QVERIFY(!graph->searchBox()->found()->hits.empty());
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(graph->isLaidOut() && !graph->isPainting(), patience);
        QTest::keyClick(edit, Qt::Key_Escape);
        const auto &nodes = graph->graph().nodes;
        const auto attention = std::ranges::find_if(nodes, [](const canvas::GraphNode &node) {
            return node.kind == canvas::NodeKind::Compute && node.title.contains(QStringLiteral("attention"));
        });
        QVERIFY(attention != nodes.end());
        const int place = static_cast<int>(attention - nodes.begin());
        QTest::mouseClick(graph, Qt::LeftButton, {}, graph->nodeRect(place).center().toPoint());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().kernel() >= 0
                                     && m_window->model()
                                            .model()
                                            .program.kernels[std::size_t(m_window->model().kernel())]
                                            .name.contains("attention"),
                                 patience);
        QVERIFY(settle());
        QVERIFY(order().contains(QStringLiteral("mixed")));
        shoot("language-attention");
        // Its outermost loop is split by key.
        const int variants = document().tree().size();
        const QString outermost = document().nest()->rows.front().name;
        click(outermost.toLatin1().constData());
        press(Qt::Key_S);
        press(Qt::Key_Return);
        awaitVariants(variants + 1);
        QVERIFY(settle());
        measureModel();
        QVERIFY(m_window->modelMeasuring().last()->seconds.median > 0);
        QVERIFY(m_window->modelMeasuring().last()->speedup.has_value()); // beside the schedules before
        shoot("language-scheduled");
    }

    void tokensAreTimed()
    {
        m_window->commands().trigger(QStringLiteral("view.tokens"));
        auto *tokens = m_window->findChild<TokensWindow *>();
        QVERIFY(tokens && QTest::qWaitForWindowExposed(tokens));
        QVERIFY(tokens->chart()->times().empty());
        shoot("language-tokens-empty", tokens);
        tokens->tokens()->setValue(isExample() ? 24 : 128);
        QTest::mouseClick(tokens->startButton(), Qt::LeftButton);
        QVERIFY(tokens->decoding().isRunning());
        QCOMPARE(tokens->startButton()->text(), QStringLiteral("Stop"));
        QTRY_VERIFY_WITH_TIMEOUT(!tokens->decoding().isRunning(), patience);
        QCOMPARE(tokens->chart()->times().size(), std::size_t(tokens->tokens()->value()));
        QVERIFY2(tokens->summary()->text().contains(QStringLiteral("tokens per second")),
                 qPrintable(tokens->summary()->text()));
        const QPointF last = tokens->chart()->positionOfItem(tokens->tokens()->value() - 1);
        QVERIFY(QRectF(tokens->chart()->rect()).contains(last));
        shoot("language-tokens", tokens);
        m_theme->setMode(look::Mode::Dark);
        shoot("language-tokens-dark", tokens);
        m_theme->setMode(look::Mode::Light);
        // One may stop; and a model that generates nothing says so.
        tokens->tokens()->setValue(60000);
        QTest::mouseClick(tokens->startButton(), Qt::LeftButton);
        QTest::mouseClick(tokens->startButton(), Qt::LeftButton);
        QVERIFY(!tokens->decoding().isRunning());
        QCOMPARE(tokens->startButton()->text(), QStringLiteral("Generate"));
        m_window->open(QDir::currentPath() + QStringLiteral("/examples/models/transformer_encoder.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(
            m_window->model().isOpen() && m_window->model().model().path.ends_with("encoder.onnx"), patience);
        QVERIFY(settle());
        QTest::mouseClick(tokens->startButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(tokens->summary()->text().contains(QStringLiteral("inputs of past")),
                                 patience);
        shoot("language-tokens-none", tokens);
    }
};

QTEST_MAIN(LanguageModelTest)
#include "language_model_test.moc"
