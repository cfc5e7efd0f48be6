// SPDX-License-Identifier: GPL-3.0-or-later
/// The colours of the window, once for light and once for dark; everything that paints takes them from here.
#pragma once

#include <QColor>

#include <array>

class QPalette;
class QWidget;

namespace nestwright::look {

/// One theme. Text tokens hold a contrast of at least 4.5:1 against `ground` and `pane`; `faint` is for texts
/// that may be overlooked (placeholders, disabled controls, line numbers), never for those that a user has to
/// read.
struct Tokens {
    bool dark = false;

    QColor ground, pane, hairline;
    QColor text, secondary, faint;
    QColor selectionFill, selectionBorder, accent, accentHover, accentPressed, onAccent, keyBadge;
    QColor hover; ///< fill of the item under the pointer
    QColor good, warn, bad;

    QColor chip, chipText;                   ///< neutral badge
    QColor goodFill, infoFill, warnChipFill; ///< tinted badges: L1, L2, L3
    QColor goodChipText, infoChipText, warnChipText;
    QColor badFill, badBorder, warnFill, warnBorder, goodBorder, infoBorder;

    QColor bar;                             ///< a variant that is not the current one
    QColor reference;                       ///< the line of a library to compare with
    QColor grid, nodeBorder, nodeBar, edge; ///< charts and canvas
    QColor minimapNode;
    QColor link; ///< text that acts when clicked

    QColor keyword, builtin, number, string, comment, preprocessor; ///< code

    std::array<QColor, 8>
        axes; ///< axis 1, 2, 3 of look.md, then further hues told apart by colour-blind eyes
    QColor block, mixedAxis;
};

const Tokens &lightTokens();
const Tokens &darkTokens();

/// The theme that belongs to a palette or to a widget: dark where its window colour is. A widget that paints
/// calls this in paintEvent(), so that switching the application's palette is all that a change of theme
/// needs.
const Tokens &tokens(const QPalette &palette);
const Tokens &tokens(const QWidget *widget);

/// Contrast ratio of two opaque colours, 1 … 21 (WCAG 2.1).
double contrast(const QColor &a, const QColor &b);

/// `a` and `b` mixed, `share` of `b` from 0 to 1.
QColor mixed(const QColor &a, const QColor &b, double share);

} // namespace nestwright::look
