// SPDX-License-Identifier: Apache-2.0
// Loops that are known by branches alone.
#include "core/backend/listing/flow_loops.h"

#include <QtTest>

using namespace nestwright;
using backend::FlowLoop;
using backend::FlowStep;

namespace {

FlowStep plain() { return {}; }
FlowStep branch(int target) { return {target, true, true}; }
FlowStep jump(int target) { return {target, false, true}; }
FlowStep leave() { return {-1, false, true}; }

using Steps = std::vector<std::size_t>;

} // namespace

class FlowLoopsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothing()
    {
        QVERIFY(backend::flowLoops({}).empty());
        QVERIFY(backend::flowLoops({plain(), leave()}).empty());
    }

    void anInstructionAgainAndAgain()
    {
        const auto loops = backend::flowLoops({plain(), branch(1), leave()});
        QCOMPARE(loops.size(), 1U);
        QCOMPARE(loops[0].header, 1U);
        QCOMPARE(loops[0].steps, (Steps{1}));
        QCOMPARE(loops[0].parent, -1);
    }

    /// Two loops within one, each with its own instructions.
    void nests()
    {
        const auto loops = backend::flowLoops(
            {plain(), plain(), plain(), branch(2), plain(), branch(4), plain(), branch(1), leave()});
        QCOMPARE(loops.size(), 3U);
        QCOMPARE(loops[0].steps, (Steps{1, 6, 7}));
        QCOMPARE(loops[1].steps, (Steps{2, 3}));
        QCOMPARE(loops[1].parent, 0);
        QCOMPARE(loops[2].steps, (Steps{4, 5}));
        QCOMPARE(loops[2].parent, 0);
    }

    /// Entered by a jump to the condition, which stands at the end.
    void conditionAtTheEnd()
    {
        const auto loops = backend::flowLoops({jump(2), plain(), plain(), branch(1), leave()});
        QCOMPARE(loops.size(), 1U);
        QCOMPARE(loops[0].header, 2U);
        QCOMPARE(loops[0].steps, (Steps{1, 2, 3}));
    }

    /// A loop around whose header stands behind that of the loop within it comes first all the same.
    void headersInAnyOrder()
    {
        // 0: jump 3; 1-2: inner; 3: header of the outer
        const auto loops = backend::flowLoops({jump(3), plain(), branch(1), plain(), branch(1), leave()});
        QCOMPARE(loops.size(), 2U);
        QCOMPARE(loops[0].header, 3U);
        QCOMPARE(loops[1].header, 1U);
        QCOMPARE(loops[1].parent, 0);
    }

    /// The first in the code comes first, however large the other is.
    void oneBehindTheOther()
    {
        const auto loops = backend::flowLoops({branch(0), plain(), branch(1), plain(), branch(1), leave()});
        QCOMPARE(loops.size(), 2U);
        QCOMPARE(loops[0].header, 0U);
        QCOMPARE(loops[1].header, 1U);
        QCOMPARE(loops[1].steps, (Steps{1, 2, 3, 4}));
    }

    /// Two branches back to the same place are one loop.
    void twoWaysBack()
    {
        const auto loops = backend::flowLoops({plain(), branch(0), plain(), branch(0), leave()});
        QCOMPARE(loops.size(), 1U);
        QCOMPARE(loops[0].steps, (Steps{0, 1, 2, 3}));
    }

    /// A circle with two entrances has no header that all ways lead through.
    void twoEntrances()
    {
        QVERIFY(backend::flowLoops({branch(2), plain(), plain(), branch(1), leave()}).empty());
        // Step 2 is met first behind step 3, and then known to be reached from step 1 alone, too.
        QVERIFY(backend::flowLoops({branch(3), plain(), branch(1), branch(2), leave()}).empty());
    }

    /// Behind a jump through a table the code begins anew.
    void codeThatNothingLeadsTo()
    {
        const auto loops = backend::flowLoops({leave(), plain(), branch(1), leave()});
        QCOMPARE(loops.size(), 1U);
        QCOMPARE(loops[0].header, 1U);
    }
};

QTEST_GUILESS_MAIN(FlowLoopsTest)
#include "flow_loops_test.moc"
