// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/axis_style.h"

#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QAbstractAxis>

namespace nestwright::charts {

void styleAxis(QAbstractAxis &axis, const look::Tokens &tokens)
{
    axis.setLabelsFont(look::interfaceFont(11));
    axis.setLabelsColor(tokens.secondary);
    axis.setGridLinePen(QPen(tokens.grid, 1));
    axis.setLinePen(QPen(tokens.hairline, 1));
}

} // namespace nestwright::charts
