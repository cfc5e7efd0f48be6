// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/player/reuse_legend.h"

#include "widgets/look/tokens.h"
#include "widgets/player/reuse_colors.h"

#include <QPainter>

namespace nestwright::player {

namespace {
constexpr int square = 11, squareGap = 5, entryGap = 14, side = 8;
}

ReuseLegend::ReuseLegend(const QStringList &classes, QWidget *parent)
    : QWidget(parent)
    , AccessibleItems(QAccessible::StaticText)
    , m_classes(classes)
{
    setAccessibleName(tr("Cache lines touched since the last touch"));
    setToolTip(tr(
        "Colour of an element: how many other cache lines were touched between its line's last touch and the "
        "one before; pale where that was some steps ago. A frame: touched by this step, thick where "
        "written."));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QString ReuseLegend::accessibleSummary() const { return m_classes.join(QStringLiteral(", ")); }

QSize ReuseLegend::sizeHint() const
{
    int width = 2 * side;
    for (const QString &text : m_classes)
        width += square + squareGap + fontMetrics().horizontalAdvance(text) + entryGap;
    return {width, fontMetrics().lineSpacing() + 8};
}

void ReuseLegend::paintEvent(QPaintEvent * /*event*/)
{
    const look::Tokens &t = look::tokens(this);
    QPainter painter(this);
    int x = side;
    for (int i = 0; i < m_classes.size(); ++i) {
        painter.fillRect(QRect(x, (height() - square) / 2, square, square),
                         reuseColor(i, static_cast<int>(m_classes.size()), t));
        x += square + squareGap;
        painter.setPen(t.secondary);
        painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignLeft | Qt::AlignVCenter, m_classes[i]);
        x += fontMetrics().horizontalAdvance(m_classes[i]) + entryGap;
    }
}

} // namespace nestwright::player
