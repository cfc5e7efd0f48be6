// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help/help_pages.h"

#include "app/window/help/glossary.h"
#include "core/frontend/model_forms.h"
#include "widgets/document/text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace nestwright::app {

using document::toQt;
using schedule::Field;
using schedule::FieldForm;
using schedule::FieldKind;
using schedule::Primitive;

namespace {

/// The value that a script may write for the argument.
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
        return field.form == FieldForm::AcceptsFormulas
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

QString addressOf(const Term &term) { return QStringLiteral("term:") + term.id; }

/// The terms whose text leads to `address`, without those that `text` leads to.
QString linksFrom(const QString &address, const QString &text)
{
    QStringList terms;
    for (const Term &term : glossary()) {
        if (term.text.contains(u'(' + address + u')') && !text.contains(u'(' + addressOf(term) + u')'))
            terms << QStringLiteral("[%1](%2)").arg(term.name, addressOf(term));
    }
    if (terms.isEmpty())
        return {};
    return QCoreApplication::translate("HelpPages", "\n### See also\n\n%1\n")
        .arg(terms.join(QStringLiteral(" · ")));
}

/// Lemmas on its indices, which are proved.
QString lemmasOf(const Primitive &primitive)
{
    if (primitive.lemmas.empty())
        return {};
    QString text = QCoreApplication::translate("HelpPages", "\n### Indices\n\nProved for all integers:\n");
    for (const schedule::IndexLemma &lemma : primitive.lemmas) {
        const QString then = toQt(lemma.then).replace(u'\n', QStringLiteral("\n    "));
        text += QStringLiteral("\n%1\n\n```\n%2  →\n    %3\n```\n")
                    .arg(toQt(lemma.says), toQt(lemma.given), then);
    }
    return text;
}

QString markdownOf(const Primitive &primitive)
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
    page += lemmasOf(primitive) + linksFrom(helpAddress(primitive), {});
    return page;
}

QString markdownOf(const Term &term)
{
    const QString others =
        term.otherNames.isEmpty()
            ? QString()
            : QCoreApplication::translate("HelpPages", "*Also:* %1\n\n").arg(term.otherNames);
    return QStringLiteral("## %1\n\n%2%3\n").arg(term.name, others, term.text)
           + linksFrom(addressOf(term), term.text);
}

/// The first sentence, without links.
QString summaryOf(const Term &term)
{
    static const QRegularExpression link(QStringLiteral(R"(\[([^\]]*)\]\([^)]*\))"));
    const QString text = QString(term.text).replace(u'\n', u' ').replace(link, QStringLiteral("\\1"));
    const qsizetype end = text.indexOf(QStringLiteral(". "));
    return end < 0 ? text : text.left(end + 1);
}

/// A page for each domain of operators of models: those that are read, and those that are not.
QList<HelpPage> operatorPages()
{
    QList<HelpPage> pages;
    for (const frontend::ModelOperator &each : frontend::modelOperators()) {
        const QString address = QStringLiteral("onnx:") + toQt(each.domain), name = toQt(each.name);
        if (pages.isEmpty() || pages.back().address != address)
            pages << HelpPage{.address = address,
                              .name = toQt(each.domain),
                              .group = QCoreApplication::translate("HelpPages", "Operators of models"),
                              .summary = QCoreApplication::translate(
                                  "HelpPages", "Operators of ONNX models that are read."),
                              .searched = {},
                              .markdown = QCoreApplication::translate(
                                              "HelpPages", "## Operators of %1\n\nOf operator sets %2:\n\n")
                                              .arg(toQt(each.domain), toQt(each.versions))};
        HelpPage &page = pages.back();
        page.searched += u' ' + name;
        page.markdown += each.refusal.empty()
                             ? QStringLiteral("- `%1`\n").arg(name)
                             : QCoreApplication::translate("HelpPages", "- `%1` is not read: %2\n")
                                   .arg(name, toQt(each.refusal));
    }
    return pages;
}

QList<HelpPage> makePages()
{
    QList<HelpPage> pages;
    for (const Primitive &primitive : schedule::primitives())
        pages << HelpPage{.address = helpAddress(primitive),
                          .name = toQt(primitive.name),
                          .group = toQt(schedule::title(primitive.group)),
                          .summary = toQt(primitive.summary),
                          .searched = toQt(primitive.title),
                          .markdown = markdownOf(primitive),
                          .isPrimitive = true};
    for (const Term &term : glossary())
        pages << HelpPage{
            .address = addressOf(term),
            .name = term.name,
            .group = QCoreApplication::translate("HelpPages", "Glossary: %1").arg(term.group.toLower()),
            .summary = summaryOf(term),
            .searched = term.otherNames,
            .markdown = markdownOf(term)};
    return pages + operatorPages();
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

QString helpAddress(const Primitive &primitive)
{
    return QStringLiteral("primitive:") + toQt(primitive.name);
}

const QList<HelpPage> &helpPages()
{
    static const QList<HelpPage> pages = makePages();
    return pages;
}

const HelpPage *findHelpPage(const QString &address)
{
    const auto page = std::ranges::find(helpPages(), address, &HelpPage::address);
    return page == helpPages().end() ? nullptr : &*page;
}

} // namespace nestwright::app
