// SPDX-License-Identifier: GPL-3.0-or-later
/// Hands at the keyboard and the mouse that do not wait for what they have set off.
#pragma once

#include "app/window/frame/held_input.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/action_list.h"
#include "widgets/document/files/open_documents.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"

#include <QKeySequence>

#include <vector>

namespace nestwright::e2e {

struct Key {
    int key;
    Qt::KeyboardModifiers modifiers = {};
};

inline QString textOf(const std::vector<Key> &keys)
{
    QStringList names;
    for (const Key &key : keys)
        names << QKeySequence(QKeyCombination(key.modifiers, Qt::Key(key.key))).toString();
    return names.join(u' ');
}

class HandsFixture : protected WindowFixture {
protected:
    static constexpr int judgedMs = 70; ///< a form is checked a moment after it was changed

    /// Into the widget with the focus; an open popup takes all keys, as it does from a real keyboard, before
    /// the display has given it the focus.
    void type(const Key &key) const
    {
        QWidget *focus = QApplication::focusWidget();
        if (QWidget *popup = QApplication::activePopupWidget())
            focus = popup->focusWidget() ? popup->focusWidget() : popup;
        QTest::keyClick(focus ? focus : m_window.get(), Qt::Key(key.key), key.modifiers);
    }
    void clickRow(const char *name, Qt::KeyboardModifiers modifiers = {}) const
    {
        QTest::mouseClick(tree()->viewport(), Qt::LeftButton, modifiers, tree()->rowRect(row(name)).center());
    }
    void doubleClickAt(QWidget *widget, const QPoint &at) const
    {
        QTest::mouseClick(widget, Qt::LeftButton, {}, at);
        QTest::mouseDClick(widget, Qt::LeftButton, {}, at);
    }
    look::CardHeader *header(const char *dock) const
    {
        auto *found = m_window->findChild<look::CardDock *>(QString::fromLatin1(dock));
        return found ? found->header() : nullptr;
    }

    /// The steps of all variants behind the unscheduled program, refused ones marked.
    QStringList made() const
    {
        QStringList labels;
        for (const session::Variant &variant : document().tree().all()) {
            if (!variant.isRoot())
                labels << (variant.ok() ? QString() : QStringLiteral("refused: "))
                              + QString::fromStdString(variant.label);
        }
        return labels;
    }
    QStringList madeAndCurrent() const
    {
        return made() + QStringList{QStringLiteral("at %1").arg(document().currentId().value)};
    }

    /// Reason why the window is not settled, for a person.
    QString whatGoesOn() const
    {
        const auto *held = m_window->findChild<app::HeldInput *>();
        return QStringLiteral("busy %1, jobs %2, strip waits %3, held %4, actions current %5, measuring %6, "
                              "graph painting %7, form %8")
            .arg(document().isBusy())
            .arg(document().jobs().runningCount())
            .arg(strip()->isWaiting())
            .arg(held ? held->count() : -1)
            .arg(m_window->actions().isCurrent())
            .arg(m_window->measuring().isRunning())
            .arg(m_window->graphCanvas()->isPainting())
            .arg(strip()->form() != nullptr);
    }
    void settleBehind(const QString &told) const
    {
        QTest::qWait(judgedMs);
        if (!settle())
            qFatal("it does not settle behind %s: %s", qPrintable(told), qPrintable(whatGoesOn()));
    }

    /// Says what a deed has met, where NESTWRIGHT_HANDS_LOG is set: for who looks for what came between
    /// hands.
    void note(const QString &deed) const
    {
        if (!qEnvironmentVariableIsSet("NESTWRIGHT_HANDS_LOG"))
            return;
        const QWidget *focus = QApplication::focusWidget(), *popup = QApplication::activePopupWidget();
        const auto *held = m_window->findChild<app::HeldInput *>();
        QStringList selected;
        for (const support::StmtId id : document().selection().all())
            selected << QString::number(id.value);
        qInfo().noquote() << deed << "| focus" << (focus ? focus->metaObject()->className() : "none")
                          << "popup" << (popup ? popup->metaObject()->className() : "none") << "held"
                          << (held ? held->count() : -1) << "busy" << document().isBusy() << "at"
                          << document().currentId().value << "of" << document().tree().size()
                          << document().title() << "selected" << selected.join(u' ');
    }

    /// Opens matmul under names that were not open yet, in this order, with nothing else open; the first is
    /// worked on, its outermost loop selected, the keys are the tree's.
    void openAnew(const std::vector<const char *> &names)
    {
        ++m_opened;
        const int before = m_window->documents().count();
        for (const char *name : names) {
            const QString file =
                m_folder.filePath(QStringLiteral("%1-%2.py").arg(QLatin1String(name)).arg(m_opened));
            QVERIFY(QFile::copy(m_folder.filePath(QStringLiteral("examples/matmul.py")), file));
            m_window->open(file);
            QTRY_VERIFY_WITH_TIMEOUT(document().title() == QFileInfo(file).fileName() && !document().isBusy(),
                                     patience);
            QVERIFY(settle());
        }
        m_window->documents().activate(before);
        QVERIFY(settle());
        for (int i = before; i > 0; --i)
            m_window->documents().close(0);
        document().selection().select(row("i"));
        QVERIFY(settle());
        tree()->setFocus();
    }

private:
    int m_opened = 0;
};

} // namespace nestwright::e2e
