// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help/glossary.h"

#include <QFile>
#include <QRegularExpression>

#include <utility>

namespace nestwright::app {

namespace {

/// The term of a heading like "Reduction axis (R, reduce axis)".
Term termOf(const QString &heading, const QString &group)
{
    const qsizetype bracket = heading.indexOf(QStringLiteral(" ("));
    Term term;
    term.name = heading.left(bracket);
    if (bracket >= 0)
        term.otherNames = heading.mid(bracket + 2).chopped(1);
    static const QRegularExpression others(QStringLiteral("[^a-z0-9]+"));
    term.id = term.name.toLower().replace(others, QStringLiteral("-"));
    term.group = group;
    return term;
}

QList<Term> readGlossary()
{
    QFile file(QStringLiteral(":/nestwright/help/glossary.md"));
    QList<Term> terms;
    if (!file.open(QIODevice::ReadOnly))
        return terms;
    QString group;
    for (const QString &line : QString::fromUtf8(file.readAll()).split(u'\n')) {
        if (line.startsWith(QStringLiteral("# ")))
            group = line.mid(2);
        else if (line.startsWith(QStringLiteral("## ")))
            terms << termOf(line.mid(3), group);
        else if (!terms.isEmpty())
            terms.back().text += line + u'\n';
    }
    for (Term &term : terms)
        term.text = std::move(term.text).trimmed();
    return terms;
}

} // namespace

const QList<Term> &glossary()
{
    static const QList<Term> terms = readGlossary();
    return terms;
}

} // namespace nestwright::app
