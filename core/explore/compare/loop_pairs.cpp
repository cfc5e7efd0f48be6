// SPDX-License-Identifier: Apache-2.0
#include "core/explore/compare/loop_pairs.h"

#include "core/explore/compare/loop_origins.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace nestwright::explore {

namespace {

using suggest::LoopNest;

/// A loop as far as others are compared with it.
struct Candidate {
    StmtId id;
    std::string path, part; ///< as LoopOrigins has them
    std::string axes; ///< "C: vi, vj": the block and its axes; of a loop that drives none the block alone
    std::optional<std::int64_t> iterations;
    ir::ForKind kind = ir::ForKind::Serial;
    bool holdsLoops = false;
};

std::string axesOf(const LoopNest &nest, StmtId id)
{
    const analysis::LoopAxis *axis = nest.axis(id);
    const StmtId block = axis && axis->block ? axis->block : nest.firstBlock(id);
    std::string text = nest.name(block) + ':';
    if (axis) {
        for (const std::string &name : axis->names)
            text += ' ' + name;
    }
    return text;
}

std::vector<Candidate> candidatesOf(const LoopNest &nest, const LoopOrigins &origins)
{
    std::vector<Candidate> candidates;
    for (const StmtId id : nest.all()) {
        const ir::For *loop = nest.loop(id);
        if (!loop)
            continue;
        const auto &children = nest.indexOf(id)->children(id);
        candidates.push_back({id, origins.path(id), origins.part(id), axesOf(nest, id), nest.iterations(id),
                              loop->forKind,
                              std::ranges::any_of(children, [&](StmtId child) { return nest.loop(child); })});
    }
    return candidates;
}

int likeness(const Candidate &a, const Candidate &b)
{
    return (a.axes == b.axes ? 8 : 0) + (a.iterations == b.iterations ? 4 : 0) + (a.part == b.part ? 2 : 0)
           + (a.kind == b.kind ? 1 : 0) + (a.holdsLoops == b.holdsLoops ? 1 : 0);
}

class Pairing {
public:
    Pairing(std::vector<Candidate> first, std::vector<Candidate> second)
        : m_first(std::move(first))
        , m_second(std::move(second))
    {
    }

    void byIdentity(const LoopOrigins &origins)
    {
        std::set<StmtId> second;
        for (const Candidate &each : m_second)
            second.insert(each.id);
        for (const Candidate &each : m_first) {
            if (origins.isCommon(each.id) && second.contains(each.id))
                pair(each, each, PairedBy::Identity);
        }
    }

    /// The most alike first. Loops that a step made for a block come from it whatever they run over, so their
    /// axes must be the same.
    void byOrigin()
    {
        std::vector<std::tuple<int, const Candidate *, const Candidate *>> found;
        std::map<std::string_view, std::vector<const Candidate *>> second;
        for (const Candidate &each : m_second)
            second[each.path].push_back(&each);
        for (const Candidate &a : m_first) {
            for (const Candidate *b : second[a.path]) {
                if (isFree(a, *b) && !(a.part == "loop" && a.axes != b->axes))
                    found.emplace_back(likeness(a, *b), &a, b);
            }
        }
        std::ranges::stable_sort(found, std::greater(), [](const auto &each) { return std::get<0>(each); });
        for (const auto &[_, a, b] : found) {
            if (isFree(*a, *b))
                pair(*a, *b, PairedBy::Origin);
        }
    }

    void byAxes()
    {
        using Free = std::vector<const Candidate *>;
        std::map<std::string_view, std::pair<Free, Free>> all;
        for (const Candidate &each : m_first) {
            if (!m_firstTaken.contains(each.id))
                all[each.axes].first.push_back(&each);
        }
        for (const Candidate &each : m_second) {
            if (!m_secondTaken.contains(each.id))
                all[each.axes].second.push_back(&each);
        }
        for (const auto &[_, loops] : all)
            pairInOrder(loops.first, loops.second);
    }

    /// The pairs in the order of the second program, with the unpaired loops of the first between them.
    std::vector<LoopPair> rows() const
    {
        std::map<StmtId, LoopPair> ofSecond;
        for (const LoopPair &pair : m_pairs)
            ofSecond.emplace(pair.second, pair);
        // Loops of the first alone, by the paired loop that they stand behind.
        std::map<StmtId, std::vector<LoopPair>> alone;
        StmtId before;
        for (const Candidate &each : m_first) {
            if (m_firstTaken.contains(each.id))
                before = each.id;
            else
                alone[before].push_back({each.id, {}, PairedBy::None});
        }
        std::vector<LoopPair> rows = alone[{}];
        for (const Candidate &each : m_second) {
            const auto found = ofSecond.find(each.id);
            rows.push_back(found == ofSecond.end() ? LoopPair{{}, each.id, PairedBy::None} : found->second);
            if (rows.back().first)
                rows.insert(rows.end(), alone[rows.back().first].begin(), alone[rows.back().first].end());
        }
        return rows;
    }

private:
    bool isFree(const Candidate &a, const Candidate &b) const
    {
        return !m_firstTaken.contains(a.id) && !m_secondTaken.contains(b.id);
    }

    void pair(const Candidate &a, const Candidate &b, PairedBy by)
    {
        m_firstTaken.insert(a.id);
        m_secondTaken.insert(b.id);
        m_pairs.push_back({a.id, b.id, by});
    }

    /// Pairs as many loops as the order of both lists allows, and among such pairings chooses the one with
    /// the greatest likeness. Lists too long for that are paired by position.
    void pairInOrder(const std::vector<const Candidate *> &first,
                     const std::vector<const Candidate *> &second)
    {
        constexpr int perPair = 100; // more than any likeness
        constexpr std::size_t most = 1'000'000;
        const std::size_t n = first.size(), m = second.size();
        if (n * m > most) {
            for (std::size_t i = 0; i < std::min(n, m); ++i)
                pair(*first[i], *second[i], PairedBy::Axes);
            return;
        }
        std::vector<std::vector<int>> best(n + 1, std::vector<int>(m + 1, 0));
        const auto together = [&](std::size_t i, std::size_t j) {
            return best[i + 1][j + 1] + perPair + likeness(*first[i], *second[j]);
        };
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t j = m; j-- > 0;)
                best[i][j] = std::max({best[i + 1][j], best[i][j + 1], together(i, j)});
        }
        for (std::size_t i = 0, j = 0; i < n && j < m;) {
            if (best[i][j] == together(i, j))
                pair(*first[i++], *second[j++], PairedBy::Axes);
            else if (best[i][j] == best[i + 1][j])
                ++i;
            else
                ++j;
        }
    }

    std::vector<Candidate> m_first, m_second; ///< in the order of the programs
    std::vector<LoopPair> m_pairs;
    std::set<StmtId> m_firstTaken, m_secondTaken;
};

} // namespace

std::vector<LoopPair> pairLoops(const StepPath &first, const LoopNest &firstNest, const StepPath &second,
                                const LoopNest &secondNest)
{
    const std::size_t common = commonStates(first, second);
    const LoopOrigins firstOrigins(first, common), secondOrigins(second, common);
    Pairing pairing(candidatesOf(firstNest, firstOrigins), candidatesOf(secondNest, secondOrigins));
    pairing.byIdentity(firstOrigins);
    pairing.byOrigin();
    pairing.byAxes();
    return pairing.rows();
}

std::vector<LoopPair> pairBlocks(const StepPath &first, const LoopNest &firstNest, const StepPath &second,
                                 const LoopNest &secondNest)
{
    const std::size_t common = commonStates(first, second);
    const LoopOrigins firstOrigins(first, common), secondOrigins(second, common);
    using Key = std::pair<std::string, std::string>; // where it comes from, and its name
    const auto blocksOf = [](const LoopNest &nest, const LoopOrigins &origins) {
        std::map<Key, StmtId> blocks;
        for (const StmtId id : nest.all()) {
            if (nest.block(id))
                blocks.emplace(Key(origins.path(id), nest.name(id)), id);
        }
        return blocks;
    };
    const auto firstBlocks = blocksOf(firstNest, firstOrigins),
               secondBlocks = blocksOf(secondNest, secondOrigins);
    std::vector<LoopPair> pairs;
    for (const auto &[key, id] : firstBlocks) {
        if (const auto found = secondBlocks.find(key); found != secondBlocks.end())
            pairs.push_back(
                {id, found->second, firstOrigins.isCommon(id) ? PairedBy::Identity : PairedBy::Origin});
    }
    return pairs;
}

} // namespace nestwright::explore
