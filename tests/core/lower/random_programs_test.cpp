// SPDX-License-Identifier: Apache-2.0
// Random programs under random steps, always the same ones: every pass keeps their results, and leaves
// nothing for itself to do again. The fuzzers (tests/fuzz) meet many more.
#include "core/ir/builder.h"
#include "core/ir/equality.h"
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
        QVERIFY(acted.size() + 1 >= all.size()); // tiles are staged in large programs only
    }

    void passesLeaveNothingForThemselves()
    {
        for (std::uint64_t seed = 0; seed < programCount / 2; ++seed) {
            const auto lowered = lower::lower(randomlyScheduled(700'000'000 + seed).module, {},
                                              {.keepRecords = true, .stop = {}});
            QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
            for (const lower::PassRecord &record : lowered->records) {
                if (record.name == "simplify" || record.name == "lower-blocks"
                    || record.name == "partition-loops")
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
