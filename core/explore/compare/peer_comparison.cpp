// SPDX-License-Identifier: Apache-2.0
#include "core/explore/compare/peer_comparison.h"

#include "core/explore/compare/reasons.h"

#include <algorithm>
#include <format>
#include <set>

namespace nestwright::explore {

using backend::InstructionCounts;
using backend::LoopCode;
using measure::PeerCode;

namespace {

/// Loops without those where the processor never was, nor in one within them.
std::vector<bool> seenLoops(const backend::Disassembly &code)
{
    std::vector<bool> seen(code.loops.size(), code.allSamples == 0);
    for (std::size_t i = 0; i < code.loops.size(); ++i) {
        for (int loop = code.samples[i] > 0 ? static_cast<int>(i) : -1; loop >= 0;
             loop = code.loops[static_cast<std::size_t>(loop)].parent)
            seen[static_cast<std::size_t>(loop)] = true;
    }
    return seen;
}

/// Samples in a loop and in those within it.
std::vector<int> allSamplesOf(const backend::Disassembly &code)
{
    std::vector<int> samples = code.samples;
    for (std::size_t i = code.loops.size(); i-- > 0;) { // behind those around it
        if (const int parent = code.loops[i].parent; parent >= 0)
            samples[static_cast<std::size_t>(parent)] += samples[i];
    }
    return samples;
}

int depthOf(const std::vector<LoopCode> &loops, std::size_t loop)
{
    int depth = 0;
    for (int i = loops[loop].parent; i >= 0; i = loops[static_cast<std::size_t>(i)].parent)
        ++depth;
    return depth;
}

LoopView viewOf(const PeerCode &peer, std::size_t i, int samples, bool namesFunction)
{
    const LoopCode &loop = peer.code.loops[i];
    LoopView view{.loop = loop.loop,
                  .name = peer.code.labels[i],
                  .kind = std::string(loop.isInnermost ? roleName(roleOf(loop)) : std::string_view()),
                  .depth = depthOf(peer.code.loops, i)};
    if (namesFunction && loop.parent < 0)
        view.kind += (view.kind.empty() ? "in " : " in ") + loop.function;
    view.code = loop;
    if (peer.code.allSamples > 0)
        view.share = static_cast<double>(samples) / peer.code.allSamples;
    return view;
}

/// A block that stands for the peer's work: only its code is known.
HotBlock hotBlockOf(const LoopCode &code)
{
    HotBlock hot{.block = code.loop, .loop = {}};
    hot.code = code;
    // Numbers of the width that vectors of such many have.
    const InstructionCounts &counts = code.counts;
    if (counts.multiplyAddInstructions > 0) {
        const double lanes = counts.multiplyAdds / counts.multiplyAddInstructions;
        hot.elementBytes = lanes > 1 ? static_cast<int>(code.vectorBits / (8 * lanes)) : 0;
    }
    if (hot.elementBytes == 0)
        hot.elementBytes = 4;
    return hot;
}

/// The loop of `facts` whose machine code does the hot block's work, and those around it that have machine
/// code, from the innermost.
std::vector<StmtId> hotNest(const VariantFacts &facts)
{
    std::vector<StmtId> nest;
    if (!facts.hot)
        return nest;
    const auto hot = std::ranges::find_if(facts.loops, [&](const LoopView &each) {
        return facts.hot->code && each.code && each.loop == facts.hot->code->loop;
    });
    if (hot == facts.loops.end())
        return nest;
    int depth = hot->depth + 1;
    for (auto i = hot;; --i) {
        if (i->depth < depth) {
            depth = i->depth;
            if (i->code)
                nest.push_back(i->loop);
        }
        if (i == facts.loops.begin() || depth == 0)
            break;
    }
    return nest;
}

std::vector<LoopPair> pairsOf(const VariantFacts &first, const VariantFacts &second)
{
    std::vector<LoopPair> pairs;
    std::set<StmtId> takenFirst, takenSecond;
    const auto pair = [&](StmtId a, StmtId b) {
        pairs.push_back({a, b, PairedBy::Role});
        takenFirst.insert(a);
        takenSecond.insert(b);
    };
    const std::vector<StmtId> one = hotNest(first), other = hotNest(second);
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
        pair(one[i], other[i]);
    for (const LoopView &a : first.loops) {
        if (!a.code || !a.code->isInnermost || takenFirst.contains(a.loop))
            continue;
        const LoopRole role = roleOf(*a.code);
        const auto b = std::ranges::find_if(second.loops, [&](const LoopView &each) {
            return each.code->isInnermost && !takenSecond.contains(each.loop) && roleOf(*each.code) == role;
        });
        if (role != LoopRole::Other && role != LoopRole::Products && b != second.loops.end())
            pair(a.loop, b->loop);
    }
    // In the order of the first's program; those of the second that stand alone behind the pair before them.
    std::vector<LoopPair> rows;
    const auto addAlone = [&](std::size_t from) {
        for (std::size_t i = from; i < second.loops.size() && !takenSecond.contains(second.loops[i].loop);
             ++i)
            rows.push_back({{}, second.loops[i].loop, PairedBy::None});
    };
    addAlone(0);
    for (const LoopView &a : first.loops) {
        const auto found = std::ranges::find(pairs, a.loop, &LoopPair::first);
        rows.push_back(found == pairs.end() ? LoopPair{a.loop, {}, PairedBy::None} : *found);
        if (found != pairs.end())
            addAlone(second.placeOf.at(found->second) + 1);
    }
    return rows;
}

/// "24 multiply-adds of 512 bits with 2 loads in 12.0 cycles".
std::string workText(const LoopCode &loop)
{
    const InstructionCounts &counts = loop.counts;
    const auto counted = [](int count, std::string_view one) {
        return std::format("{} {}{}", count == 0 ? "no" : std::to_string(count), one, count == 1 ? "" : "s");
    };
    const int products = counts.multiplyAddInstructions, computing = counts.packed + counts.scalar;
    std::string text = products > 0 ? counted(products, "multiply-add") : counted(computing, "operation");
    if (loop.vectorBits > 0)
        text += std::format(" of {} bits", loop.vectorBits);
    text += " with " + counted(counts.loads, "load");
    if (loop.time)
        text += std::format(" in {:.1f} cycles", loop.time->cycles);
    return text;
}

std::string sentenceOf(const Comparison &comparison)
{
    // The code shown in the row of the hottest loop, if there is such a row.
    const auto codeOf = [](const VariantFacts &facts) -> const LoopCode * {
        if (const std::vector<StmtId> nest = hotNest(facts); !nest.empty())
            return &*facts.loop(nest.front())->code;
        return facts.hot && facts.hot->code ? &*facts.hot->code : nullptr;
    };
    const LoopCode *own = codeOf(comparison.first), *peers = codeOf(comparison.second);
    if (!peers)
        return std::format("'{}' has no loop", comparison.second.name);
    if (!own)
        return std::format("the inner loop of '{}' does {}; that of '{}' is not known",
                           comparison.second.name, workText(*peers), comparison.first.name);
    return std::format("the inner loop of '{}' does {}; that of '{}' {}", comparison.second.name,
                       workText(*peers), comparison.first.name, workText(*own));
}

} // namespace

LoopRole roleOf(const LoopCode &loop)
{
    const InstructionCounts &counts = loop.counts;
    return counts.multiplyAdds > 0                 ? LoopRole::Products
           : counts.flops > 0 || counts.packed > 0 ? LoopRole::Arithmetic
           : counts.loads > 0 && counts.stores > 0 ? LoopRole::Copies
                                                   : LoopRole::Other;
}

std::string_view roleName(LoopRole role)
{
    switch (role) {
    case LoopRole::Products: return "multiply-adds";
    case LoopRole::Arithmetic: return "arithmetic";
    case LoopRole::Copies: return "copies";
    case LoopRole::Other: break;
    }
    return {};
}

VariantFacts factsOf(const PeerCode &peer)
{
    VariantFacts facts{peer.name, {}, peer.code.loops, {}, {}, {}, {}};
    const std::vector<bool> seen = seenLoops(peer.code);
    const std::vector<int> samples = allSamplesOf(peer.code);
    std::set<std::string_view> functions;
    for (const LoopCode &each : peer.code.loops)
        functions.insert(each.function);
    for (std::size_t i = 0; i < peer.code.loops.size(); ++i) {
        if (!seen[i])
            continue;
        facts.placeOf.emplace(peer.code.loops[i].loop, facts.loops.size());
        facts.loops.push_back(viewOf(peer, i, samples[i], functions.size() > 1));
    }
    if (const int hottest = backend::hottestLoop(peer.code); hottest >= 0)
        facts.hot = hotBlockOf(peer.code.loops[static_cast<std::size_t>(hottest)]);
    return facts;
}

support::Result<Comparison> compareWithPeer(const Side &first, const PeerCode &peer,
                                            const target::Target &target, const std::stop_token &stop)
{
    auto own = factsOf(first.name, first.path.end(), target, stop);
    if (!own)
        return std::unexpected(own.error());
    Comparison comparison{*std::move(own), factsOf(peer), {}, {}, {}, false};
    comparison.pairs = pairsOf(comparison.first, comparison.second);
    comparison.sentence = sentenceOf(comparison);
    // A peer's code does not show the number of its threads.
    comparison.reason = mainReason(comparison.first, comparison.second, {.threads = 1});
    if (peer.time)
        comparison.seconds.second = peer.time->seconds.median;
    return comparison;
}

} // namespace nestwright::explore
