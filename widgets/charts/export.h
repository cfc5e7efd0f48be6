// SPDX-License-Identifier: GPL-3.0-or-later
/// Charts as files: PNG (twice the size, for print), SVG, or the numbers as CSV.
#pragma once

#include "core/support/errors/result.h"
#include "widgets/charts/chart_data.h"
#include "widgets/charts/ratio_map.h"
#include "widgets/charts/scaling_curve.h"

#include <QSize>

namespace nestwright::charts {

/// Writes the chart; the ending of `path` says which form. All bars are shown, however many. Needs a
/// QApplication, no window. Fails where the ending is none of the three or the file cannot be written.
support::Result<void> writeBars(const BarData &data, const QString &path, bool dark = false,
                                QSize size = {960, 520});
support::Result<void> writeRoofline(const RooflineData &data, const QString &path, bool dark = false,
                                    QSize size = {720, 520});

support::Result<void> writeWaterfall(const WaterfallData &data, const QString &path, bool dark = false,
                                     QSize size = {960, 520});

/// `csv`: the text of the table, which knows more than the map shows.
support::Result<void> writeRatios(const RatioData &data, const QString &csv, const QString &path,
                                  bool dark = false, QSize size = {720, 320});

/// The same of rates over threads.
support::Result<void> writeScaling(const std::vector<ScalingItem> &items, const QString &unit,
                                   const QString &csv, const QString &path, bool dark = false,
                                   QSize size = {720, 480});

/// The numbers, with a header line; fields are quoted where they hold a comma, a quote or a line break.
QString csvOf(const BarData &data);
QString csvOf(const RooflineData &data);
QString csvOf(const WaterfallData &data);

} // namespace nestwright::charts
