// SPDX-License-Identifier: Apache-2.0
/// Random programs under random legal schedules are sealed, and what the passes make of them; with a fault in
/// them, the seal finds each that changes a result. NESTWRIGHT_FUZZ_SEED and NESTWRIGHT_FUZZ_COUNT choose the
/// programs.
#include "core/explore/judge/seal.h"
#include "core/lower/pipeline.h"
#include "core/schedule/apply.h"
#include "core/script/print/printer.h"
#include "tests/support/check.h"
#include "tests/support/check_primitive.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"
#include "tests/support/seeded_fault.h"

#include <QtTest>

#include <chrono>
#include <format>
#include <map>

using namespace nestwright;
using namespace nestwright::explore;
using namespace nestwright::tests;
using Outcome = Seal::Outcome;

namespace {

constexpr int wantedSteps = 7, mostTries = 60;

int numberOf(const char *variable, int otherwise)
{
    bool given = false;
    const int number = qEnvironmentVariableIntValue(variable, &given);
    return given ? number : otherwise;
}

struct Programs {
    ir::Module unscheduled, scheduled;
};

Programs programsOf(std::uint64_t seed)
{
    Random random(seed);
    schedule::State state = scheduled(randomProgram(random, Breadth::All));
    Programs programs{state.module, {}};
    int steps = 0;
    for (int tries = 0; tries < mostTries && steps < wantedSteps; ++tries) {
        if (auto applied = schedule::apply(state, randomStep(state, random))) {
            ++steps;
            state = std::move(applied->state);
        }
    }
    programs.scheduled = state.module;
    return programs;
}

Seal sealOf(const Programs &programs)
{
    SealOptions options;
    options.steps = 20'000'000;
    return seal(programs.unscheduled, programs.scheduled, options).value();
}

std::string shown(const Programs &programs, const Seal &seal)
{
    return std::format("{}\n{}\n{}", seal.reason.message, script::print(programs.unscheduled).text,
                       script::print(programs.scheduled).text);
}

/// Counts of sealed steps and of all, with reasons.
struct Tally {
    int all = 0, equal = 0;
    std::map<std::string, int> reasons;

    void note(const Seal &seal)
    {
        ++all;
        if (seal.outcome == Outcome::Equal)
            ++equal;
        else
            ++reasons[seal.reason.code];
    }
    void show(const char *what) const
    {
        qInfo("%s: %d of %d sealed", what, equal, all);
        for (const auto &[code, times] : reasons)
            qInfo("  %s: %d", code.c_str(), times);
    }
};

} // namespace

class SealFuzzTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_first = numberOf("NESTWRIGHT_FUZZ_SEED", 0);
        m_count = numberOf("NESTWRIGHT_FUZZ_COUNT", 300);
    }

    void schedulesAreSealed()
    {
        Tally tally;
        for (int seed = m_first; seed < m_first + m_count; ++seed) {
            const Programs programs = programsOf(static_cast<std::uint64_t>(seed));
            const Seal seal = sealOf(programs);
            tally.note(seal);
            if (seal.outcome == Outcome::Differs)
                QFAIL(std::format("seed {}: {}", seed, shown(programs, seal)).c_str());
        }
        tally.show("schedules");
        QVERIFY(m_count < 100 || tally.equal * 100 >= tally.all * 85);
    }

    void passesAreSealed()
    {
        Tally tally;
        for (int seed = m_first; seed < m_first + m_count / 4; ++seed) {
            Programs programs = programsOf(static_cast<std::uint64_t>(seed));
            const auto lowered = lower::lower(programs.scheduled, {}, {.keepRecords = true, .stop = {}});
            for (std::size_t i = 0; lowered && i < lowered->records.size(); ++i) {
                const lower::PassRecord &record = lowered->records[i];
                if (record.unchanged)
                    continue;
                programs.scheduled = record.after;
                const Seal seal = sealOf(programs);
                tally.note(seal);
                if (seal.outcome == Outcome::Differs)
                    QFAIL(std::format("seed {}, after {}: {}", seed, record.name, shown(programs, seal))
                              .c_str());
            }
        }
        tally.show("passes");
    }

    /// Faults in scheduled programs, and in what a pass made of them.
    void faultsAreFound()
    {
        int faults = 0, unknown = 0;
        std::map<std::string, int> kinds, reasons;
        for (int seed = m_first; seed < m_first + 2 * m_count; ++seed) {
            Random random(static_cast<std::uint64_t>(seed) + 7'000'000);
            const Programs right = programsOf(static_cast<std::uint64_t>(seed));
            ir::Module broken = right.scheduled;
            if (seed % 2 == 1) {
                const auto lowered = lower::lower(right.scheduled, {}, {.keepRecords = true, .stop = {}});
                if (!lowered)
                    continue;
                const auto &records = lowered->records;
                broken =
                    records[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(records.size())))]
                        .after;
            }
            const SeededFault fault = withFault(broken, random);
            if (fault.about.empty())
                continue;
            const auto wrong = whyNotEquivalent(right.unscheduled, fault.module, {.findUnwritten = false});
            if (!wrong || wrong->contains("step"))
                continue;
            const Programs programs{right.unscheduled, fault.module};
            const Seal seal = sealOf(programs);
            ++faults;
            ++kinds[fault.about];
            if (seal.outcome == Outcome::DoesNotApply) {
                ++unknown;
                ++reasons[seal.reason.code + (wrong->contains("interp.") ? ", which does not run" : "")];
            }
            if (seal.outcome == Outcome::Equal)
                QFAIL(std::format("seed {}: {} is missed, {}\n{}", seed, fault.about, *wrong,
                                  shown(programs, seal))
                          .c_str());
        }
        qInfo("%d faults that change a result; of %d the seal does not apply", faults, unknown);
        for (const auto *tally : {&reasons, &kinds}) {
            for (const auto &[what, times] : *tally)
                qInfo("  %s: %d", what.c_str(), times);
        }
        QVERIFY(m_count < 100 || faults > 0);
    }

private:
    int m_first = 0, m_count = 0;
};

QTEST_GUILESS_MAIN(SealFuzzTest)
#include "seal_fuzz_test.moc"
