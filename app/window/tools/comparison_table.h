// SPDX-License-Identifier: GPL-3.0-or-later
/// The table of loops of two variants.
#pragma once

#include "app/present/comparison_page.h"

#include <QString>

class QTreeWidget;
class QTreeWidgetItem;

namespace nestwright::app {

/// Columns, look and keys of an empty table.
void setUpComparisonTable(QTreeWidget &table);

/// A row for each pair of loops: their names, indented and with the marks of their axes, and each figure of
/// both. Where they differ the figure is bold, green where the second's is better, amber where it is worse.
/// The last row has the measured times, where some are known.
void fillComparisonTable(QTreeWidget &table, const ComparisonPage &page);

/// The row of the second's innermost loop that takes most cycles; −1 where there is no row.
int hottestRow(const explore::Comparison &comparison);

/// The loops of a row.
explore::LoopPair loopsOf(const QTreeWidgetItem &item);

/// "About 67.1 M cycles in '#1', 2.50 M in '#2', …"; empty where they are not known.
QString estimateText(const explore::Comparison &comparison);

} // namespace nestwright::app
