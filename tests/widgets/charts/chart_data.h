// SPDX-License-Identifier: GPL-3.0-or-later
/// Variants of a kernel as charts show them, and charts on the screen.
#pragma once

#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"

#include <QAbstractScrollArea>
#include <QImage>
#include <QtTest>

#include <algorithm>

namespace nestwright::charts {

/// Seven variants, the last of which failed, beside two references.
inline BarData ladder()
{
    BarData data;
    data.bars = {{1, "naive", 1.94, 1.90, 1.97, Outcome::Measured, {}},
                 {2, "tile(i, j, 32, 32)", 14.3, 13.6, 14.9, Outcome::Measured, {}},
                 {3, "reorder", 23.9, 23.2, 24.5, Outcome::Measured, {}},
                 {4, "vectorize(ji)", 53.7, 52.9, 54.5, Outcome::Measured, {}},
                 {5, "parallel(io)", 98.4, 92.0, 103.1, Outcome::Measured, {}},
                 {6, "unroll(ki)", 112.6, 110.5, 114.7, Outcome::Measured, {}},
                 {7, "vectorize(ko)", 0, 0, 0, Outcome::Failed, "the kernel crashed"}};
    data.references = {{"machine peak", 232, Reference::Kind::Peak},
                       {"OpenBLAS", 208, Reference::Kind::Library}};
    data.current = 6;
    return data;
}

/// The six that were measured, under the roofs of a machine.
inline RooflineData roofs()
{
    RooflineData data;
    data.peak = 232;
    data.roofs = {{"DRAM", 21.4}, {"L3", 118}, {"L2", 180}, {"L1", 640}};
    data.points = {{1, "naive", 0.25, 1.94, 1.9, 1.97, {}}, {2, "tile", 2, 14.3, 13.6, 14.9, {}},
                   {3, "reorder", 4, 23.9, 23.2, 24.5, {}}, {4, "vectorize", 6, 53.7, 52.9, 54.5, {}},
                   {5, "parallel", 10, 98.4, 92, 103, {}},  {6, "unroll", 12, 112.6, 110.5, 114.7, {}}};
    data.current = 6;
    return data;
}

/// A transposition of 8 MB under the memories of a machine.
inline RooflineData memories()
{
    RooflineData data;
    data.areBytes = true;
    data.peak = 232;
    data.roofs = {{"DRAM", 21.4}, {"L3", 118, 36e6}, {"L2", 180, 4e6}, {"L1", 640, 98304}};
    data.points = {{1, "naive", 8.4e6, 3.1, 3.0, 3.2, {}},
                   {2, "tile i 32,32", 8.4e6, 24.6, 23.9, 25.2, {}},
                   {3, "vectorize i", 8.4e6, 61, 58.8, 63.1, {}}};
    data.current = 3;
    return data;
}

inline int pixelsOf(const QImage &given, const QColor &color)
{
    const QImage image = given.convertToFormat(QImage::Format_RGB32);
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        const auto *line = reinterpret_cast<const QRgb *>(image.constScanLine(y));
        count += static_cast<int>(std::count(line, line + image.width(), color.rgb()));
    }
    return count;
}

inline QWidget *viewportOf(ChartPane &pane) { return pane.findChild<QAbstractScrollArea *>()->viewport(); }

inline void show(QWidget &widget, QSize size)
{
    widget.resize(size);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
}

/// A click on an item of the chart.
inline void click(ChartPane &pane, int index)
{
    QWidget *viewport = viewportOf(pane);
    QTest::mouseClick(viewport, Qt::LeftButton, {},
                      viewport->mapFrom(&pane, pane.positionOfItem(index).toPoint()));
}

} // namespace nestwright::charts
