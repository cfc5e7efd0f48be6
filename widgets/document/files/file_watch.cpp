// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/files/file_watch.h"

#include <QDateTime>
#include <QFileInfo>

namespace nestwright::document {

namespace {

constexpr int settleMs = 250;

/// State of a file, which changes when the file is written or replaced; empty where there is none.
QByteArray stateOf(const QString &path)
{
    const QFileInfo file(path);
    if (!file.exists())
        return {};
    return QByteArray::number(file.size()) + ' '
           + file.lastModified().toUTC().toString(Qt::ISODateWithMs).toUtf8();
}

} // namespace

FileWatch::FileWatch(QObject *parent) : QObject(parent)
{
    m_wait.setSingleShot(true);
    m_wait.setInterval(settleMs);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_wait, qOverload<>(&QTimer::start));
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, &m_wait, qOverload<>(&QTimer::start));
    connect(&m_wait, &QTimer::timeout, this, [this] {
        watch(); // a file that took the place of the one that was watched
        const QByteArray now = stateOf(m_path);
        if (now.isEmpty() || now == m_state)
            return;
        m_state = now;
        Q_EMIT changed();
    });
}

void FileWatch::setPath(const QString &path)
{
    if (path == m_path)
        return;
    const QStringList before = m_watcher.files() + m_watcher.directories();
    if (!before.isEmpty())
        m_watcher.removePaths(before);
    m_wait.stop();
    m_path = path;
    m_state = stateOf(path);
    watch();
}

void FileWatch::watch()
{
    if (m_path.isEmpty())
        return;
    m_watcher.addPath(m_path);
    m_watcher.addPath(QFileInfo(m_path).absolutePath());
}

} // namespace nestwright::document
