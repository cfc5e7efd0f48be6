// SPDX-License-Identifier: GPL-3.0-or-later
/// The real window on a display, and hands to drive it. NESTWRIGHT_SHOTS=DIR leaves pictures there.
#pragma once

#include "app/window/frame/main_window.h"
#include "app/window/panes/loop_pane.h"
#include "tests/support/sanitized.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/work/measuring.h"
#include "widgets/forms/action_strip.h"
#include "widgets/look/theme.h"
#include "widgets/looptree/loop_tree.h"

#include <QFile>
#include <QMenu>
#include <QTemporaryDir>
#include <QtTest>

#include <ctime>
#include <utility>
#include <vector>

namespace nestwright::e2e {

constexpr int patience = tests::isSanitized ? 300'000 : 60'000; ///< ms; the machine may be busy

class WindowFixture {
protected:
    QTemporaryDir m_folder;
    std::unique_ptr<look::Theme> m_theme;
    std::unique_ptr<app::MainWindow> m_window;

    QString path(const char *name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    document::Document &document() const { return m_window->document(); }
    looptree::LoopTree *tree() const { return m_window->loopPane()->tree(); }
    forms::ActionStrip *strip() const { return m_window->loopPane()->strip(); }
    /// Waits by the work that is done, not by the clock: on a busy machine a turn is long in coming.
    bool settle() const
    {
        constexpr int slice = 500, mostWork = 5 * patience; // ms
        const auto worked = [](std::clock_t since) {
            return 1000.0 * static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
        };
        const std::clock_t begin = std::clock();
        int idle = 0;
        while (idle < patience && worked(begin) < mostWork) {
            const std::clock_t before = std::clock();
            if (QTest::qWaitFor([this] { return m_window->isSettled(); }, slice))
                return true;
            const bool isAtWork = worked(before) > slice / 100.0;
            idle = isAtWork ? 0 : idle + slice;
        }
        return false;
    }

    /// A picture of the window, or of another.
    void shoot(const char *name, QWidget *window = nullptr) const
    {
        const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS");
        if (folder.isEmpty())
            return;
        QCoreApplication::processEvents(); // layouts that were asked for
        (window ? *window : *m_window)
            .grab()
            .save(folder + u'/' + QString::fromLatin1(name) + QStringLiteral(".png"));
    }

    support::StmtId row(const char *name) const
    {
        for (const document::NestRow &each : document().nest()->rows) {
            if (each.name == QLatin1String(name))
                return each.id;
        }
        return {};
    }

    /// The names of all rows: "i j k C".
    QString order() const
    {
        QStringList names;
        for (const document::NestRow &each : document().nest()->rows)
            names << each.name;
        return names.join(u' ');
    }
    /// Chooses the entry that begins so of the menu that opens next.
    void chooseFromMenu(const QString &begin, const char *picture) const
    {
        QTimer::singleShot(50, m_window.get(), [this, begin, picture] {
            auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
            QVERIFY(menu);
            shoot(picture, menu);
            for (QAction *action : menu->actions()) {
                if (!action->text().startsWith(begin))
                    continue;
                QVERIFY2(action->isEnabled(), qPrintable(begin));
                menu->setActiveAction(action);
                QTest::keyClick(menu, Qt::Key_Return);
                return;
            }
            menu->close();
            QFAIL(qPrintable(begin));
        });
    }
    QString badge(const char *name) const { return document().nest()->row(row(name))->badge; }
    void awaitVariants(int count) const
    {
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), count, patience);
        QVERIFY(settle());
    }

    void click(const char *name) const
    {
        const QRect rect = tree()->rowRect(row(name));
        QVERIFY2(!rect.isNull(), name);
        QTest::mouseClick(tree()->viewport(), Qt::LeftButton, {}, rect.center());
        QCOMPARE(document().selection().current(), row(name));
        QVERIFY(settle());
    }

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const
    {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : m_window.get(), key,
                        modifiers);
        QTest::qWait(1);
    }

    /// With these examples (name and text) in its gallery, and nothing remembered of earlier runs.
    void showWindow(int width, int height, const std::vector<std::pair<const char *, const char *>> &examples)
    {
        QVERIFY(m_folder.isValid());
        QDir(m_folder.path()).mkdir(QStringLiteral("examples"));
        for (const auto &[name, text] : examples) {
            QFile file(m_folder.filePath(QStringLiteral("examples/") + QString::fromLatin1(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        }
        qputenv("NESTWRIGHT_EXAMPLES", m_folder.filePath(QStringLiteral("examples")).toUtf8());
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        m_theme = std::make_unique<look::Theme>(*qApp, look::Mode::Light);
        m_theme->setReducedMotion(true);
        m_window = std::make_unique<app::MainWindow>(
            *m_theme, app::WindowFolders{path("settings.ini"), path("autosave")}, true);
        m_window->measuring().setEffort({2, 0.01});
        m_window->resize(width, height);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_window->activateWindow();
    }
};

} // namespace nestwright::e2e
