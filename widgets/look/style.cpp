// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/style.h"

#include "widgets/look/tokens.h"

#include <QPainter>
#include <QStyleOption>
#include <QTabBar>

namespace nestwright::look {

namespace {
constexpr int movementMs = 140;
}

Style::Style() : QProxyStyle(QStringLiteral("Fusion")) {}

int Style::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                     QStyleHintReturn *data) const
{
    switch (hint) {
    case SH_Widget_Animation_Duration: return m_reducedMotion ? 0 : movementMs;
    case SH_ToolTip_WakeUpDelay: return 450;
    case SH_EtchDisabledText:
    case SH_DialogButtonBox_ButtonsHaveIcons: return 0;
    case SH_Menu_SloppySubMenus: return 1;
    case SH_ComboBox_Popup: return 0;
    default: return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    switch (metric) {
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ToolBarIconSize: return 16;
    case PM_MenuPanelWidth: return 1;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                          const QWidget *widget) const
{
    if (element == PE_FrameFocusRect) {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(tokens(option->palette).accent, 1.5));
        painter->setBrush(Qt::NoBrush);
        const QRectF rect(option->rect); // of a tab its text's
        painter->drawRoundedRect(qobject_cast<const QTabBar *>(widget)
                                     ? rect.adjusted(-6, -3, 6, 3)
                                     : rect.adjusted(0.75, 0.75, -0.75, -0.75),
                                 4, 4);
        painter->restore();
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

} // namespace nestwright::look
