// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded runs for their player: what is recorded, and buffers as cells.
#include "app/present/replay_page.h"

#include "core/schedule/script/reader.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;
using explore::Replay;
using explore::ReplayCursor;
using player::GridCells;

namespace {

const target::Target processor = *target::parseTarget("llvm");

explore::StepPath pathOf(std::string_view program) { return explore::StepPath(scheduled(program)); }

/// Of one buffer, which is read at `elements`, a step each; the last is written. `reuse`: the class of all.
std::shared_ptr<Replay> reading(std::vector<std::int64_t> shape, const std::vector<std::uint32_t> &elements,
                                std::uint8_t reuse = 3)
{
    auto replay = std::make_shared<Replay>();
    explore::TracedBuffer buffer{.name = "A", .shape = shape, .strides = shape, .elementBytes = 4};
    std::int64_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i])
        buffer.strides[i] = stride;
    buffer.bytes = stride * 4;
    replay->tables.buffers.push_back(buffer);
    replay->tables.accesses = {{{}, "", 0, false}, {{}, "", 0, true}};
    replay->firstAccess.push_back(0);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const bool isLast = i + 1 == elements.size();
        replay->accesses.push_back({elements[i], static_cast<std::uint16_t>(isLast ? 1 : 0), 0, reuse});
        replay->firstAccess.push_back(static_cast<std::uint32_t>(i) + 1);
    }
    return replay;
}

GridCells gridAfter(const std::shared_ptr<Replay> &replay, std::size_t steps)
{
    ReplayCursor cursor(replay);
    cursor.moveTo(steps);
    return app::gridOf(cursor, 0);
}

quint8 cell(const GridCells &grid, int row, int column)
{
    return grid.cells.at(static_cast<std::size_t>(row * grid.columns + column));
}

bool isTouched(quint8 cell) { return cell != player::absentCell && (cell & player::Touched) != 0; }

qsizetype touchedIn(const GridCells &grid) { return std::ranges::count_if(grid.cells, isTouched); }

} // namespace

class ReplayPageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void smallProgramsAsTheyAre()
    {
        const auto page = app::replayOf(pathOf(programText("matmul_small")), processor, {});
        QVERIFY2(page.has_value(), page ? "" : page.error().render().c_str());
        QCOMPARE(page->largest, app::usualLargest);
        QCOMPARE(page->title, QStringLiteral("The program is shown as it is"));
        QCOMPARE(page->text, QString());
        QVERIFY(page->replay->isWhole);
        QCOMPARE(page->replay->stepCount(), 4U * 6 * 8);
    }

    void largeOnesSmaller()
    {
        const auto page = app::replayOf(pathOf(programText("matmul")), processor, {.largest = 16});
        QVERIFY2(page.has_value(), page ? "" : page.error().render().c_str());
        QCOMPARE(page->largest, 16);
        QCOMPARE(page->title, QStringLiteral("The program is shown with smaller extents"));
        QCOMPARE(page->text, QStringLiteral("128 → 16."));
        QCOMPARE(page->replay->stepCount(), 16U * 16 * 16);
    }

    /// The extent that a person wishes is taken even where the run is longer than what is kept; without a
    /// wish the largest is taken of which all is.
    void longRuns()
    {
        const auto wished = app::replayOf(pathOf(programText("matmul")), processor, {.largest = 128});
        QVERIFY(wished.has_value());
        QVERIFY(!wished->replay->isWhole);
        QCOMPARE(wished->title, QStringLiteral("The program is shown as it is"));
        const QString kept = QLocale().toString(static_cast<qlonglong>(wished->replay->accesses.size()));
        QCOMPARE(wished->text, QStringLiteral("Its first %1 accesses are kept.").arg(kept));
        const auto free = app::replayOf(pathOf(programText("matmul")), processor, {});
        QVERIFY(free.has_value());
        QVERIFY(free->replay->isWhole);
        QCOMPARE(free->largest, app::usualLargest);
        QCOMPARE(free->replay->stepCount(), 64U * 64 * 64);
    }

    /// A share of the caches has as many times fewer sets, at least one.
    void smallerCaches()
    {
        const auto whole = app::replayOf(pathOf(programText("matmul_small")), processor, {});
        const auto quarter = app::replayOf(pathOf(programText("matmul_small")), processor, {.cacheShare = 4});
        const auto least =
            app::replayOf(pathOf(programText("matmul_small")), processor, {.cacheShare = 1 << 30});
        QVERIFY(whole && quarter && least);
        for (std::size_t i = 0; i < whole->replay->levels.size(); ++i) {
            QCOMPARE(quarter->replay->levels[i].sets(), whole->replay->levels[i].sets() / 4);
            QCOMPARE(quarter->replay->levels[i].ways, whole->replay->levels[i].ways);
            QCOMPARE(least->replay->levels[i].sets(), 1);
        }
    }

    void refused()
    {
        const auto page = app::replayOf(pathOf(R"(@T.prim_func
def main(A: T.Buffer((4200, 4000), "int8"), B: T.Buffer((4,), "int8")):
    for i in range(4):
        with T.block("B"):
            vi = T.axis.spatial(4, i)
            B[vi] = A[vi, 0]
)"),
                                        processor, {.largest = 5000});
        QVERIFY(!page);
        QCOMPARE(page.error().code, std::string("explore.too-many-elements"));
    }

    /// Memory that no access goes to is not shown.
    void buffers()
    {
        auto replay = reading({4, 4}, {1, 2});
        replay->tables.buffers.push_back({.name = "unused", .shape = {4}, .strides = {1}, .bytes = 16});
        replay->tables.buffers.push_back({.name = "never allocated", .shape = {4}, .strides = {1}});
        replay->tables.accesses.push_back({{}, "", 2, false});
        QCOMPARE(app::shownBuffers(*replay), std::vector<std::size_t>{0});
        const auto page = app::replayOf(pathOf(programText("matmul_small")), processor, {});
        QStringList names;
        for (const std::size_t buffer : app::shownBuffers(*page->replay))
            names << QString::fromStdString(page->replay->tables.buffers[buffer].name);
        QCOMPARE(names, (QStringList{"A", "B", "C"}));
    }

    void cellsOfAMatrix()
    {
        const auto replay = reading({2, 3}, {0, 4});
        const GridCells before = gridAfter(replay, 0);
        QCOMPARE(before.title, QStringLiteral("A"));
        QCOMPARE(before.detail, QStringLiteral("2 × 3"));
        QCOMPARE(before.rows, 2);
        QCOMPARE(before.columns, 3);
        QCOMPARE(before.cells, std::vector<quint8>(6, player::untouchedCell));
        const GridCells one = gridAfter(replay, 1);
        QCOMPARE(int{cell(one, 0, 0)}, 3 | player::Touched | player::Recent | player::ReadNow);
        QCOMPARE(touchedIn(one), 1);
        const GridCells two = gridAfter(replay, 2);
        QCOMPARE(int{cell(two, 0, 0)}, 3 | player::Touched | player::Recent);
        QCOMPARE(int{cell(two, 1, 1)}, 3 | player::Touched | player::Recent | player::WrittenNow);
    }

    /// Of what lies further back only the class of its last touch is seen.
    void oldTouches()
    {
        std::vector<std::uint32_t> elements{5};
        elements.resize(66, 7);
        const auto replay = reading({2, 4}, elements, 6);
        QCOMPARE(int{cell(gridAfter(replay, 64), 1, 1)}, 6 | player::Touched | player::Recent);
        QCOMPARE(int{cell(gridAfter(replay, 65), 1, 1)}, 6 | player::Touched);
        QCOMPARE(int{cell(gridAfter(replay, 65), 1, 3)},
                 6 | player::Touched | player::Recent | player::ReadNow);
    }

    /// One dimension is shown in rows of 64; behind its last element there are no cells.
    void rowsOfOneDimension()
    {
        const GridCells grid = gridAfter(reading({100}, {99, 64}), 2);
        QCOMPARE(grid.rows, 2);
        QCOMPARE(grid.columns, 64);
        QCOMPARE(grid.detail, QStringLiteral("100"));
        QVERIFY(isTouched(cell(grid, 1, 35)) && isTouched(cell(grid, 1, 0)));
        QCOMPARE(touchedIn(grid), 2);
        QCOMPARE(std::ranges::count(grid.cells, player::absentCell), 28);
        QCOMPARE(cell(grid, 1, 36), player::absentCell);
        const GridCells few = gridAfter(reading({5}, {4}), 1);
        QCOMPARE(few.rows, 1);
        QCOMPARE(few.columns, 5);
    }

    void longDimensions()
    {
        const GridCells grid = gridAfter(reading({40'000}, {3, 32'768}), 2);
        QCOMPARE(grid.detail, QStringLiteral("40000, elements 32768 … 39999"));
        QVERIFY(isTouched(cell(grid, 0, 0)));
        QCOMPARE(touchedIn(grid), 1);
        QCOMPARE(grid.rows, (40'000 - 32'768 + 63) / 64);
    }

    /// Elements that lie apart in memory are shown beside each other.
    void dimensionsWithGaps()
    {
        const auto apart = [](std::int64_t size, const std::vector<std::uint32_t> &elements) {
            auto replay = reading({size}, elements);
            replay->tables.buffers[0].strides = {2};
            replay->tables.buffers[0].bytes = size * 2 * 4;
            return replay;
        };
        const GridCells few = gridAfter(apart(100, {2 * 70}), 1);
        QCOMPARE(few.rows, 2);
        QVERIFY(cell(few, 1, 6) & player::WrittenNow);
        QCOMPARE(touchedIn(few), 1);
        const GridCells many = gridAfter(apart(40'000, {2 * 35'000}), 1);
        QCOMPARE(many.detail, QStringLiteral("40000, elements 32768 … 39999"));
        QVERIFY(cell(many, (35'000 - 32'768) / 64, (35'000 - 32'768) % 64) & player::WrittenNow);
    }

    void oneElement()
    {
        const GridCells grid = gridAfter(reading({}, {0}), 1);
        QCOMPARE(grid.detail, QStringLiteral("one element"));
        QCOMPARE(grid.cells.size(), 1U);
        QVERIFY(cell(grid, 0, 0) & player::WrittenNow);
        const GridCells none = gridAfter(reading({0, 4}, {}), 0);
        QVERIFY(none.cells.empty());
    }

    /// Of three dimensions and more the matrix that was touched last.
    void slices()
    {
        const auto replay = reading({2, 3, 4, 5}, {7, 1 * 60 + 2 * 20 + 3 * 5 + 4});
        const GridCells first = gridAfter(replay, 1), second = gridAfter(replay, 2);
        QCOMPARE(first.detail, QStringLiteral("[0, 0, :, :] of 2 × 3 × 4 × 5"));
        QCOMPARE(first.rows, 4);
        QCOMPARE(first.columns, 5);
        QVERIFY(cell(first, 1, 2) & player::ReadNow);
        QCOMPARE(second.detail, QStringLiteral("[1, 2, :, :] of 2 × 3 × 4 × 5"));
        QVERIFY(cell(second, 3, 4) & player::WrittenNow);
        QCOMPARE(touchedIn(second), 1);
    }

    /// Of large matrices the part of 512 rows and columns that was touched last.
    void parts()
    {
        const auto replay = reading({600, 700}, {0, 513 * 700 + 5, 599 * 700 + 699});
        const GridCells first = gridAfter(replay, 1), second = gridAfter(replay, 2),
                        third = gridAfter(replay, 3);
        QCOMPARE(first.detail, QStringLiteral("600 × 700, rows 0 … 511, columns 0 … 511"));
        QCOMPARE(first.rows * first.columns, 512 * 512);
        QCOMPARE(second.detail, QStringLiteral("600 × 700, rows 512 … 599, columns 0 … 511"));
        QVERIFY(cell(second, 1, 5) & player::ReadNow);
        QCOMPARE(touchedIn(second), 1);
        QCOMPARE(third.detail, QStringLiteral("600 × 700, rows 512 … 599, columns 512 … 699"));
        QCOMPARE(third.columns, 188);
        QVERIFY(cell(third, 87, 187) & player::WrittenNow);
        QCOMPARE(touchedIn(third), 1);
    }

    /// Rows may be longer in memory than they are wide: what lies between them is in no column.
    void rowsWithGaps()
    {
        const auto replay = reading({2, 512}, {639, 640 + 3});
        replay->tables.buffers[0].strides = {640, 1};
        replay->tables.buffers[0].bytes = 2 * 640 * 4;
        const GridCells gap = gridAfter(replay, 1), second = gridAfter(replay, 2);
        QCOMPARE(gap.detail, QStringLiteral("2 × 512"));
        QCOMPARE(gap.columns, 512);
        QCOMPARE(touchedIn(gap), 0);
        QCOMPARE(touchedIn(second), 1);
        QVERIFY(cell(second, 1, 3) & player::WrittenNow);
    }

    /// Cells outside of the part that is seen are marked nowhere.
    void stepsThatTouchSeveral()
    {
        const auto replay =
            reading({600, 700}, {600, 5 * 700 + 3, 2 * 700 + 600, 512 * 700 + 3, 3 * 700 + 4, 9});
        replay->firstAccess = {0, 5, 6}; // the first step makes all but the last
        const GridCells grid = gridAfter(replay, 1);
        const auto isReadNow = [](quint8 each) { return (each & player::ReadNow) != 0; };
        QCOMPARE(std::ranges::count_if(grid.cells, isReadNow), 2);
        QVERIFY(isReadNow(cell(grid, 5, 3)) && isReadNow(cell(grid, 3, 4)));
    }

    void classesOfReuse()
    {
        const QStringList texts = app::reuseTexts();
        QCOMPARE(texts.size(), qsizetype{explore::reuseClasses});
        QCOMPARE(QSet<QString>(texts.begin(), texts.end()).size(), texts.size());
        QCOMPARE(texts[explore::firstTouchClass], QStringLiteral("first touch"));
        QVERIFY(texts.size() < player::absentCell); // each is a class of a cell
    }
};

QTEST_GUILESS_MAIN(ReplayPageTest)
#include "replay_page_test.moc"
