// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/floating_card.h"

#include "widgets/look/tokens.h"

#include <QPainter>

namespace nestwright::forms {

void FloatingCard::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const look::Tokens &t = look::tokens(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.selectionBorder, 1));
    painter.setBrush(t.pane);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

} // namespace nestwright::forms
