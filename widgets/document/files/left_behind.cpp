// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/files/left_behind.h"

#include "core/session/files/project_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLockFile>

#include <algorithm>

namespace nestwright::document {

namespace {

const QString ending = QStringLiteral(".about");

QString withEnding(const QString &file, const QString &with)
{
    return file.left(file.lastIndexOf(u'.')) + with;
}

/// The stamp with its numbers as text: numbers of JSON hold no 64 bits.
QJsonObject toJson(const support::FileStamp &stamp)
{
    return {{QStringLiteral("device"), QString::number(stamp.device)},
            {QStringLiteral("inode"), QString::number(stamp.inode)},
            {QStringLiteral("size"), QString::number(stamp.size)},
            {QStringLiteral("modified"), QString::number(stamp.modified)},
            {QStringLiteral("content"), QString::number(stamp.content)}};
}

support::FileStamp stampFrom(const QJsonObject &json)
{
    return {.device = json[u"device"].toString().toULongLong(),
            .inode = json[u"inode"].toString().toULongLong(),
            .size = json[u"size"].toString().toULongLong(),
            .modified = json[u"modified"].toString().toLongLong(),
            .content = json[u"content"].toString().toULongLong()};
}

LeftBehind read(const QFileInfo &info)
{
    LeftBehind left;
    left.about = info.absoluteFilePath();
    left.when = info.lastModified();
    const QString session = withEnding(left.about, QString::fromLatin1(session::projectExtension));
    if (const QFileInfo file(session); file.isFile()) {
        left.session = session;
        left.when = file.lastModified();
    }
    QFile file(left.about);
    const QJsonObject json =
        file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
    left.title = json[u"title"].toString();
    left.origin = json[u"origin"].toString();
    left.crashed = !json[u"ended"].toBool();
    left.sessionOrigin = {json[u"session"].toString(), true, {}, false};
    if (json.contains(u"stamp"))
        left.sessionOrigin.onDisk = stampFrom(json[u"stamp"].toObject());
    return left;
}

} // namespace

QString aboutOf(const QString &session) { return withEnding(session, ending); }

QString lockOf(const QString &file) { return withEnding(file, QStringLiteral(".lock")); }

QByteArray describe(const LeftBehind &left)
{
    QJsonObject json{{QStringLiteral("title"), left.title},
                     {QStringLiteral("origin"), left.origin},
                     {QStringLiteral("session"), left.sessionOrigin.path},
                     {QStringLiteral("ended"), !left.crashed}};
    if (left.sessionOrigin.onDisk)
        json[u"stamp"] = toJson(*left.sessionOrigin.onDisk);
    return QJsonDocument(json).toJson();
}

std::vector<LeftBehind> leftBehindIn(const QString &folder)
{
    // Earlier releases wrote no descriptions.
    QStringList abouts;
    const QStringList names{QStringLiteral("session-*.about"), QStringLiteral("session-*.nest")};
    for (const QFileInfo &file : QDir(folder).entryInfoList(names, QDir::Files))
        abouts << aboutOf(file.absoluteFilePath());
    abouts.removeDuplicates();
    std::vector<LeftBehind> found;
    for (const QString &about : std::as_const(abouts)) {
        QLockFile lock(lockOf(about));
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0)) // its program still runs
            continue;
        LeftBehind left = read(QFileInfo(about));
        if (!left.session.isEmpty() || !left.origin.isEmpty())
            found.push_back(std::move(left));
    }
    std::ranges::sort(found, std::ranges::greater(), &LeftBehind::when);
    return found;
}

} // namespace nestwright::document
