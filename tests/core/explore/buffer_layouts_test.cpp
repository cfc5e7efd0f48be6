// SPDX-License-Identifier: Apache-2.0
// Places of elements before and after transform_layout, a swizzle and storage_align.
#include "core/explore/trace/buffer_layouts.h"

#include "core/schedule/script/reader.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::explore;

namespace {

std::vector<LayoutChange> changesOf(std::string_view program, const std::string &script)
{
    const auto root = schedule::makeState(tests::program(program));
    const auto run = schedule::runScheduleScript(*root, "def apply_trace(sch):\n" + script, "test.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : run->steps)
        steps.push_back(each.step);
    return layoutChanges(*StepPath::along(*root, steps), *target::parseTarget("llvm"));
}

std::int64_t placeIn(const LayoutGrid &grid, const LayoutChange &change, std::int64_t row,
                     std::int64_t column)
{
    return grid.offsets[static_cast<std::size_t>(row * change.columns + column)];
}

} // namespace

class BufferLayoutsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Columns in panels of 16.
    void panels()
    {
        const auto changes =
            changesOf("matmul", "  b = sch.get_block(\"C\")\n  sch.transform_layout(b, (\"read\", 1), "
                                "lambda k, j: (j // 16, k, j % 16))\n");
        QCOMPARE(changes.size(), std::size_t{1});
        const LayoutChange &change = changes.front();
        QCOMPARE(change.buffer, std::string("B"));
        QCOMPARE(change.rows, 64);
        QCOMPARE(change.before.shape, std::string("(128, 128)"));
        QCOMPARE(change.after.shape, std::string("(8, 128, 16)"));
        for (const std::int64_t row : {0, 3, 63}) {
            for (const std::int64_t column : {0, 15, 16, 50}) {
                QCOMPARE(placeIn(change.before, change, row, column), row * 128 + column);
                QCOMPARE(placeIn(change.after, change, row, column),
                         column / 16 * 128 * 16 + row * 16 + column % 16);
            }
        }
    }

    /// Rows of 128 begin 136 apart.
    void alignedRows()
    {
        const auto changes =
            changesOf("mm_relu", "  sch.storage_align(sch.get_block(\"C\"), 0, -2, 32, 8)\n");
        QCOMPARE(changes.size(), std::size_t{1});
        const LayoutChange &change = changes.front();
        QCOMPARE(change.buffer, std::string("C"));
        QCOMPARE(placeIn(change.before, change, 2, 5), 2 * 128 + 5);
        QCOMPARE(placeIn(change.after, change, 2, 5), 2 * 136 + 5);
        QVERIFY(change.after.shape.ends_with("strides (136, 1)"));
    }

    void otherSteps()
    {
        QVERIFY(
            changesOf("matmul", "  sch.split(sch.get_loops(sch.get_block(\"C\"))[0], [None, 8])\n").empty());
    }
};

QTEST_MAIN(BufferLayoutsTest)
#include "buffer_layouts_test.moc"
