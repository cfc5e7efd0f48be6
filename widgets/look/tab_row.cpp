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

namespace nestwright::look {

namespace {
constexpr int gap = 12;
QFont tabFont(bool current) { return interfaceFont(12, current ? QFont::DemiBold : QFont::Normal); }
} // namespace

TabRow::TabRow(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void TabRow::setTabs(const QStringList &tabs, int current)
{
    m_tabs.clear();
    const QFontMetrics bold(tabFont(true));
    for (const QString &text : tabs)
        m_tabs.push_back({text, {}, bold.horizontalAdvance(text) + gap});
    setCurrent(current);
    updateGeometry();
}

void TabRow::setCurrent(int index)
{
    m_current = index;
    setAccessibleName(index >= 0 && index < count() ? m_tabs[static_cast<std::size_t>(index)].text
                                                    : QString());
    update();
}

void TabRow::setUnavailable(int index, const QString &reason)
{
    m_tabs.at(static_cast<std::size_t>(index)).reason = reason;
    update();
}

QRect TabRow::tabRect(int index) const
{
    int x = 0;
    for (int i = 0; i < index; ++i)
        x += m_tabs[static_cast<std::size_t>(i)].width;
    return {x, 0, m_tabs[static_cast<std::size_t>(index)].width, height()};
}

QSize TabRow::sizeHint() const
{
    int width = 0;
    for (const Tab &tab : m_tabs)
        width += tab.width;
    return {width, m_tabs.empty() ? 0 : 24};
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
        painter.drawText(place, Qt::AlignCenter, tab.text);
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
        QToolTip::showText(help->globalPos(),
                           index < 0 ? QString() : m_tabs[static_cast<std::size_t>(index)].reason, this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace nestwright::look
