// SPDX-License-Identifier: GPL-3.0-or-later
/// The button of a primitive in the strip of actions: its title as far as it fits, its key, its tool tip.
#pragma once

#include "core/schedule/primitive.h"

#include <QString>

#include <string_view>

class QWidget;

namespace nestwright::look {
class Button;
}

namespace nestwright::forms {

constexpr int actionButtonHeight = 28;
constexpr int actionButtonPadding = 7; ///< at each side of the title

/// A title that fits a third of the strip; the tool tip has the whole.
QString shortTitle(const QString &title);

/// A compact button. A click leaves the focus where it is.
look::Button *makeActionButton(const schedule::Primitive &primitive, const QString &title, QWidget *parent);

/// Puts the key on the button where there is room for it beside the title; the tool tip has it anyway.
void showKey(look::Button &button, std::string_view key);

} // namespace nestwright::forms
