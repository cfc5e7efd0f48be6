// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help_pages.h"
#include "widgets/document/text.h"

#include <QStringList>

namespace nestwright::app {

using document::toQt;
using schedule::Field;
using schedule::FieldKind;
using schedule::Primitive;

namespace {

/// What a script may write for the argument.
QString takes(const Field &field)
{
    switch (field.kind) {
    case FieldKind::Block: return QStringLiteral("a block");
    case FieldKind::Loop: return QStringLiteral("a loop");
    case FieldKind::BlockOrLoop: return QStringLiteral("a block or loop");
    case FieldKind::Loops: return QStringLiteral("loops");
    case FieldKind::Blocks: return QStringLiteral("a list of blocks");
    case FieldKind::Int: return QStringLiteral("an integer");
    case FieldKind::Ints: return QStringLiteral("a list of integers");
    case FieldKind::OptionalInts:
        return field.formulas
                   ? QStringLiteral(
                         "a list of integers and formulas like 4 * T.vscale(), one of them may be None")
                   : QStringLiteral("a list of integers, one of them may be None");
    case FieldKind::Bool: return QStringLiteral("True or False");
    case FieldKind::BufferIndex: return QStringLiteral("a buffer's position, or its name");
    case FieldKind::BufferRef: return QStringLiteral("(\"read\" or \"write\", position), or a buffer's name");
    case FieldKind::IndexMap: return QStringLiteral("a lambda from indices to indices");
    case FieldKind::AnnotationValue: return QStringLiteral("a number, text, list or None");
    case FieldKind::Choice: {
        QStringList choices;
        for (const std::string_view choice : field.choices)
            choices << u'"' + toQt(choice) + u'"';
        return QStringLiteral("one of ") + choices.join(QStringLiteral(", "));
    }
    default: return QStringLiteral("text");
    }
}

} // namespace

QString signature(const Primitive &primitive)
{
    QStringList arguments;
    for (const Field &field : primitive.fields) {
        QString argument = toQt(field.name);
        if (field.kind == FieldKind::Loops)
            argument.prepend(u'*');
        else if (field.fallback)
            argument += u'=' + QString::fromStdString(schedule::str(*field.fallback));
        arguments << argument;
    }
    return toQt(primitive.name) + u'(' + arguments.join(QStringLiteral(", ")) + u')';
}

QString helpPage(const Primitive &primitive)
{
    QString page = QStringLiteral("## %1\n\n```\n%2\n```\n\n%3\n\n%4\n")
                       .arg(toQt(primitive.title), signature(primitive), toQt(primitive.summary),
                            toQt(primitive.documentation));
    if (!primitive.fields.empty())
        page += QStringLiteral("\n### Arguments\n\n");
    for (const Field &field : primitive.fields) {
        page += QStringLiteral("- `%1`: %2").arg(toQt(field.name), takes(field));
        if (field.fallback)
            page += QStringLiteral(", by default `%1`")
                        .arg(QString::fromStdString(schedule::str(*field.fallback)));
        page += QStringLiteral(". %1\n").arg(toQt(field.help));
    }
    return page;
}

} // namespace nestwright::app
