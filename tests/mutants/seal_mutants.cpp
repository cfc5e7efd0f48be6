// SPDX-License-Identifier: Apache-2.0
/// Faults in the code of schedules and lowering (mutant.h) that change a result, and whether the seal finds
/// them.
///
///     seal_mutants [SEEDS [FROM [TO [PROGRAMS [FIRST]]]]]
///
/// SEEDS programs at most for each of the faults FROM to TO, of those PROGRAMS random ones that reach it, by
/// seeds that begin at FIRST.
///
/// A fault is active while steps are made and programs are lowered; each is tried in a process of its own.
#include "core/explore/judge/seal.h"
#include "core/ir/node/equality.h"
#include "core/lower/pipeline.h"
#include "core/schedule/apply.h"
#include "core/script/print/printer.h"
#include "tests/mutants/mutant.h"
#include "tests/support/check.h"
#include "tests/support/check_primitive.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <format>
#include <map>
#include <optional>
#include <print>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::tests;
using explore::Seal;

namespace {

constexpr int mostMutants = 8000, mostTries = 40, wantedSteps = 6;
constexpr unsigned secondsEach = 40;
constexpr rlim_t bytesEach = rlim_t{4} << 30; ///< a loop may have lost what ends it

/// The fault is active as long as it lives.
class Active {
public:
    explicit Active(int number) { mutant::active = number; }
    ~Active() { mutant::active = 0; }
};

struct Programs {
    ir::Module unscheduled;
    std::vector<ir::Module> made; ///< the scheduled one, and it lowered
};

Programs programsOf(std::uint64_t seed, int number)
{
    Random random(seed);
    schedule::State state = scheduled(randomProgram(random));
    Programs programs{state.module, {}};
    for (int tries = 0, steps = 0; tries < mostTries && steps < wantedSteps; ++tries) {
        const schedule::Step step = randomStep(state, random);
        const Active active(number);
        if (auto applied = schedule::apply(state, step)) {
            ++steps;
            state = std::move(applied->state);
        }
    }
    programs.made.push_back(state.module);
    const Active active(number);
    if (auto lowered = lower::lower(state.module, {}))
        programs.made.push_back(lowered->module);
    return programs;
}

/// Results of the core without faults, by seeds.
std::map<std::uint64_t, Programs> rightPrograms;

enum Outcome : std::uint8_t { Same, Found, Missed, Unjudged, Refused };

std::string reasonOf(const Programs &programs, const ir::Module &made, std::uint64_t seed)
{
    const auto wrong =
        whyNotEquivalent(programs.unscheduled, made, {.seed = seed, .runs = 3, .findUnwritten = false});
    const bool isCalled = wrong && !wrong->contains("interp.argument") && !wrong->contains("step-limit");
    return isCalled ? *wrong : std::string();
}

Outcome judge(const Programs &right, const Programs &made, std::uint64_t seed, bool isShown)
{
    for (std::size_t i = 0; i < made.made.size(); ++i) {
        if (i < right.made.size() && ir::structurallyEqual(right.made[i], made.made[i]))
            continue;
        const std::string wrong = reasonOf(made, made.made[i], seed);
        if (wrong.empty())
            continue;
        explore::SealOptions options;
        options.steps = 20'000'000;
        const Seal seal = explore::seal(made.unscheduled, made.made[i], options).value();
        if (isShown)
            std::println("seed {}: {}\nseal: {} {}\n{}\n{}", seed, wrong, seal.claim(), seal.reason.message,
                         script::print(made.unscheduled).text, script::print(made.made[i]).text);
        switch (seal.outcome) {
        case Seal::Outcome::Equal: return Missed;
        case Seal::Outcome::Differs: return Found;
        case Seal::Outcome::DoesNotApply: return Unjudged;
        }
    }
    return Same;
}

/// The worst outcome of all seeds, by which a child ends.
Outcome tryAll(int number, const std::vector<std::uint64_t> &seeds, bool isShown)
{
    constexpr int enough = 3;
    int found = 0;
    bool isUnjudged = false;
    for (std::size_t i = 0; i < seeds.size() && found < enough; ++i) {
        const std::uint64_t seed = seeds[i];
        const auto known = rightPrograms.find(seed);
        const Programs made = programsOf(seed, number);
        const Outcome outcome = judge(known->second, made, seed, isShown);
        if (outcome == Missed) {
            std::println("MISSED: fault {} at seed {}", number, seed);
            return Missed;
        }
        found += outcome == Found ? 1 : 0;
        isUnjudged = isUnjudged || outcome == Unjudged;
    }
    return found > 0 ? Found : isUnjudged ? Unjudged : Same;
}

Outcome inChild(int number, const std::vector<std::uint64_t> &seeds, bool isShown)
{
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(secondsEach);
        const rlimit limit{bytesEach, bytesEach};
        setrlimit(RLIMIT_AS, &limit);
        Outcome outcome = Refused;
        try {
            outcome = tryAll(number, seeds, isShown);
        } catch (...) {
        }
        std::fflush(stdout);
        _exit(outcome);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status)) : Refused;
}

/// The seeds whose programs reach a fault, by number.
std::vector<std::vector<std::uint64_t>> reachedBy(std::uint64_t first, std::uint64_t programs,
                                                  std::size_t most)
{
    std::vector<std::vector<std::uint64_t>> seeds(mostMutants);
    std::vector<std::uint8_t> reached(mostMutants);
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
        std::ranges::fill(reached, 0);
        mutant::reached = &reached;
        Programs right = programsOf(seed, 0);
        mutant::reached = nullptr;
        bool isUsed = false;
        for (std::size_t number = 0; number < reached.size(); ++number) {
            if (reached[number] && seeds[number].size() < most) {
                seeds[number].push_back(seed);
                isUsed = true;
            }
        }
        if (isUsed)
            rightPrograms.emplace(seed, std::move(right));
    }
    return seeds;
}

} // namespace

int main(int count, char **words)
{
    const auto number = [&](int at, int otherwise) { return at < count ? std::atoi(words[at]) : otherwise; };
    const int most = number(1, 60), from = number(2, 1), to = number(3, from == 1 ? mostMutants - 1 : from);
    const auto seeds = reachedBy(static_cast<std::uint64_t>(number(5, 0)),
                                 static_cast<std::uint64_t>(number(4, 1500)), static_cast<std::size_t>(most));
    std::array<int, 5> outcomes{};
    int tried = 0;
    for (int mutant = from; mutant <= to; ++mutant) {
        const auto &reaching = seeds[static_cast<std::size_t>(mutant)];
        if (reaching.empty())
            continue;
        ++tried;
        const Outcome outcome = inChild(mutant, reaching, from == to);
        ++outcomes[outcome];
        std::println("{} {} seeds: {}", mutant, reaching.size(),
                     std::array{"same", "found", "MISSED", "not judged", "refused"}[outcome]);
        std::fflush(stdout);
    }
    std::println(
        "{} faults reached: {} change a result and are found, {} are missed, of {} the seal does not "
        "apply; {} change none, {} end the program",
        tried, outcomes[Found], outcomes[Missed], outcomes[Unjudged], outcomes[Same], outcomes[Refused]);
    return outcomes[Missed] == 0 ? 0 : 1;
}
