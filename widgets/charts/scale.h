// SPDX-License-Identifier: GPL-3.0-or-later
/// Round numbers for axes and labels.
#pragma once

#include <QString>

namespace nestwright::charts {

/// The smallest step of 1, 2 or 5 times a power of ten that divides 0 … `maximum` into at most `most` parts.
double niceStep(double maximum, int most);

/// A value as a label: three significant digits, no exponent below a million: "1.94", "14.3", "232".
QString shortNumber(double value);

} // namespace nestwright::charts
