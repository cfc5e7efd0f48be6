// SPDX-License-Identifier: GPL-3.0-or-later
/// The look of axes of numbers.
#pragma once

class QAbstractAxis;

namespace nestwright::look {
struct Tokens;
}

namespace nestwright::charts {

/// Labels, grid and line in the colours of the theme.
void styleAxis(QAbstractAxis &axis, const look::Tokens &tokens);

} // namespace nestwright::charts
