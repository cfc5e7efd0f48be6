// SPDX-License-Identifier: Apache-2.0
#include "core/explore/compare/metrics.h"

#include "core/support/text/bytes_text.h"

#include <array>
#include <cmath>
#include <format>

namespace nestwright::explore {

namespace {

using Better = Metric::Better;
using Value = std::optional<double>;

template <class Get> Value ofCode(const LoopView &loop, const Get &get)
{
    return loop.code ? Value(static_cast<double>(get(*loop.code))) : std::nullopt;
}

template <int backend::InstructionCounts::*count> Value counted(const LoopView &loop)
{
    return ofCode(loop, [](const backend::LoopCode &code) { return code.counts.*count; });
}

Value spillsOf(const LoopView &loop)
{
    return ofCode(loop,
                  [](const backend::LoopCode &code) { return code.counts.spills + code.counts.reloads; });
}

Value cyclesOf(const LoopView &loop)
{
    return loop.code && loop.code->time ? Value(loop.code->time->cycles) : std::nullopt;
}

Value cyclesAFlopOf(const LoopView &loop)
{
    const Value cycles = cyclesOf(loop);
    return cycles && loop.code->counts.flops > 0 ? Value(*cycles / loop.code->counts.flops) : std::nullopt;
}

std::string whole(double value) { return std::format("{:.0f}", value); }
std::string tenths(double value) { return std::format("{:.1f}", value); }
std::string threeDigits(double value) { return std::format("{:.3g}", value); }
std::string percent(double value) { return std::format("{:.0f} %", value * 100); }
std::string cacheName(double value)
{
    return value >= 4 ? std::string("memory") : std::format("L{:.0f}", value);
}

/// The value of MetricPair::better: -1, 0 or 1.
int betterOf(const Metric &metric, const Value &first, const Value &second)
{
    constexpr double least = 0.01;
    if (metric.better == Better::Neither || !first || !second
        || std::abs(*first - *second) <= least * std::max(std::abs(*first), std::abs(*second)))
        return 0;
    return (*second < *first) == (metric.better == Better::Less) ? 1 : -1;
}

using Counts = backend::InstructionCounts;

const std::array table{
    Metric{
        "trips", "trips", "Iterations of one run.", Better::Neither,
        [](const LoopView &loop) { return loop.trips ? Value(static_cast<double>(*loop.trips)) : Value(); },
        whole},
    Metric{"bytes", "bytes", "Distinct bytes that one run touches.", Better::Neither,
           [](const LoopView &loop) { return loop.bytes; }, support::bytesText},
    Metric{"cache", "fits", "The smallest cache that holds the lines that they lie in.", Better::Less,
           [](const LoopView &loop) { return loop.cache > 0 ? Value(loop.cache) : Value(); }, cacheName},
    Metric{"instructions", "instr.", "Instructions of an iteration of the machine code.", Better::Neither,
           counted<&Counts::all>, whole},
    Metric{"vector", "vector", "Instructions that compute several numbers at once.", Better::Neither,
           counted<&Counts::packed>, whole},
    Metric{"vector-bits", "bits", "Bits of the widest vectors that it computes with; 0: none.", Better::More,
           [](const LoopView &loop) {
               return ofCode(loop, [](const backend::LoopCode &code) { return code.vectorBits; });
           },
           whole},
    Metric{"scalar", "scalar", "Instructions that compute one floating-point number.", Better::Neither,
           counted<&Counts::scalar>, whole},
    Metric{"loads", "loads", "Instructions that read memory.", Better::Neither, counted<&Counts::loads>,
           whole},
    Metric{"stores", "stores", "Instructions that write memory.", Better::Neither, counted<&Counts::stores>,
           whole},
    Metric{"gathers", "gather", "Vectors of numbers that lie apart, read.", Better::Less,
           counted<&Counts::gathers>, whole},
    Metric{"scatters", "scatter", "Vectors of numbers that lie apart, written.", Better::Less,
           counted<&Counts::scatters>, whole},
    Metric{"spills", "spill", "Registers put aside on the stack or fetched back.", Better::Less, spillsOf,
           whole},
    Metric{"branches", "branch", "Branches of an iteration.", Better::Neither, counted<&Counts::branches>,
           whole},
    Metric{"calls", "calls", "Calls of functions.", Better::Less, counted<&Counts::calls>, whole},
    Metric{"cycles", "cycles", "Cycles of an iteration by LLVM's model, all data in the first cache.",
           Better::Neither, cyclesOf, tenths},
    Metric{"cycles-a-flop", "cyc./flop",
           "Cycles of a floating-point operation: what iterations that do "
           "different amounts of work are compared by.",
           Better::Less, cyclesAFlopOf, threeDigits},
    Metric{"all-cycles", "all cycles", "Cycles of all its runs, all data in the first cache.", Better::Less,
           [](const LoopView &loop) { return loop.cycles; }, cyclesText},
    Metric{"share", "share", "Its share of the variant's cycles.", Better::Neither,
           [](const LoopView &loop) { return loop.share; }, percent},
};

} // namespace

std::string cyclesText(double cycles)
{
    static constexpr const char *units[] = {"", " k", " M", " G", " T"};
    std::size_t unit = 0;
    while (cycles >= 999.5 && unit + 1 < std::size(units)) {
        cycles /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 || cycles >= 99.95 ? 0 : cycles >= 9.995 ? 1 : 2;
    return std::format("{:.{}f}{}", cycles, decimals, units[unit]);
}

std::span<const Metric> metrics() { return table; }

MetricPair pairOf(const Metric &metric, const LoopView *first, const LoopView *second)
{
    const auto text = [&](const Value &value) { return value ? metric.text(*value) : std::string("–"); };
    MetricPair pair;
    pair.first = first ? metric.value(*first) : std::nullopt;
    pair.second = second ? metric.value(*second) : std::nullopt;
    pair.firstText = text(pair.first);
    pair.secondText = text(pair.second);
    pair.better = betterOf(metric, pair.first, pair.second);
    return pair;
}

} // namespace nestwright::explore
