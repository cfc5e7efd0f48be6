// SPDX-License-Identifier: Apache-2.0
/// Random programs under random legal schedules: the result computes the same, is well-formed, and can be
/// written, read and replayed. NESTWRIGHT_FUZZ_SEED and NESTWRIGHT_FUZZ_COUNT choose the programs,
/// NESTWRIGHT_FUZZ_PRIMITIVES ("split,fuse") the primitives (all of them when it is not given),
/// NESTWRIGHT_FUZZ_OUT a folder for what fails.
#include "core/schedule/script/writer.h"
#include "core/script/print/printer.h"
#include "tests/support/check_primitive.h"
#include "tests/support/extremes.h"
#include "tests/support/large_program.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"
#include "tests/support/shrink.h"
#include "tests/support/size_bounds.h"

#include <QtTest>

#include <algorithm>
#include <format>
#include <map>
#include <utility>

using namespace nestwright;
using namespace nestwright::tests;
using schedule::ScriptRun;
using schedule::State;

namespace {

constexpr int wantedSteps = 8, mostTries = 80;
constexpr double bearable = 1e6; // iterations of the interpreter, and elements of a buffer

/// With numbers at the ends of their types, where the program bears them.
std::string wrongWith(const State &initial, const ScriptRun &run)
{
    return firstFault(initial, run, {.extremes = bearsExtremes(initial.module)});
}

/// The run of those of `steps` that are legal one after the other.
ScriptRun runOf(const State &initial, const std::vector<schedule::Step> &steps)
{
    ScriptRun run{initial, {}};
    for (const schedule::Step &step : steps) {
        const auto parts = schedule::expand(run.state, step);
        if (!parts)
            continue;
        for (const schedule::Step &part : *parts) {
            auto applied = schedule::apply(run.state, part);
            if (!applied)
                break;
            run.state = std::move(applied->state);
            run.steps.push_back({part, std::move(applied->outputs), 0});
        }
    }
    return run;
}

/// Steps left out one by one as long as something is still wrong.
std::vector<schedule::Step> minimised(const State &initial, std::vector<schedule::Step> steps)
{
    for (std::size_t i = steps.size(); i-- > 0;) {
        std::vector<schedule::Step> fewer = steps;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (!wrongWith(initial, runOf(initial, fewer)).empty())
            steps = std::move(fewer);
    }
    return steps;
}

/// The failure after shrinking. A failure of the script itself keeps its program.
std::string smallest(const State &initial, const std::vector<schedule::Step> &steps, std::uint64_t seed)
{
    const std::string name = "seed_" + std::to_string(seed);
    const ScriptRun smaller = runOf(initial, minimised(initial, steps));
    std::vector<schedule::Step> fewest; // without those that are no longer legal
    for (const auto &taken : smaller.steps)
        fewest.push_back(taken.step);
    const auto script = schedule::writeScheduleScript(initial, fewest);
    const std::string why = wrongWith(initial, smaller);
    if (!script)
        return report({initial, script.error().render(), why}, name);
    const auto run = schedule::runScheduleScript(initial, *script, "fuzz.py");
    const std::string again = run ? wrongWith(initial, *run) : "";
    return again.empty() ? report({initial, *script, why}, name)
                         : report(shrunk({initial, *script, again}, wrongWith), name);
}

bool isWanted(const schedule::Step &step)
{
    static const QStringList names =
        qEnvironmentVariable("NESTWRIGHT_FUZZ_PRIMITIVES").split(',', Qt::SkipEmptyParts);
    return names.isEmpty() || names.contains(QString::fromUtf8(step.primitive->name.data()));
}

/// A refused step says why and leaves everything as it was.
std::string whyBadRefusal(const support::Diagnostic &error)
{
    return error.code.empty() || error.message.empty() || error.message.find('\n') != std::string::npos
               ? "a refusal without a clear message: " + error.render()
               : "";
}

} // namespace

class ScheduleFuzzTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomSchedules()
    {
        const int first = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED");
        bool given = false;
        const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT", &given);
        const int count = given ? wanted : 2000;
        std::map<std::string_view, int> legal;
        for (int seed = first; seed < first + count; ++seed) {
            const std::string wrong = oneProgram(static_cast<std::uint64_t>(seed), legal);
            if (!wrong.empty())
                QFAIL(("seed " + std::to_string(seed) + ": " + wrong).c_str());
        }
        for (const auto &[name, times] : legal)
            qInfo("%-24s %d times", std::string(name).c_str(), times);
        // So many programs leave no primitive out.
        QVERIFY(count < 1000 || (legal["split"] > 0 && legal["compute_at"] > 0 && legal["rfactor"] > 0));
    }

    /// Extents and factors near what 32 bits count. Such programs are not run; their points are looked at.
    void largeExtents()
    {
        const int first = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED");
        bool given = false;
        const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT", &given);
        int legal = 0;
        for (int seed = first; seed < first + (given ? wanted : 1000); ++seed) {
            Random random(static_cast<std::uint64_t>(seed));
            State state = scheduled(largeProgram(random));
            bool isWhole = true;
            std::vector<schedule::Step> steps;
            for (int tries = 0; tries < mostTries && steps.size() < wantedSteps; ++tries) {
                const schedule::Step step = randomStep(state, random, Breadth::All);
                auto applied = schedule::apply(state, step);
                if (!applied)
                    continue;
                ++legal;
                isWhole = isWhole && keepsBlocksWhole(step);
                steps.push_back(step);
                const State before = std::exchange(state, std::move(applied->state));
                const auto why = whyWraps(*state.module.mainEntry()->function, random, isWhole);
                if (why) {
                    QFAIL(std::format("seed {}: {} after {}\n{}\nbefore:\n{}", seed, *why,
                                      step.primitive->name, script::print(state.module).text,
                                      script::print(before.module).text)
                              .c_str());
                }
            }
        }
        qInfo("%d steps", legal);
        QVERIFY(legal > 0);
    }

private:
    /// Steps after which the loops around a block run through all its points.
    static bool keepsBlocksWhole(const schedule::Step &step)
    {
        static const QStringList names{"split",    "fuse",      "reorder",       "tile",
                                       "parallel", "vectorize", "unroll",        "transform_layout",
                                       "annotate", "set_scope", "add_unit_loop", "transform_block_layout"};
        return names.contains(QString::fromUtf8(step.primitive->name.data()));
    }

    static std::string oneProgram(std::uint64_t seed, std::map<std::string_view, int> &legal)
    {
        Random random(seed);
        const std::string program = randomProgram(random, Breadth::All);
        const State initial = scheduled(program);
        const std::string before = script::print(initial.module).text;
        State state = initial;
        std::vector<schedule::Step> steps;
        for (int tries = 0; tries < mostTries && steps.size() < wantedSteps; ++tries) {
            const schedule::Step step = randomStep(state, random, Breadth::All);
            if (!isWanted(step))
                continue;
            auto applied = schedule::apply(state, step);
            if (!applied) {
                if (const std::string bad = whyBadRefusal(applied.error()); !bad.empty())
                    return bad;
                continue;
            }
            if (mostIterations(applied->state.module) > bearable
                || mostElements(applied->state.module) > bearable)
                continue;
            ++legal[step.primitive->name];
            steps.push_back(step);
            state = std::move(applied->state);
        }
        if (script::print(initial.module).text != before)
            return "the state before has changed\n" + before;
        const std::string wrong = wrongWith(initial, runOf(initial, steps));
        if (wrong.empty())
            return {};
        return smallest(initial, steps, seed);
    }
};

QTEST_GUILESS_MAIN(ScheduleFuzzTest)
#include "schedule_fuzz_test.moc"
