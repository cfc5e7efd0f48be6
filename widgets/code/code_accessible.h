// SPDX-License-Identifier: GPL-3.0-or-later
/// The text of a CodeView for assistive technology: lines, words and characters around the cursor.
#pragma once

namespace nestwright::code {

class CodeView;

/// Makes Qt create the accessible interface of every CodeView from here on.
void installCodeAccessibility();

/// Tells that the cursor moved.
void tellCursor(CodeView &view);
/// Tells that there is another text.
void tellText(CodeView &view);

} // namespace nestwright::code
