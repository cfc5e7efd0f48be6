// SPDX-License-Identifier: GPL-3.0-or-later
/// Hands for dialogs: their buttons by name, and files that are dropped.
#pragma once

#include <QCoreApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QPushButton>
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
