// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/selection_line.h"

#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/look/axis.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QEvent>

namespace nestwright::forms {

SelectionLine::SelectionLine(const document::Document &document, QWidget *parent)
    : QLabel(parent)
    , m_document(document)
{
    setTextFormat(Qt::RichText);
    setFont(look::interfaceFont(12.5));
    setMinimumHeight(18);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void SelectionLine::refresh()
{
    const document::NestPtr &nest = m_document.nest();
    const document::NestRow *row = nest ? nest->row(m_document.selection().current()) : nullptr;
    const look::Tokens &t = look::tokens(this);
    const QString secondary = t.secondary.name();
    if (!row) {
        setText(QStringLiteral("<span style='color:%1'>%2</span>")
                    .arg(secondary, tr("Select a loop or block to see what can be done with it")));
        return;
    }
    QStringList facts;
    if (row->kind == document::RowKind::Loop) {
        facts << (row->iterations == 1  ? tr("1 iteration")
                  : row->iterations > 1 ? tr("%L1 iterations").arg(row->iterations)
                                        : tr("%1 iterations").arg(row->extent));
        if (!row->role.isEmpty())
            facts << row->role;
    } else {
        facts << tr("block") << row->extent;
    }
    if (!row->origin.isEmpty())
        facts << row->origin;
    const std::size_t count = m_document.selection().all().size();
    if (count > 1)
        facts = {tr("and %1 more selected").arg(count - 1)};
    const auto joined = [&facts] { return facts.join(QStringLiteral(" · ")); };
    const QString whole = row->name + u' ' + joined();
    const int room =
        width() - QFontMetrics(look::codeFont(12.5, QFont::DemiBold)).horizontalAdvance(row->name);
    while (facts.size() > 1 && fontMetrics().horizontalAdvance(QStringLiteral("  ") + joined()) > room)
        facts.removeLast();
    const QString shown = row->name + u' ' + joined();
    setToolTip(shown == whole ? QString() : whole);
    setText(QStringLiteral("<span style=\"font-family:'%1';font-weight:600;color:%2\">%3</span> "
                           "<span style='color:%4'>&nbsp;%5</span>")
                .arg(look::codeFont().family(), look::axisColor(row->axis, t).name(),
                     row->name.toHtmlEscaped(), secondary, joined().toHtmlEscaped()));
}

void SelectionLine::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refresh();
}

} // namespace nestwright::forms
