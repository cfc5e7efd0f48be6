// SPDX-License-Identifier: Apache-2.0
#include "core/explore/compare/reasons.h"

#include "core/support/text/bytes_text.h"
#include "core/target/machine.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace nestwright::explore {

namespace {

/// Effects below that are no reasons.
constexpr double leastEffect = 1.1;

/// One variant for the rules.
struct SideOfRule {
    const VariantFacts &facts;
    const HotBlock &hot;
    std::string quoted() const { return '\'' + facts.name + '\''; }
};

/// The rules see the worse side first, so that each is written once: a rule says nothing where `worse` is not
/// the worse one.
using Rule = std::optional<Reason> (*)(const SideOfRule &worse, const SideOfRule &better,
                                       const Weights &weights);

std::string counted(int count, std::string_view one, std::string_view many)
{
    return count == 0   ? "no " + std::string(one)
           : count == 1 ? "one " + std::string(one)
                        : std::format("{} {}", count, many);
}

double threadsAtWork(const HotBlock &hot, const Weights &weights)
{
    return std::clamp<double>(hot.parallelTurns, 1, weights.threads);
}

std::optional<Reason> moreThreads(const SideOfRule &worse, const SideOfRule &better, const Weights &weights)
{
    const double few = threadsAtWork(worse.hot, weights), many = threadsAtWork(better.hot, weights);
    if (many <= few)
        return {};
    return Reason{std::format("{:.0f} threads share the iterations of {} in {}, {} in {}", many,
                              better.hot.parallelLoop, better.quoted(),
                              few == 1 ? "one works alone"
                                       : std::format("{:.0f} those of {}", few, worse.hot.parallelLoop),
                              worse.quoted()),
                  many / few};
}

/// Numbers that an instruction computes at once.
int lanesOf(const HotBlock &hot)
{
    if (!hot.code || hot.elementBytes == 0 || (hot.code->counts.packed == 0 && hot.code->counts.scalar == 0))
        return 0;
    return hot.code->counts.packed == 0 ? 1 : std::max(1, hot.code->vectorBits / (8 * hot.elementBytes));
}

std::optional<Reason> widerVectors(const SideOfRule &worse, const SideOfRule &better, const Weights & /**/)
{
    const int few = lanesOf(worse.hot), many = lanesOf(better.hot);
    if (few == 0 || many <= few)
        return {};
    double effect = static_cast<double>(many) / few;
    if (worse.facts.cycles && better.facts.cycles)
        effect = std::min(effect, *worse.facts.cycles / *better.facts.cycles);
    return Reason{std::format("the innermost loop computes {} numbers at a time in {}, {} in {}", many,
                              better.quoted(), few == 1 ? "one" : std::to_string(few), worse.quoted()),
                  effect};
}

std::string strideText(const Access &access)
{
    const std::int64_t bytes = std::abs(*access.stride);
    if (bytes == 0)
        return "the same number again";
    if (bytes <= access.elementBytes)
        return "one after the other";
    return "with a stride of " + support::bytesText(static_cast<double>(bytes));
}

/// Cycles of a line from the level behind the first cache, when many are on their way.
double cyclesOfLine(int cache)
{
    constexpr std::array<double, 5> cycles{4, 1, 4, 10, 25};
    return cycles[static_cast<std::size_t>(std::clamp(cache, 0, 4))];
}

/// Cycles of one run of the block's body.
double cyclesOfInstance(const SideOfRule &side)
{
    return side.facts.cycles && side.hot.instances > 0.0 ? *side.facts.cycles / *side.hot.instances : 1;
}

std::optional<Reason> nearerNumbers(const SideOfRule &worse, const SideOfRule &better, const Weights & /**/)
{
    std::optional<Reason> found;
    for (const Access &far : worse.hot.accesses) {
        const auto near = std::ranges::find_if(better.hot.accesses, [&](const Access &each) {
            return each.buffer == far.buffer && each.isWrite == far.isWrite;
        });
        if (near == better.hot.accesses.end() || !far.stride || !near->stride)
            continue;
        if (std::abs(*far.stride) < target::lineBytes || std::abs(*near->stride) > near->elementBytes)
            continue;
        const double work = cyclesOfInstance(better);
        const double effect = (work + cyclesOfLine(far.cache)) / work;
        if (!found || effect > found->effect)
            found = Reason{std::format("{} is {} {} in {}, {} in {}", far.buffer,
                                       far.isWrite ? "written" : "read", strideText(far), worse.quoted(),
                                       strideText(*near), better.quoted()),
                           effect};
    }
    return found;
}

/// The level that moving data takes longest for, with the cycles; 0: none is known.
std::pair<double, std::size_t> slowestTraffic(const HotBlock &hot, const Weights &weights)
{
    std::pair<double, std::size_t> slowest{0, 0};
    for (std::size_t i = 0; i < hot.traffic.size(); ++i)
        slowest = std::max(slowest, {hot.traffic[i].value_or(0) / weights.bytesPerCycle[i], i});
    return slowest;
}

std::optional<Reason> lessTraffic(const SideOfRule &worse, const SideOfRule &better, const Weights &weights)
{
    const auto [cycles, level] = slowestTraffic(worse.hot, weights);
    if (cycles <= 0 || !better.hot.traffic[level])
        return {};
    // Computing goes on meanwhile.
    const double work = better.facts.cycles.value_or(0);
    const double fewer = std::max(slowestTraffic(better.hot, weights).first, work);
    if (fewer <= 0)
        return {};
    return Reason{std::format("{} goes into the L{} cache in {}, {} in {}",
                              support::bytesText(*worse.hot.traffic[level]), level + 1, worse.quoted(),
                              support::bytesText(*better.hot.traffic[level]), better.quoted()),
                  std::max(cycles, work) / fewer};
}

/// Share of the loop's instructions that spill or reload a register.
double spillShare(const HotBlock &hot)
{
    if (!hot.code || hot.code->counts.all == 0)
        return 0;
    return static_cast<double>(hot.code->counts.spills + hot.code->counts.reloads) / hot.code->counts.all;
}

std::optional<Reason> fewerSpills(const SideOfRule &worse, const SideOfRule &better, const Weights & /**/)
{
    const double many = spillShare(worse.hot), few = spillShare(better.hot);
    if (!better.hot.code || many <= few)
        return {};
    const auto text = [](const SideOfRule &side) {
        const backend::InstructionCounts &counts = side.hot.code->counts;
        return counted(counts.spills + counts.reloads, "instruction", "instructions");
    };
    return Reason{std::format("the inner loop needs {} of {} to put registers aside in {}, {} of {} in {}",
                              text(worse), worse.hot.code->counts.all, worse.quoted(), text(better),
                              better.hot.code->counts.all, better.quoted()),
                  (1 - few) / (1 - std::min(many, 0.9))};
}

/// Ratio of the cycles with waiting for results to those that the units need.
double waitingOf(const HotBlock &hot)
{
    if (!hot.code || !hot.code->time || hot.code->time->limit != backend::CycleLimit::Latency
        || hot.code->time->leastCycles <= 0)
        return 1;
    return hot.code->time->cycles / hot.code->time->leastCycles;
}

std::optional<Reason> lessWaiting(const SideOfRule &worse, const SideOfRule &better, const Weights & /**/)
{
    const double wait = waitingOf(worse.hot);
    if (!better.hot.code || !better.hot.code->time || wait <= waitingOf(better.hot))
        return {};
    const backend::CycleCount &time = *worse.hot.code->time;
    return Reason{std::format("the inner loop waits for results in {}: an iteration takes {:.1f} cycles "
                              "where {:.1f} would do; in {} it {}",
                              worse.quoted(), time.cycles, time.leastCycles, better.quoted(),
                              waitingOf(better.hot) > 1 ? "waits less" : "does not wait"),
                  wait / waitingOf(better.hot)};
}

std::optional<Reason> fewerGathers(const SideOfRule &worse, const SideOfRule &better, const Weights & /**/)
{
    const auto apart = [](const HotBlock &hot) {
        return hot.code ? hot.code->counts.gathers + hot.code->counts.scatters : 0;
    };
    if (!better.hot.code || apart(worse.hot) == 0 || apart(better.hot) > 0)
        return {};
    double effect = 2;
    if (worse.facts.cycles && better.facts.cycles)
        effect = std::min(effect, *worse.facts.cycles / *better.facts.cycles);
    return Reason{
        std::format("the inner loop picks numbers that lie apart in {} ({}), none in {}", worse.quoted(),
                    counted(apart(worse.hot), "gather or scatter", "gathers and scatters"), better.quoted()),
        effect};
}

constexpr std::array<Rule, 7> rules{moreThreads,  widerVectors, nearerNumbers, lessTraffic,
                                    fewerGathers, fewerSpills,  lessWaiting};

/// Cycles of a multiply-add, or of an operation where there are none.
struct OperationTime {
    double cycles = 0; ///< 0: not known
    std::string_view operation;
};

OperationTime operationTime(const HotBlock &hot)
{
    if (!hot.code || !hot.code->time || hot.code->counts.flops <= 0)
        return {};
    const backend::InstructionCounts &counts = hot.code->counts;
    return counts.multiplyAdds * 2 >= counts.flops / 2
               ? OperationTime{hot.code->time->cycles / (counts.flops / 2), "a multiply-add"}
               : OperationTime{hot.code->time->cycles / counts.flops, "an operation"};
}

std::optional<Reason> fewerCycles(const SideOfRule &worse, const SideOfRule &better, const Weights & /**/)
{
    const OperationTime slow = operationTime(worse.hot), fast = operationTime(better.hot);
    if (slow.cycles <= 0 || fast.cycles <= 0 || slow.operation != fast.operation)
        return {};
    return Reason{std::format("the inner loop takes {:.2g} cycles {} in {}, {:.2g} in {}", fast.cycles,
                              fast.operation, better.quoted(), slow.cycles, worse.quoted()),
                  slow.cycles / fast.cycles};
}

void addReason(std::vector<Reason> &reasons, Rule rule, const SideOfRule &first, const SideOfRule &second,
               const Weights &weights)
{
    for (const bool favoursFirst : {false, true}) {
        auto reason = favoursFirst ? rule(second, first, weights) : rule(first, second, weights);
        if (!reason || reason->effect < leastEffect)
            continue;
        reason->favoursFirst = favoursFirst;
        reasons.push_back(*std::move(reason));
    }
}

/// Cycles that pass, of computing or of moving data, whichever takes longer; 0 where they are not known.
double allCycles(const VariantFacts &facts, const Weights &weights)
{
    if (!facts.cycles)
        return 0;
    return std::max(*facts.cycles, slowestTraffic(*facts.hot, weights).first)
           / threadsAtWork(*facts.hot, weights);
}

} // namespace

std::vector<Reason> reasonsFor(const VariantFacts &first, const VariantFacts &second, const Weights &weights)
{
    std::vector<Reason> reasons;
    if (!first.hot || !second.hot)
        return reasons;
    const SideOfRule one{first, *first.hot}, other{second, *second.hot};
    for (const Rule rule : rules)
        addReason(reasons, rule, one, other, weights);
    if (reasons.empty())
        addReason(reasons, fewerCycles, one, other, weights);
    std::ranges::stable_sort(reasons, std::greater(), &Reason::effect);
    return reasons;
}

std::string mainReason(const VariantFacts &first, const VariantFacts &second, const Weights &weights)
{
    const std::vector<Reason> reasons = reasonsFor(first, second, weights);
    if (reasons.empty())
        return {};
    const double one = allCycles(first, weights), other = allCycles(second, weights);
    const auto inFavour = std::ranges::find(reasons, one < other, &Reason::favoursFirst);
    const bool isKnown = one > 0 && other > 0;
    return (isKnown && inFavour != reasons.end() ? *inFavour : reasons.front()).sentence;
}

} // namespace nestwright::explore
