// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/tab_row.h"

#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace nestwright::look {

namespace {
constexpr int tabGap = 12;
constexpr int leastTab = 30; ///< "lo…"
QFont tabFont(bool current) { return interfaceFont(12, current ? QFont::DemiBold : QFont::Normal); }
} // namespace

TabRow::TabRow(QWidget *parent)
    : QWidget(parent)
    , AccessibleItems(QAccessible::PageTabList, QAccessible::PageTab)
{
    setAccessibleName(tr("Views"));
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

void TabRow::setTabs(const QStringList &tabs, int current)
{
    m_tabs.clear();
    for (const QString &text : tabs)
        m_tabs.push_back({.text = text});
    setCurrent(current);
    measure();
}

void TabRow::measure()
{
    const QFontMetrics bold(tabFont(true));
    for (Tab &tab : m_tabs)
        tab.width = bold.horizontalAdvance(tab.text) + tabGap;
    updateGeometry();
    update();
}

void TabRow::setCurrent(int index)
{
    m_current = index;
    tellChosenItem(*this, index);
    updateGeometry();
    update();
}

void TabRow::setUnavailable(int index, const QString &reason)
{
    m_tabs.at(static_cast<std::size_t>(index)).reason = reason;
    update();
}

bool TabRow::isAccessibleEnabled(int index) const
{
    return m_tabs[static_cast<std::size_t>(index)].reason.isEmpty();
}

/// The chosen one, and why others cannot be chosen.
QString TabRow::accessibleSummary() const
{
    QStringList told;
    for (int i = 0; i < count(); ++i) {
        const Tab &tab = m_tabs[static_cast<std::size_t>(i)];
        if (i == m_current)
            told.prepend(tab.text);
        else if (!tab.reason.isEmpty())
            told << tr("%1: %2").arg(tab.text, tab.reason);
    }
    return told.join(QStringLiteral("; "));
}

/// The width of a tab that is cut short: the current one is not.
int TabRow::leastWidth(int index) const
{
    const int width = m_tabs[static_cast<std::size_t>(index)].width;
    return index == m_current ? width : std::min(width, leastTab);
}

QRect TabRow::tabRect(int index) const
{
    const int missing = std::max(0, sizeHint().width() - width());
    const int spare = std::max(1, sizeHint().width() - minimumSizeHint().width());
    int x = 0, right = 0;
    for (int i = 0; i <= index; ++i) {
        const int whole = m_tabs[static_cast<std::size_t>(i)].width;
        x = right;
        right += whole - (std::min(missing, spare) * (whole - leastWidth(i)) + spare - 1) / spare;
    }
    return {x, 0, right - x, height()};
}

bool TabRow::isCut(int index) const
{
    return tabRect(index).width() < m_tabs[static_cast<std::size_t>(index)].width;
}

QSize TabRow::sizeHint() const
{
    int width = 0;
    for (const Tab &tab : m_tabs)
        width += tab.width;
    return {width, m_tabs.empty() ? 0 : 24};
}

QSize TabRow::minimumSizeHint() const
{
    int width = 0;
    for (int i = 0; i < count(); ++i)
        width += leastWidth(i);
    return {width, sizeHint().height()};
}

int TabRow::at(const QPoint &point) const
{
    for (int i = 0; i < count(); ++i) {
        if (tabRect(i).contains(point))
            return i;
    }
    return -1;
}

void TabRow::choose(int index)
{
    if (index < 0 || index >= count() || index == m_current
        || !m_tabs[static_cast<std::size_t>(index)].reason.isEmpty())
        return;
    setCurrent(index);
    Q_EMIT chosen(index);
}

void TabRow::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens &t = tokens(this);
    for (int i = 0; i < count(); ++i) {
        const Tab &tab = m_tabs[static_cast<std::size_t>(i)];
        const QRect place = tabRect(i);
        const bool current = i == m_current;
        painter.setFont(tabFont(current));
        painter.setPen(!tab.reason.isEmpty() ? t.faint
                       : current             ? t.link
                       : i == m_hovered      ? t.text
                                             : t.secondary);
        painter.drawText(
            place, Qt::AlignCenter,
            isCut(i) ? painter.fontMetrics().elidedText(tab.text, Qt::ElideRight, place.width() - tabGap / 2)
                     : tab.text);
        if (current && hasFocus()) {
            painter.setPen(QPen(t.accent, 1.25));
            painter.drawRoundedRect(QRectF(place).adjusted(1, 2, -1, -2), 4, 4);
        }
    }
}

void TabRow::mousePressEvent(QMouseEvent *event)
{
    const int index = at(event->position().toPoint());
    if (event->button() == Qt::LeftButton && index >= 0)
        choose(index);
    else
        event->ignore();
}

void TabRow::mouseMoveEvent(QMouseEvent *event)
{
    const int index = at(event->position().toPoint());
    if (index != m_hovered) {
        m_hovered = index;
        update();
    }
}

void TabRow::leaveEvent(QEvent *)
{
    m_hovered = -1;
    update();
}

void TabRow::keyPressEvent(QKeyEvent *event)
{
    const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (!step)
        return QWidget::keyPressEvent(event);
    int next = m_current + step;
    while (next >= 0 && next < count() && !m_tabs[static_cast<std::size_t>(next)].reason.isEmpty())
        next += step;
    choose(next);
}

bool TabRow::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const int index = at(help->pos());
        QString text = index < 0 ? QString() : m_tabs[static_cast<std::size_t>(index)].reason;
        if (index >= 0 && text.isEmpty() && isCut(index))
            text = m_tabs[static_cast<std::size_t>(index)].text;
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        measure();
    return QWidget::event(event);
}

} // namespace nestwright::look
