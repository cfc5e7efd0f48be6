// SPDX-License-Identifier: Apache-2.0
// Random programs under random steps, always the same ones: every pass keeps their results, and leaves
// nothing for itself to do again. The fuzzers (tests/fuzz) meet many more.
#include "core/ir/builder.h"
#include "core/ir/equality.h"
#include "core/ir/intrinsics.h"
#include "core/ir/rewriter.h"
#include "core/ir/walk.h"
#include "core/lower/pipeline.h"
#include "core/script/printer.h"
#include "tests/support/check.h"
#include "tests/support/extremes.h"
#include "tests/support/random_step.h"

#include <QtTest>

#include <format>
#include <set>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr int programCount = 120;

/// The first construct that must not be left in a lowered function, or nothing.
std::string leftIn(const ir::PrimFunc &function)
{
    std::string left;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        const auto *loop = s.as<ir::For>();
        const auto *branch = s.as<ir::IfThenElse>();
        if (loop && loop->forKind == ir::ForKind::Vectorized)
            left = "a vectorized loop over " + loop->var.name();
        else if (loop && ir::isConstInt(loop->extent, 1) && loop->forKind != ir::ForKind::ThreadBinding)
            left = "a loop that runs once over " + loop->var.name();
        else if (branch && (ir::isTrue(branch->condition) || ir::isFalse(branch->condition)))
            left = "a condition that is known";
        return left.empty();
    });
    return left;
}

/// Leaves some serial loops, or their iterations, before or behind what they do, at some of their turns.
class Leaving : public ir::Rewriter {
public:
    explicit Leaving(Random *random) : m_random(*random) {}
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt changed = children(s);
        const auto *loop = changed.as<ir::For>();
        if (!loop || loop->forKind != ir::ForKind::Serial || m_random.below(3) == 0)
            return changed;
        const ir::Stmt jump = ir::evaluate(ir::callIntrinsic(
            m_random.below(2) ? ir::intrinsics::breakLoop : ir::intrinsics::continueLoop, {}));
        const ir::Expr turn = ir::constant(m_random.below(5), loop->var.dtype());
        const ir::Stmt leave = ir::ifThenElse(ir::eq(loop->var - loop->min, turn), jump);
        ir::For made = *loop;
        made.body = m_random.below(2) ? ir::seq({leave, loop->body}) : ir::seq({loop->body, leave});
        return ir::make(std::move(made));
    }

private:
    Random &m_random;
};

} // namespace

class RandomProgramsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPassKeepsWhatIsComputed()
    {
        std::set<std::string> acted;
        for (std::uint64_t seed = 0; seed < programCount; ++seed) {
            const ir::Module scheduled = randomlyScheduled(600'000'000 + seed).module;
            const auto lowered = lower::lower(scheduled, {}, {.keepRecords = true, .stop = {}});
            QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
            const Equivalence options{.extremes = bearsExtremes(scheduled)};
            for (const lower::PassRecord &record : lowered->records) {
                if (record.unchanged)
                    continue;
                acted.insert(record.name);
                const auto why = whyNotEquivalent(scheduled, record.after, options);
                QVERIFY2(!why, std::format("seed {}, after {}: {}\n{}", seed, record.name, why.value_or(""),
                                           script::print(record.after).text)
                                   .c_str());
            }
            for (const ir::Module::Entry &entry : lowered->module.functions()) {
                const std::string left = leftIn(*entry.function);
                QVERIFY2(left.empty(), std::format("seed {}: {} is left\n{}", seed, left,
                                                   script::print(lowered->module).text)
                                           .c_str());
            }
        }
        std::set<std::string_view> all;
        for (const lower::Pass *pass : lower::pipeline({}))
            all.insert(pass->name);
        // Tiles are staged in large programs only, and nothing there is left early or open.
        QVERIFY(acted.size() + 3 >= all.size());
    }

    void loopsThatAreLeftAtRandom()
    {
        int left = 0;
        for (std::uint64_t seed = 0; seed < programCount; ++seed) {
            const auto lowered = lower::lower(randomlyScheduled(800'000'000 + seed).module, {},
                                              {.keepRecords = true, .stop = {}});
            QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
            const auto blocks = std::ranges::find(lowered->records, "lower-blocks", &lower::PassRecord::name);
            if (blocks == lowered->records.end())
                continue;
            Random random(seed);
            const ir::Module leaving = ir::rewriteModule<Leaving>(blocks->after, &random);

            if (whyNotEquivalent(leaving, leaving)) // reads what is not written now
                continue;
            const auto again = lower::lower(leaving, {});
            QVERIFY2(again, again ? "" : again.error().render().c_str());
            left += ir::firstDifference(leaving, blocks->after) ? 1 : 0;
            const auto why = whyNotEquivalent(leaving, again->module);
            QVERIFY2(
                !why,
                std::format("seed {}: {}\n{}", seed, why.value_or(""), script::print(leaving).text).c_str());
        }
        QVERIFY(left > static_cast<int>(programCount) / 2);
    }

    void passesLeaveNothingForThemselves()
    {
        for (std::uint64_t seed = 0; seed < programCount / 2; ++seed) {
            const auto lowered = lower::lower(randomlyScheduled(700'000'000 + seed).module, {},
                                              {.keepRecords = true, .stop = {}});
            QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
            for (const lower::PassRecord &record : lowered->records) {
                if (record.name == "simplify" || record.name == "lower-blocks"
                    || record.name == "loop-partition")
                    continue;
                const lower::Pass *pass = lower::findPass(record.name);
                const ir::Module again = pass->run(record.after, {});
                const auto difference = ir::firstDifference(record.after, again);
                QVERIFY2(!difference, std::format("seed {}, {} again: {}\n{}", seed, record.name,
                                                  difference.value_or(""), script::print(record.after).text)
                                          .c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(RandomProgramsTest)
#include "random_programs_test.moc"
