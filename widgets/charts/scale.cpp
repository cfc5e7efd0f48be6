// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/scale.h"

#include <cmath>

namespace nestwright::charts {

double niceStep(double maximum, int most)
{
    if (!(maximum > 0) || !std::isfinite(maximum))
        return 1;
    const double power = std::pow(10, std::floor(std::log10(maximum / most)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (power * factor * most >= maximum * (1 - 1e-12))
            return power * factor;
    }
    return power * 10;
}

QString shortNumber(double value)
{
    const double size = std::abs(value);
    if (size >= 1e6 || (size > 0 && size < 1e-3))
        return QString::number(value, 'g', 3);
    const int decimals = size >= 100  ? (size < 1000 && std::abs(value - std::round(value)) > 0.05 ? 1 : 0)
                         : size >= 10 ? 1
                                      : 2;
    QString text = QString::number(value, 'f', decimals);
    if (text.contains(u'.')) {
        while (text.endsWith(u'0'))
            text.chop(1);
        if (text.endsWith(u'.'))
            text.chop(1);
    }
    return text;
}

} // namespace nestwright::charts
