// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/theme.h"

#include "widgets/look/fonts.h"
#include "widgets/look/style.h"
#include "widgets/look/style_sheet.h"
#include "widgets/look/tokens.h"

#include <QApplication>
#include <QStyleHints>
#include <QToolTip>
#include <QWidget>

#include <utility>
#include <vector>

namespace nestwright::look {

QPalette paletteOf(const Tokens &t)
{
    QPalette palette;
    palette.setColor(QPalette::Window, t.ground);
    palette.setColor(QPalette::WindowText, t.text);
    palette.setColor(QPalette::Base, t.pane);
    palette.setColor(QPalette::AlternateBase, t.ground);
    palette.setColor(QPalette::Text, t.text);
    palette.setColor(QPalette::Button, t.pane);
    palette.setColor(QPalette::ButtonText, t.text);
    palette.setColor(QPalette::BrightText, t.onAccent);
    palette.setColor(QPalette::ToolTipBase, t.pane);
    palette.setColor(QPalette::ToolTipText, t.text);
    palette.setColor(QPalette::PlaceholderText, t.faint);
    palette.setColor(QPalette::Highlight, t.selectionFill);
    palette.setColor(QPalette::HighlightedText, t.text);
    palette.setColor(QPalette::Link, t.link);
    palette.setColor(QPalette::LinkVisited, t.link);
    palette.setColor(QPalette::Accent, t.accent);
    palette.setColor(QPalette::Light, t.pane);
    palette.setColor(QPalette::Midlight, t.chip);
    palette.setColor(QPalette::Mid, t.hairline);
    palette.setColor(QPalette::Dark, t.nodeBorder);
    palette.setColor(QPalette::Shadow, t.hairline);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, t.faint);
    return palette;
}

namespace {
void setFonts()
{
    QApplication::setFont(interfaceFont());
    QToolTip::setFont(interfaceFont(12));
}
} // namespace

Theme::Theme(QApplication &application, Mode mode)
    : QObject(&application)
    , m_application(application)
    , m_style(new Style)
    , m_mode(mode)
{
    QApplication::setStyle(m_style);
    setFonts();
    connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this, [this] {
        if (m_mode == Mode::System)
            apply();
    });
    apply();
}

void Theme::setMode(Mode mode)
{
    m_mode = mode;
    apply();
}

void Theme::setTextScale(double scale)
{
    const double ratio = scale / textScale();
    if (ratio == 1)
        return;
    look::setTextScale(scale);
    std::vector<std::pair<QPointer<QWidget>, QFont>> own;
    for (QWidget *widget : QApplication::allWidgets()) {
        if (!widget->testAttribute(Qt::WA_SetFont))
            continue; // has that of the application, or of the widget around it
        QFont font = widget->font();
        font.setPointSizeF(font.pointSizeF() * ratio);
        own.emplace_back(widget, font);
    }
    setFonts();
    m_application.setStyleSheet(m_application.styleSheet()); // keeps the fonts of widgets that it styles
    for (const auto &[widget, font] : own) {
        if (widget)
            widget->setFont(font);
    }
}

void Theme::setReducedMotion(bool reduced)
{
    if (m_style)
        static_cast<Style *>(m_style.get())->setReducedMotion(reduced);
}

void Theme::apply()
{
    const bool dark =
        m_mode == Mode::Dark
        || (m_mode == Mode::System && QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark);
    if (m_applied && dark == m_dark)
        return;
    m_applied = true;
    m_dark = dark;
    const Tokens &t = dark ? darkTokens() : lightTokens();
    QApplication::setPalette(paletteOf(t));
    m_application.setStyleSheet(styleSheet(t));
    Q_EMIT changed(dark);
}

int motionMs(const QWidget *widget)
{
    return widget->style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, widget);
}

} // namespace nestwright::look
