// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/text.h"

#include <QCoreApplication>
#include <QDir>

namespace nestwright::document {

QString counted(int count, const QString &noun)
{
    return QStringLiteral("%L1 %2%3").arg(count).arg(noun, count == 1 ? QString() : QStringLiteral("s"));
}

QString firstOf(const QStringList &names, int most)
{
    const auto more = static_cast<int>(names.size()) - most;
    const QStringList shown =
        more > 0 ? names.first(most) + QStringList(QCoreApplication::translate("Text", "%1 more").arg(more))
                 : names;
    return shown.join(QStringLiteral(", "));
}

QString sentence(std::string_view text)
{
    QString result = toQt(text);
    if (result.isEmpty())
        return result;
    result[0] = result[0].toUpper();
    if (!QStringLiteral(".!?").contains(result.back()))
        result += u'.';
    return result;
}

QString explanation(const support::Diagnostic &diagnostic)
{
    const QString what = sentence(diagnostic.message), remedy = sentence(diagnostic.hint);
    return remedy.isEmpty() ? what : what + u' ' + remedy;
}

QString fileInFolder(const QString &path)
{
    constexpr qsizetype most = 48;
    const QFileInfo file(path);
    QString folder = file.absolutePath();
    if (const QString home = QDir::homePath();
        home.size() > 1 && (folder == home || folder.startsWith(home + u'/')))
        folder.replace(0, home.size(), QStringLiteral("~"));
    if (folder.size() > most)
        folder = folder.left(most / 2) + u'…' + folder.right(most / 2);
    return QStringLiteral("%1 — %2").arg(file.fileName(), folder);
}

} // namespace nestwright::document
