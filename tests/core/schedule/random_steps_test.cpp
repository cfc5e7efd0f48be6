// SPDX-License-Identifier: Apache-2.0
// Random programs under random steps, always the same ones: legal steps keep the results, the others say why
// not. The fuzzers (tests/fuzz) meet many more.
#include "core/schedule/apply.h"
#include "core/script/print/printer.h"
#include "tests/support/check_primitive.h"
#include "tests/support/extremes.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"

#include <QtTest>

#include <map>

using namespace nestwright;
using namespace nestwright::tests;
using schedule::State;

namespace {

constexpr int programCount = 150, wantedSteps = 8, mostTries = 80;

} // namespace

class RandomStepsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void legalStepsKeepWhatIsComputed()
    {
        std::map<std::string_view, int> legal;
        for (std::uint64_t seed = 0; seed < programCount; ++seed) {
            const std::string wrong = wrongUnder(500'000'000 + seed, legal);
            QVERIFY2(wrong.empty(), ("seed " + std::to_string(seed) + ": " + wrong).c_str());
        }
        // So many programs let most primitives act.
        QVERIFY2(legal.size() >= 30, std::to_string(legal.size()).c_str());
    }

private:
    static std::string wrongUnder(std::uint64_t seed, std::map<std::string_view, int> &legal)
    {
        Random random(seed);
        const State initial = scheduled(randomProgram(random));
        const std::string before = script::print(initial.module).text;
        schedule::ScriptRun run{initial, {}};
        for (int tries = 0; tries < mostTries && run.steps.size() < wantedSteps; ++tries) {
            const schedule::Step step = randomStep(run.state, random);
            auto applied = schedule::apply(run.state, step);
            if (!applied) {
                const support::Diagnostic &error = applied.error();
                if (error.code.empty() || error.message.empty() || error.message.contains('\n'))
                    return "a refusal without a clear message: " + error.render();
                continue;
            }
            ++legal[step.primitive->name];
            run.state = std::move(applied->state);
            run.steps.push_back({step, std::move(applied->outputs), 0});
        }
        if (script::print(initial.module).text != before)
            return "the state before has changed\n" + before;
        return firstFault(initial, run, {.extremes = bearsExtremes(initial.module)});
    }
};

QTEST_GUILESS_MAIN(RandomStepsTest)
#include "random_steps_test.moc"
