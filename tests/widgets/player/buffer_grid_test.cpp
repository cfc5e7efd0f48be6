// SPDX-License-Identifier: GPL-3.0-or-later
// A buffer as a grid of its elements: its colours, what pointing at a cell tells, and its legend.
#include "widgets/player/buffer_grid.h"

#include "tests/widgets/player/grid_cells.h"
#include "widgets/look/tokens.h"
#include "widgets/player/reuse_colors.h"
#include "widgets/player/reuse_legend.h"

#include <QtTest>

#include <cmath>
#include <set>

using namespace nestwright;
using player::BufferGrid;
using player::CellArea;
using player::GridCells;
using tests::areaOf;
using tests::tipAt;

namespace {

const QStringList classes{"same line", "near", "far", "first touch"};

/// Untouched, read now, touched long ago; written now, touched not long ago, behind the last element.
GridCells sixCells()
{
    using namespace player;
    return {.title = "A",
            .detail = "2 × 3",
            .rows = 2,
            .columns = 3,
            .cells = {untouchedCell, Touched | Recent | ReadNow, Touched | 2,
                      Touched | Recent | WrittenNow | 3, Touched | Recent | 1, absentCell}};
}

std::unique_ptr<BufferGrid> gridOf(GridCells cells, QSize size = {320, 300})
{
    auto grid = std::make_unique<BufferGrid>();
    grid->setClasses(classes);
    grid->setCells(std::move(cells));
    grid->resize(size);
    grid->show();
    return grid;
}

/// The colour in a corner of the cell, beside the frames of what is touched now.
QColor colorAt(const QImage &image, const CellArea &area, int row, int column)
{
    const QRectF cell = area.cell(row, column);
    return image.pixelColor((cell.topLeft() + QPointF(area.side / 4, area.side / 4)).toPoint());
}

} // namespace

class BufferGridTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The class of the last touch gives the colour, paler where that is some steps ago.
    void colors()
    {
        const auto grid = gridOf(sixCells());
        const look::Tokens &t = look::tokens(grid.get());
        const QImage image = grid->grab().toImage();
        const CellArea area = areaOf(*grid);
        QVERIFY(area.side > 20);
        const auto of = [&](int reuse) { return player::reuseColor(reuse, 4, t); };
        QCOMPARE(colorAt(image, area, 0, 0).rgb(), t.grid.rgb());
        QCOMPARE(colorAt(image, area, 0, 1).rgb(), of(0).rgb());
        QCOMPARE(colorAt(image, area, 0, 2).rgb(), player::fadedColor(of(2), t).rgb());
        QCOMPARE(colorAt(image, area, 1, 0).rgb(), of(3).rgb());
        QCOMPARE(colorAt(image, area, 1, 1).rgb(), of(1).rgb());
        QCOMPARE(colorAt(image, area, 1, 2).rgb(), t.pane.rgb());
    }

    /// A frame around what the step touches, thicker where it writes.
    void framesOfTheStep()
    {
        const auto grid = gridOf(sixCells());
        const look::Tokens &t = look::tokens(grid.get());
        const QImage image = grid->grab().toImage();
        const CellArea area = areaOf(*grid);
        const auto inkBeside = [&](int row, int column) { // in pixels, to the left of the cell
            const QRectF cell = area.cell(row, column);
            const int left = static_cast<int>(cell.left()), y = static_cast<int>(cell.top() + area.side / 4);
            const int ground = image.pixelColor(left - 5, y).lightness();
            double ink = 0;
            for (int x = left - 4; x < left; ++x)
                ink += static_cast<double>(ground - image.pixelColor(x, y).lightness());
            return ink / (ground - t.text.lightness());
        };
        QVERIFY2(std::abs(inkBeside(0, 1) - 0.75) < 0.3, qPrintable(QString::number(inkBeside(0, 1))));
        QVERIFY2(std::abs(inkBeside(1, 0) - 1.25) < 0.3, qPrintable(QString::number(inkBeside(1, 0))));
    }

    void pointingAtCells()
    {
        const auto grid = gridOf(sixCells());
        const CellArea area = areaOf(*grid);
        const auto tip = [&](int row, int column) { return tipAt(*grid, area.cell(row, column).center()); };
        QCOMPARE(tip(0, 0), QStringLiteral("A, row 0, column 0\nNot touched yet"));
        QCOMPARE(tip(0, 1), QStringLiteral("A, row 0, column 1\nsame line"));
        QCOMPARE(tip(1, 0), QStringLiteral("A, row 1, column 0\nfirst touch"));
        QCOMPARE(tip(1, 2), QString()); // there is no such element
        QCOMPARE(tipAt(*grid, {2, 2}), QString());
        QCOMPARE(tipAt(*grid, area.area.bottomRight() + QPointF(3, 3)), QString());
    }

    void inWords()
    {
        const auto grid = gridOf(sixCells());
        QCOMPARE(grid->accessibleName(), QStringLiteral("Elements of A"));
        QCOMPARE(grid->accessibleSummary(),
                 QStringLiteral("2 × 3; 4 of 5 elements touched; reads row 0, column 1; "
                                "writes row 1, column 0"));
        GridCells many{.title = "B", .detail = "6", .rows = 1, .columns = 6, .cells = {}};
        many.cells.assign(6, player::Touched | player::ReadNow);
        grid->setCells(many);
        QCOMPARE(grid->accessibleName(), QStringLiteral("Elements of B"));
        QVERIFY(grid->accessibleSummary().endsWith(QStringLiteral("reads row 0, column 3; …")));
        QCOMPARE(grid->accessibleSummary().count(QStringLiteral("reads")), 4);
    }

    /// Each setting of cells is seen; a buffer without elements has no picture of any.
    void pictures()
    {
        const auto grid = gridOf(sixCells());
        QVERIFY(QTest::qWaitForWindowExposed(grid.get()));
        const int before = grid->frames();
        grid->setCells(sixCells());
        QTRY_VERIFY(grid->frames() > before);
        grid->setCells({.title = "A", .detail = "0 × 4", .rows = 0, .columns = 4, .cells = {}});
        grid->grab();
        QCOMPARE(tipAt(*grid, {100, 100}), QString());
        QCOMPARE(grid->accessibleSummary(), QStringLiteral("0 × 4; 0 of 0 elements touched"));
    }

    /// Square cells as large as they fit, not beyond 32.
    void placesOfCells()
    {
        const CellArea wide = player::cellArea({416, 200}, 20, 2, 40);
        QCOMPARE(wide.side, 10.0);
        QCOMPARE(wide.area, QRectF(8, 32, 400, 20));
        QCOMPARE(player::cellArea({416, 200}, 20, 4, 4).side, 32.0);
        QCOMPARE(player::cellArea({416, 200}, 20, 80, 4).side, 2.0); // the height decides
        QCOMPARE(player::cellArea({10, 10}, 20, 4, 4).side, 0.0);
        QCOMPARE(player::cellArea({416, 200}, 20, 0, 4).side, 0.0);

        QCOMPARE(wide.cellAt({8, 32}), std::optional(QPoint(0, 0)));
        QCOMPARE(wide.cellAt({17.9, 41.9}), std::optional(QPoint(0, 0)));
        QCOMPARE(wide.cellAt({18, 42}), std::optional(QPoint(1, 1)));
        QCOMPARE(wide.cellAt({408, 52}), std::optional(QPoint(39, 1))); // the edge is part of the last
        QVERIFY(!wide.cellAt({7.9, 40}) && !wide.cellAt({20, 52.1}));
        QVERIFY(!player::cellArea({10, 10}, 20, 4, 4).cellAt({8, 32}));
        for (int row = 0; row < 2; ++row)
            QCOMPARE(wide.cellAt(wide.cell(row, 7).center()), std::optional(QPoint(7, row)));
    }

    /// Near to far no two classes look alike; a first touch stands apart.
    void colorsOfClasses()
    {
        for (const look::Tokens *t : {&look::lightTokens(), &look::darkTokens()}) {
            std::set<QRgb> seen;
            for (int i = 0; i < 8; ++i)
                seen.insert(player::reuseColor(i, 8, *t).rgb());
            QCOMPARE(seen.size(), 8U);
            QCOMPARE(player::reuseColor(0, 8, *t), look::mixed(t->axes[0], t->warn, 0));
            QCOMPARE(player::reuseColor(3, 8, *t), look::mixed(t->warn, t->bad, 0)); // half-way
            QCOMPARE(player::reuseColor(6, 8, *t).rgb(), t->bad.rgb());
            QCOMPARE(player::reuseColor(7, 8, *t), t->block);
            QCOMPARE(player::reuseColor(0, 2, *t).rgb(), t->axes[0].rgb());
            QCOMPARE(player::reuseColor(0, 1, *t), t->block);
            const auto distance = [](const QColor &a, const QColor &b) {
                return std::abs(a.lightness() - b.lightness());
            };
            const QColor faded = player::fadedColor(t->bad, *t);
            QVERIFY(distance(faded, t->pane) < distance(t->bad, t->pane));
        }
    }

    /// The legend shows each class in its colour, with room for all texts.
    void legend()
    {
        player::ReuseLegend legend(classes);
        QCOMPARE(legend.accessibleSummary(), QStringLiteral("same line, near, far, first touch"));
        legend.resize(legend.sizeHint());
        legend.show();
        const look::Tokens &t = look::tokens(&legend);
        const QImage image = legend.grab().toImage();
        std::vector<QRgb> squares; // along the middle, each colour once
        for (int x = 0; x < image.width(); ++x) {
            const QRgb color = image.pixel(x, image.height() / 2);
            for (int i = 0; i < 4; ++i) {
                if (color == player::reuseColor(i, 4, t).rgb()
                    && (squares.empty() || squares.back() != color))
                    squares.push_back(color);
            }
        }
        QCOMPARE(squares.size(), 4U);
        for (int i = 0; i < 4; ++i)
            QCOMPARE(squares[static_cast<std::size_t>(i)], player::reuseColor(i, 4, t).rgb());
        QVERIFY(player::ReuseLegend(classes + QStringList{"one more"}).sizeHint().width() > legend.width());
    }
};

QTEST_MAIN(BufferGridTest)
#include "buffer_grid_test.moc"
