// SPDX-License-Identifier: GPL-3.0-or-later
/// Watches the file that is open for other programs changing it.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

namespace nestwright::document {

/// Editors write a file in several steps or put another in its place: `changed` comes once, when that is
/// over.
class FileWatch : public QObject {
    Q_OBJECT
public:
    explicit FileWatch(QObject *parent = nullptr);

    /// Empty: nothing is watched.
    void setPath(const QString &path);

Q_SIGNALS:
    void changed();

private:
    void watch();

    QFileSystemWatcher m_watcher; ///< of the file, and of its folder for files that take its place
    QTimer m_wait;
    QString m_path;
    QByteArray m_state; ///< of the file, when it was looked at last
};

} // namespace nestwright::document
