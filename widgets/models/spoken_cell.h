// SPDX-License-Identifier: GPL-3.0-or-later
/// Texts of cells of a table for screen readers.
#pragma once

#include <QModelIndex>
#include <QString>

namespace nestwright::models {

/// The whole row as a sentence for the first column, "i, extent 1024, touches 4.0 MB"; a cell of another
/// column stands for itself, and an empty one is a dash.
QString spokenCell(const QModelIndex &index);

} // namespace nestwright::models
