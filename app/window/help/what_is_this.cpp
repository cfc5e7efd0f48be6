// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help/what_is_this.h"

#include "app/window/help/glossary.h"
#include "app/window/help/help_pages.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/forms/action_strip.h"
#include "widgets/looptree/loop_tree.h"

#include <QApplication>
#include <QCursor>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTextBrowser>

#include <algorithm>
#include <iterator>
#include <span>

namespace nestwright::app {

namespace {

constexpr const char *addressProperty = "helpAddress";

/// Heads of tables that are not called as their term is.
struct HeadTerm {
    const char *head, *address;
};
constexpr HeadTerm headTerms[] = {
    {"time", "term:median-with-95-interval"},
    {"vs naive", "term:unscheduled"},
    {"result", "term:verified"},
    {"change", "term:significant"},
    {"bound", "term:bound-by-memory-bound-by-computing"},
    {"gain", "term:roof"},
    {"peak", "term:of-peak"},
};

QString addressNamed(const QString &name)
{
    for (const auto &[head, address] : headTerms) {
        if (name.compare(QLatin1StringView(head), Qt::CaseInsensitive) == 0)
            return QString::fromLatin1(address);
    }
    for (const Term &term : glossary()) {
        const QStringList others = term.otherNames.split(QStringLiteral(", "));
        if (term.name.compare(name, Qt::CaseInsensitive) == 0 || others.contains(name, Qt::CaseInsensitive))
            return QStringLiteral("term:") + term.id;
    }
    return {};
}

QString headAddress(const QHeaderView &header, const QPoint &at)
{
    const int section = header.logicalIndexAt(header.viewport()->mapFromGlobal(at));
    return section < 0 ? QString()
                       : addressNamed(header.model()->headerData(section, header.orientation()).toString());
}

QString rowAddress(const document::NestRow &row)
{
    if (row.kind == document::RowKind::Function)
        return QStringLiteral("term:kernel");
    if (row.kind == document::RowKind::Block)
        return QStringLiteral("term:block");
    if (row.threads)
        return QStringLiteral("primitive:bind");
    switch (row.run) {
    case ir::ForKind::Parallel: return QStringLiteral("primitive:parallel");
    case ir::ForKind::Vectorized: return QStringLiteral("term:vector");
    case ir::ForKind::Unrolled: return QStringLiteral("primitive:unroll");
    case ir::ForKind::Serial:
    case ir::ForKind::ThreadBinding: break;
    }
    return row.isReduction ? QStringLiteral("term:reduction-axis") : QStringLiteral("term:loop");
}

/// The page that a link of the text leads to.
QString linkAddress(const QString &link) { return findHelpPage(link) ? link : QString(); }

} // namespace

void setHelpAddress(QWidget *widget, const QString &address)
{
    widget->setProperty(addressProperty, address);
}

WhatIsThis::WhatIsThis(const document::Document &document, const forms::ActionStrip &strip, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_strip(strip)
{
}

QString WhatIsThis::addressAt(QWidget *widget, const QPoint &at) const
{
    for (QWidget *each = widget; each; each = each->parentWidget()) {
        QString address;
        if (const auto *header = qobject_cast<const QHeaderView *>(each)) {
            address = headAddress(*header, at);
        } else if (const auto *text = qobject_cast<const QTextBrowser *>(each)) {
            address = linkAddress(text->anchorAt(text->viewport()->mapFromGlobal(at)));
        } else if (const auto *tree = qobject_cast<const looptree::LoopTree *>(each)) {
            const auto &nest = m_document.nest();
            const QPoint place = tree->viewport()->mapFromGlobal(at);
            const auto row = nest ? std::ranges::find_if(nest->rows,
                                                         [&](const document::NestRow &row) {
                                                             return tree->rowRect(row.id).contains(place);
                                                         })
                                  : decltype(nest->rows.begin())();
            if (nest && row != nest->rows.end())
                address = rowAddress(*row);
        } else if (each == &m_strip && m_strip.topic()) {
            address = helpAddress(*m_strip.topic());
        }
        if (address.isEmpty())
            address = each->property(addressProperty).toString();
        if (!address.isEmpty())
            return address;
    }
    return {};
}

QString WhatIsThis::addressAtHand() const
{
    QWidget *focus = QApplication::focusWidget();
    if (const auto *text = qobject_cast<const QTextBrowser *>(focus)) {
        const QString link = linkAddress(text->textCursor().charFormat().anchorHref());
        if (text->textCursor().hasSelection() && !link.isEmpty())
            return link;
    }
    const QPoint at = QCursor::pos();
    QString pointed = addressAt(QApplication::widgetAt(at), at);
    if (!pointed.isEmpty() || !focus)
        return pointed;
    if (qobject_cast<const looptree::LoopTree *>(focus) && m_document.nest()) {
        if (const document::NestRow *row = m_document.nest()->row(m_document.selection().current()))
            return rowAddress(*row);
    }
    return addressAt(focus, QPoint(-1, -1));
}

void WhatIsThis::pick()
{
    if (std::exchange(m_picks, true))
        return;
    QApplication::setOverrideCursor(Qt::WhatsThisCursor);
    qApp->installEventFilter(this);
}

void WhatIsThis::endPicking()
{
    m_picks = false;
    qApp->removeEventFilter(this);
    QApplication::restoreOverrideCursor();
}

bool WhatIsThis::eventFilter(QObject *watched, QEvent *event)
{
    if (!watched->isWidgetType())
        return false;
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        endPicking();
        return true;
    }
    if (event->type() != QEvent::MouseButtonPress)
        return false;
    const QPoint at = static_cast<QMouseEvent *>(event)->globalPosition().toPoint();
    endPicking();
    Q_EMIT picked(addressAt(static_cast<QWidget *>(watched), at), at);
    return true;
}

} // namespace nestwright::app
