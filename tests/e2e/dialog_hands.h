// SPDX-License-Identifier: GPL-3.0-or-later
/// Hands for dialogs: their buttons by name, names of files that are typed, and files that are dropped.
#pragma once

#include <QAbstractItemView>
#include <QApplication>
#include <QCompleter>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTimer>
#include <QUrl>
#include <QtTest>

namespace nestwright::e2e {

/// Null where there is none of that text.
inline QPushButton *button(const QWidget *dialog, const char *text)
{
    for (QPushButton *each : dialog->findChildren<QPushButton *>()) {
        if (each->text().remove(u'&') == QLatin1String(text))
            return each;
    }
    return nullptr;
}

/// Types a name, while it lives, into the file dialog that opens, whose event loop is its own, and presses
/// Enter until the dialog is gone.
class FileNameHand {
public:
    explicit FileNameHand(QString file) : m_file(std::move(file))
    {
        m_timer.callOnTimeout([this] {
            auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            auto *name = dialog ? qobject_cast<QLineEdit *>(dialog->focusWidget()) : nullptr;
            if (!name)
                return;
            if (name->text() != m_file) {
                name->selectAll();
                QTest::keyClicks(name, m_file);
            }
            if (name->completer())
                name->completer()->popup()->hide();
            QTest::keyClick(name, Qt::Key_Return);
        });
        m_timer.start(50);
    }

private:
    QString m_file;
    QTimer m_timer;
};

inline void drop(QWidget *on, const QStringList &files)
{
    QMimeData data;
    QList<QUrl> urls;
    for (const QString &file : files)
        urls << QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter(on->rect().center(), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(on, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(on->rect().center(), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(on, &event);
}

} // namespace nestwright::e2e
