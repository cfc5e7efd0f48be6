// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/player/reuse_colors.h"

#include "widgets/look/tokens.h"

namespace nestwright::player {

QColor reuseColor(int reuseClass, int classes, const look::Tokens &tokens)
{
    if (reuseClass >= classes - 1)
        return tokens.block;
    const double place = classes > 2 ? 2.0 * reuseClass / (classes - 2) : 0; // 0 … 2
    return place <= 1 ? look::mixed(tokens.axes[0], tokens.warn, place)
                      : look::mixed(tokens.warn, tokens.bad, place - 1);
}

QColor fadedColor(const QColor &color, const look::Tokens &tokens)
{
    constexpr double faded = 0.62;
    return look::mixed(color, tokens.pane, faded);
}

} // namespace nestwright::player
