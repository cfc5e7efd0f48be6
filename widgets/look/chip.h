// SPDX-License-Identifier: GPL-3.0-or-later
/// Small badges: "parallel", "L1", "verified".
#pragma once

#include "widgets/look/accessible_items.h"

#include <QWidget>

class QPainter;

namespace nestwright::look {

struct Tokens;

enum class ChipKind { Neutral, Good, Info, Warn, Bad, Accent };

/// The kind that stands for the smallest memory a loop's data fits: level 1 good, 2 info, 3 warn, else bad
/// (memory).
ChipKind cacheChip(int level);

/// Size of a chip with this text; 18 px high at 96 dots per inch.
QSizeF chipSize(const QString &text);

/// Draws a chip with its left edge at `left` and vertically centred at `middle`; returns its width. For
/// delegates.
double paintChip(QPainter &painter, QPointF leftMiddle, const QString &text, ChipKind kind,
                 const Tokens &tokens);

/// A chip on its own.
class Chip : public QWidget, public AccessibleItems {
    Q_OBJECT
public:
    explicit Chip(const QString &text, ChipKind kind = ChipKind::Neutral, QWidget *parent = nullptr);
    void setText(const QString &text);
    void setKind(ChipKind kind);
    QString text() const { return m_text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
    ChipKind m_kind;
};

} // namespace nestwright::look
