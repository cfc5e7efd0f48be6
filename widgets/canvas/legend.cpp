// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/legend.h"

#include "widgets/canvas/paint/graph_painter.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace nestwright::canvas {

namespace {
constexpr int steps = 5, stepWidth = 12, swatchHeight = 8, gap = 6;
}

Legend::Legend(QWidget *parent) : QWidget(parent), AccessibleItems(QAccessible::StaticText)
{
    setFont(look::interfaceFont(11));
    setAttribute(Qt::WA_TransparentForMouseEvents);
}

void Legend::setEnds(const QString &low, const QString &high)
{
    m_low = low;
    m_high = high;
    setAccessibleName(tr("Colours from %1 to %2").arg(low, high));
    updateGeometry();
    update();
}

QSize Legend::sizeHint() const
{
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(m_low) + metrics.horizontalAdvance(m_high) + steps * stepWidth + 2 * gap
                + 2,
            metrics.height()};
}

QRect Legend::bar() const
{
    const QFontMetrics metrics(font());
    const int left = metrics.horizontalAdvance(m_low) + gap;
    const int room = width() - left - metrics.horizontalAdvance(m_high) - gap;
    return {left, (height() - swatchHeight) / 2, std::clamp(room, 0, steps * stepWidth), swatchHeight};
}

void Legend::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const look::Tokens &t = look::tokens(this);
    painter.setPen(t.secondary);
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, m_low);
    painter.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter, m_high);
    const QRect all = bar();
    for (int i = 0; i < steps; ++i) {
        const int from = all.left() + i * all.width() / steps,
                  to = all.left() + (i + 1) * all.width() / steps;
        painter.fillRect(QRect(from, all.top(), to - from, all.height()),
                         shadeColor(t, static_cast<double>(i) / (steps - 1)));
    }
    painter.setPen(t.hairline);
    painter.drawRect(all.adjusted(0, 0, -1, -1));
}

} // namespace nestwright::canvas
