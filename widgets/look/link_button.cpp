// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/link_button.h"

#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QPainter>

namespace nestwright::look {

LinkButton::LinkButton(const QString &text, QWidget *parent) : QAbstractButton(parent)
{
    setText(text);
    setFont(interfaceFont(12, QFont::DemiBold));
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

void LinkButton::setQuiet(bool quiet)
{
    m_quiet = quiet;
    update();
}

QSize LinkButton::sizeHint() const
{
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(text()) + 4, metrics.height() + 4};
}

QSize LinkButton::minimumSizeHint() const { return {std::min(40, sizeHint().width()), sizeHint().height()}; }

void LinkButton::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens &t = tokens(this);
    if (hasFocus()) {
        painter.setPen(QPen(t.accent, 1.25));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75), 3, 3);
    }
    QFont shown = font();
    shown.setUnderline(underMouse() && isEnabled());
    painter.setFont(shown);
    painter.setPen(!isEnabled() ? t.faint : m_quiet && !underMouse() ? t.secondary : t.link);
    const QRect inner = rect().adjusted(2, 0, -2, 0);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, inner.width() + 1));
}

void LinkButton::enterEvent(QEnterEvent *event)
{
    QAbstractButton::enterEvent(event);
    update();
}

void LinkButton::leaveEvent(QEvent *event)
{
    QAbstractButton::leaveEvent(event);
    update();
}

void LinkButton::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

} // namespace nestwright::look
