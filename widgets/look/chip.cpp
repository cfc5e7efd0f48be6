// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/chip.h"

#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>

namespace nestwright::look {

namespace {

QFont chipFont() { return interfaceFont(11, QFont::Medium); }

std::pair<QColor, QColor> fillAndText(ChipKind kind, const Tokens &t)
{
    switch (kind) {
    case ChipKind::Neutral: return {t.chip, t.chipText};
    case ChipKind::Good: return {t.goodFill, t.goodChipText};
    case ChipKind::Info: return {t.infoFill, t.infoChipText};
    case ChipKind::Warn: return {t.warnChipFill, t.warnChipText};
    case ChipKind::Bad: return {mixed(t.badFill, t.bad, 0.10), t.bad};
    case ChipKind::Accent: return {t.accent, t.onAccent};
    }
    return {};
}

} // namespace

ChipKind cacheChip(int level)
{
    switch (level) {
    case 1: return ChipKind::Good;
    case 2: return ChipKind::Info;
    case 3: return ChipKind::Warn;
    default: return ChipKind::Bad;
    }
}

QSizeF chipSize(const QString &text)
{
    const QFontMetricsF metrics(chipFont());
    return {std::ceil(metrics.horizontalAdvance(text)) + 14, std::max(18.0, std::ceil(metrics.height()) + 4)};
}

double paintChip(QPainter &painter, QPointF leftMiddle, const QString &text, ChipKind kind,
                 const Tokens &tokens)
{
    const QSizeF size = chipSize(text);
    const QRectF rect(leftMiddle - QPointF(0, size.height() / 2), size);
    const auto [fill, ink] = fillAndText(kind, tokens);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(rect, 4, 4);
    painter.setFont(chipFont());
    painter.setPen(ink);
    painter.drawText(rect, Qt::AlignCenter, text);
    painter.restore();
    return size.width();
}

Chip::Chip(const QString &text, ChipKind kind, QWidget *parent)
    : QWidget(parent)
    , AccessibleItems(QAccessible::StaticText)
    , m_kind(kind)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setText(text);
}

void Chip::setText(const QString &text)
{
    m_text = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

void Chip::setKind(ChipKind kind)
{
    m_kind = kind;
    update();
}

QSize Chip::sizeHint() const { return chipSize(m_text).toSize(); }

void Chip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paintChip(painter, QPointF(0, height() / 2.0), m_text, m_kind, tokens(this));
}

} // namespace nestwright::look
