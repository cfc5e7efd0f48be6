// SPDX-License-Identifier: Apache-2.0
/// Random programs under random legal schedules: every pass keeps their results, and so do the backends (C
/// for every tenth program: its compiler is slow). NESTWRIGHT_FUZZ_SEED and NESTWRIGHT_FUZZ_COUNT choose the
/// programs, NESTWRIGHT_FUZZ_OUT a folder for what fails.
#include "core/ir/build/walk.h"
#include "core/lower/pipeline.h"
#include "core/schedule/script/writer.h"
#include "core/script/print/printer.h"
#include "core/support/errors/errors.h"
#include "tests/support/backends.h"
#include "tests/support/check_primitive.h"
#include "tests/support/extremes.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"
#include "tests/support/shrink.h"
#include "tests/support/size_bounds.h"

#include <QtTest>

#include <format>

using namespace nestwright;
using namespace nestwright::tests;
using schedule::State;

namespace {

constexpr int wantedSteps = 6, mostTries = 60;
constexpr double bearable = 1e6; // iterations of the interpreter, and elements of a buffer

struct Scheduled {
    State state;
    std::vector<schedule::Step> steps;
};

Scheduled randomlyScheduled(const State &initial, Random &random)
{
    Scheduled result{initial, {}};
    for (int tries = 0; tries < mostTries && result.steps.size() < wantedSteps; ++tries) {
        const schedule::Step step = randomStep(result.state, random, Breadth::All);
        auto applied = schedule::apply(result.state, step);
        if (applied && mostIterations(applied->state.module) <= bearable
            && mostElements(applied->state.module) <= bearable) {
            result.steps.push_back(step);
            result.state = std::move(applied->state);
        }
    }
    return result;
}

/// Loops bound to threads are for other targets.
bool hasThreads(const ir::Module &module)
{
    bool found = false;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::forEachStmt(entry.function->body, [&](const ir::Stmt &s) {
            const auto *loop = s.as<ir::For>();
            found = found || (loop && loop->forKind == ir::ForKind::ThreadBinding);
            return !found;
        });
    }
    return found;
}

/// Compares with the scheduled program itself: whether steps keep the meaning is another test.
std::string firstFault(const ir::Module &scheduled, bool withC)
try {
    const Equivalence options{.extremes = bearsExtremes(scheduled)};
    const auto lowered = lower::lower(scheduled, {}, {.keepRecords = true, .stop = {}});
    if (!lowered)
        return lowered.error().render();
    for (const lower::PassRecord &record : lowered->records) {
        if (const auto why =
                record.unchanged ? std::nullopt : whyNotEquivalent(scheduled, record.after, options))
            return std::format("after {}: {}\n{}", record.name, *why, script::print(record.after).text);
    }
    if (hasThreads(scheduled))
        return {};
    for (const std::string_view target : {"llvm", "c"}) {
        if (target == "c" && !withC)
            continue;
        if (const auto why =
                whyNotCompiledRight(*scheduled.mainEntry()->function, scheduled, target, options))
            return std::format("{}: {}", target, *why);
    }
    return {};
} catch (const support::InternalError &error) { // a pass that leaves an ill-formed program
    return error.what();
}

/// The failure after shrinking.
std::string smallest(const State &initial, const std::vector<schedule::Step> &steps, const std::string &why,
                     int seed)
{
    const std::string name = "lowering_seed_" + std::to_string(seed);
    const auto script = schedule::writeScheduleScript(initial, steps);
    if (!script)
        return report({initial, script.error().render(), why}, name);
    return report(shrunk({initial, *script, why},
                         [&](const State &, const schedule::ScriptRun &run) {
                             return firstFault(run.state.module, seed % 10 == 0);
                         }),
                  name);
}

} // namespace

class LoweringFuzzTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomSchedules()
    {
        const int first = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED");
        bool given = false;
        const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT", &given);
        const int count = given ? wanted : 200;
        for (int seed = first; seed < first + count; ++seed) {
            Random random(static_cast<std::uint64_t>(seed));
            const State initial = tests::scheduled(randomProgram(random, Breadth::All));
            const Scheduled result = randomlyScheduled(initial, random);
            const std::string wrong = firstFault(result.state.module, seed % 10 == 0);
            if (wrong.empty())
                continue;
            QFAIL(smallest(initial, result.steps, wrong, seed).c_str());
        }
    }
};

QTEST_GUILESS_MAIN(LoweringFuzzTest)
#include "lowering_fuzz_test.moc"
