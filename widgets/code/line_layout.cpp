// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/line_layout.h"

#include "widgets/look/fonts.h"

#include <QFontMetricsF>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace nestwright::code {

double lineHeight(double zoom, const QWidget *on)
{
    constexpr double lineSpacing = 1.34; // 21 px a line at the design's size
    return std::round(QFontMetricsF(look::codeFont(fontPixels * zoom), on).height() * lineSpacing);
}

double gutterWidth(double zoom, qsizetype lines, const QWidget *on)
{
    constexpr double leftPadding = 10;
    constexpr qsizetype leastDigits = 3;
    const QFontMetricsF numbers(look::codeFont(numberPixels * zoom), on);
    const auto digits = std::max(leastDigits, QString::number(lines).size());
    return std::ceil(leftPadding + static_cast<double>(digits) * numbers.horizontalAdvance(u'0') + numberGap);
}

} // namespace nestwright::code
