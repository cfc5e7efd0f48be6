// SPDX-License-Identifier: GPL-3.0-or-later
// Where the elements of a buffer lie in memory.
#include "widgets/player/layout_grid.h"

#include "tests/widgets/player/grid_cells.h"
#include "widgets/look/tokens.h"

#include <QtTest>

#include <set>

using namespace nestwright;
using player::CellArea;
using player::LayoutGrid;
using player::PlaceCells;
using tests::areaOf;
using tests::tipAt;

namespace {

/// Rows of 4 behind each other, lines of 4; the last row lies two lines further.
PlaceCells inRows()
{
    return {.title = "A",
            .detail = "3 × 4",
            .rows = 3,
            .columns = 4,
            .places = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19},
            .lineElements = 4};
}

QColor colorAt(const QImage &image, const CellArea &area, int row, int column)
{
    const QRectF cell = area.cell(row, column);
    return image.pixelColor((cell.topLeft() + QPointF(3, 3)).toPoint()); // beside the number
}

int difference(const QColor &a, const QColor &b)
{
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
}

} // namespace

class LayoutGridTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A colour for each line of memory, paler towards its end.
    void colors()
    {
        LayoutGrid grid;
        grid.setCells(inRows());
        grid.resize(300, 300);
        grid.show();
        const look::Tokens &t = look::tokens(&grid);
        const QImage image = grid.grab().toImage();
        const CellArea area = areaOf(grid);
        for (const auto &[row, line] : {std::pair{0, 0U}, {1, 1U}, {2, 4U}}) {
            const QColor first = colorAt(image, area, row, 0), last = colorAt(image, area, row, 3);
            QVERIFY(difference(first, t.axes[line]) < difference(first, t.pane));
            QVERIFY(difference(last, t.pane) < difference(first, t.pane));
            QVERIFY(difference(last, t.pane) > 0);
        }
        QVERIFY(colorAt(image, area, 0, 0) != colorAt(image, area, 1, 0));
    }

    /// Numbers stand in cells that hold them.
    void numbers()
    {
        LayoutGrid grid;
        grid.setCells(inRows());
        grid.resize(300, 300);
        grid.show();
        const auto colorsInside = [&] {
            const QImage image = grid.grab().toImage();
            const QRect cell = areaOf(grid).cell(0, 0).toRect().adjusted(2, 2, -2, -2);
            std::set<QRgb> colors;
            for (int y = cell.top(); y <= cell.bottom(); ++y) {
                for (int x = cell.left(); x <= cell.right(); ++x)
                    colors.insert(image.pixel(x, y));
            }
            return colors.size();
        };
        QVERIFY(colorsInside() > 1);
        PlaceCells far = inRows();
        far.places.back() = 1'000'000'000'000; // no cell holds that: none has a number
        grid.setCells(far);
        QCOMPARE(colorsInside(), 1U);
    }

    void pointingAtCells()
    {
        LayoutGrid grid;
        grid.setCells(inRows());
        grid.resize(300, 300);
        grid.show();
        const CellArea area = areaOf(grid);
        QCOMPARE(tipAt(grid, area.cell(0, 3).center()),
                 QStringLiteral("row 0, column 3: element 3 of memory, in line 0"));
        QCOMPARE(tipAt(grid, area.cell(2, 1).center()),
                 QStringLiteral("row 2, column 1: element 17 of memory, in line 4"));
        QCOMPARE(tipAt(grid, {1, 1}), QString());
    }

    void inWords()
    {
        LayoutGrid grid;
        grid.setCells(inRows());
        QCOMPARE(grid.accessibleName(), QStringLiteral("A 3 × 4"));
        QCOMPARE(grid.accessibleSummary(),
                 QStringLiteral("3 rows, 4 columns; places in memory row by row: 0, 1, 2, "
                                "3, 4, 5, 6, 7, 16, 17, 18, 19"));
        PlaceCells many{
            .title = "B", .detail = "1 × 17", .rows = 1, .columns = 17, .places = {}, .lineElements = 16};
        for (qint64 i = 0; i < 17; ++i)
            many.places.push_back(i);
        grid.setCells(many);
        QVERIFY(grid.accessibleSummary().endsWith(QStringLiteral("14, 15, …")));
    }

    void nothing()
    {
        LayoutGrid grid;
        grid.resize(200, 200);
        grid.show();
        grid.grab();
        QCOMPARE(tipAt(grid, {100, 100}), QString());
        QCOMPARE(grid.accessibleSummary(),
                 QStringLiteral("0 rows, 0 columns; places in memory row by row: "));
    }
};

QTEST_MAIN(LayoutGridTest)
#include "layout_grid_test.moc"
