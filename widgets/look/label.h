// SPDX-License-Identifier: GPL-3.0-or-later
/// Labels in a font and a role of the style sheet.
#pragma once

class QFont;
class QLabel;
class QString;
class QWidget;

namespace nestwright::look {

/// `text` is shown as it is, whatever mark-up it holds.
QLabel *plainLabel(const QString &text, const QFont &font, const char *role, QWidget *parent);

} // namespace nestwright::look
