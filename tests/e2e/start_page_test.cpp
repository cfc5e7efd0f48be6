// SPDX-License-Identifier: GPL-3.0-or-later
// The page that the window begins with: its examples by mouse and by keys, a model among them.
#include "app/window/controllers/examples.h"
#include "app/window/panes/start_page.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/document/model.h"
#include "widgets/look/theme.h"

#include <QAbstractButton>
#include <QDir>
#include <QMenu>

using namespace nestwright;
using e2e::patience;

class StartPageTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    QAbstractButton *card(const QString &name) const
    {
        for (QAbstractButton *button : m_window->findChildren<QAbstractButton *>()) {
            if (button->text() == name && button->isVisible())
                return button;
        }
        return nullptr;
    }

    /// A window in which nothing is open.
    void startAnew(int width, int height)
    {
        m_window.reset();
        showWindow(width, height, {});
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(QFile::link(QDir(QStringLiteral("examples")).absolutePath(), path("examples")));
    }

    void cleanupTestCase() { m_window.reset(); }

    void everyExampleIsDescribed()
    {
        qputenv("NESTWRIGHT_EXAMPLES", path("examples").toUtf8());
        const std::vector<app::Example> examples = app::examples();
        QCOMPARE(std::ranges::count_if(examples, &app::Example::isModel), 1);
        for (const app::Example &example : examples) {
            QVERIFY2(QFile::exists(example.path), qPrintable(example.path));
            QVERIFY2(example.description.endsWith(u'.'), qPrintable(example.name));
        }
    }

    /// The menu has kernels for GPUs, and of the kernel that is open the schedules that come with it.
    void schedulesOfAnExample()
    {
        qputenv("NESTWRIGHT_EXAMPLES", path("examples").toUtf8());
        for (const app::Example &kernel : app::gpuExamples())
            QVERIFY2(kernel.description.endsWith(u'.'), qPrintable(kernel.name));
        const QString matmul = path("examples") + QStringLiteral("/matmul.py");
        const QDir ladder(path("examples/schedules/matmul"));
        QCOMPARE(qsizetype(app::schedulesOf(matmul).processors.size()),
                 ladder.entryList({QStringLiteral("*.py")}, QDir::Files).size());
        for (const app::Example &rung : app::schedulesOf(matmul).gpus)
            QVERIFY2(rung.description.contains(u'.'), qPrintable(rung.name));
        QVERIFY(app::schedulesOf(path("matmul.py")).gpus.empty()); // somebody's own file
        startAnew(1366, 768);
        QTest::mouseClick(card(QStringLiteral("matmul")), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QAction *rung = nullptr;
        for (QMenu *menu : m_window->findChildren<QMenu *>())
            Q_EMIT menu->aboutToShow(); // which fills it
        for (QMenu *menu : m_window->findChildren<QMenu *>()) {
            for (QAction *action : menu->actions())
                rung = action->text() == QStringLiteral("1 shared memory") ? action : rung;
        }
        QVERIFY(rung);
        rung->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(document().tree().size() > 10 && !document().isBusy(), patience);
        QVERIFY(settle());
    }

    void theCardsFitAndCanBeRead()
    {
        for (const auto &[width, height] : {std::pair{1366, 768}, std::pair{1600, 1000}}) {
            startAnew(width, height);
            for (const app::Example &example : app::examples()) {
                const QAbstractButton *button = card(example.name);
                QVERIFY2(button, qPrintable(example.name));
                QVERIFY(m_window->rect().contains(
                    QRect(button->mapTo(m_window.get(), QPoint()), button->size())));
            }
            m_theme->setMode(look::Mode::Dark);
            shoot(qPrintable(QStringLiteral("start-dark-%1").arg(width)));
            m_theme->setMode(look::Mode::Light);
            shoot(qPrintable(QStringLiteral("start-light-%1").arg(width)));
        }
    }

    void aModelOpensByClick()
    {
        startAnew(1366, 768);
        QAbstractButton *model = card(QStringLiteral("transformer_encoder"));
        QVERIFY(model);
        QVERIFY(model->accessibleDescription().startsWith(QStringLiteral("ONNX model. ")));
        QTest::mouseClick(model, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().isOpen() && document().isOpen(), patience);
        QVERIFY(settle());
        shoot("start-model-open");
    }

    void aModelOpensByKeys()
    {
        startAnew(1366, 768);
        QAbstractButton *model = card(QStringLiteral("transformer_encoder"));
        QVERIFY(model);
        const auto isOnCard = [model] {
            return QApplication::focusWidget()
                   && QApplication::focusWidget()->parentWidget() == model->parentWidget();
        };
        for (int i = 0; i < 60 && !isOnCard(); ++i) // the cards are one stop, with arrows among them
            press(Qt::Key_Tab);
        QVERIFY(isOnCard());
        for (const Qt::Key key :
             {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down, Qt::Key_Left, Qt::Key_Left, Qt::Key_Down,
              Qt::Key_Right, Qt::Key_Right, Qt::Key_Down, Qt::Key_Left, Qt::Key_Left}) {
            if (!model->hasFocus())
                press(key);
        }
        QVERIFY(model->hasFocus());
        press(Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().isOpen() && document().isOpen(), patience);
        QVERIFY(settle());
    }
};

QTEST_MAIN(StartPageTest)
#include "start_page_test.moc"
