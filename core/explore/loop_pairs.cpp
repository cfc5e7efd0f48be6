// SPDX-License-Identifier: Apache-2.0
#include "core/explore/loop_pairs.h"

#include "core/explore/loop_origins.h"

#include <algorithm>
#include <map>
#include <ranges>
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
        for (const Candidate &each : m_first) {
            if (origins.isCommon(each.id) && std::ranges::contains(m_second, each.id, &Candidate::id))
                pair(each, each, PairedBy::Identity);
        }
    }

    /// The most alike first. Loops that a step made for a block come from it whatever they run over, so their
    /// axes must be the same.
    void byOrigin()
    {
        std::vector<std::tuple<int, const Candidate *, const Candidate *>> found;
        for (const Candidate &a : m_first) {
            for (const Candidate &b : m_second) {
                if (isFree(a, b) && a.path == b.path && !(a.part == "loop" && a.axes != b.axes))
                    found.emplace_back(likeness(a, b), &a, &b);
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
        std::set<std::string> all;
        for (const Candidate &each : m_first)
            all.insert(each.axes);
        for (const std::string &axes : all) {
            const auto isOne = [&](const std::set<StmtId> &taken) {
                return [&axes, &taken](const Candidate &each) {
                    return each.axes == axes && !taken.contains(each.id);
                };
            };
            std::vector<const Candidate *> first, second;
            for (const Candidate &each : m_first | std::views::filter(isOne(m_firstTaken)))
                first.push_back(&each);
            for (const Candidate &each : m_second | std::views::filter(isOne(m_secondTaken)))
                second.push_back(&each);
            pairInOrder(first, second);
        }
    }

    /// In the order of the second program, the first's loops between.
    std::vector<LoopPair> rows() const
    {
        std::vector<LoopPair> rows;
        for (const Candidate &each : m_second) {
            const auto found = std::ranges::find(m_pairs, each.id, &LoopPair::second);
            rows.push_back(found == m_pairs.end() ? LoopPair{{}, each.id, PairedBy::None} : *found);
        }
        auto place = rows.begin();
        for (const Candidate &each : m_first) {
            const auto found = std::ranges::find(rows, each.id, &LoopPair::first);
            place = found == rows.end() ? rows.insert(place, {each.id, {}, PairedBy::None}) : found;
            ++place;
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

    /// As many as can be without changing their order; of such pairings the one whose loops are most alike.
    void pairInOrder(const std::vector<const Candidate *> &first,
                     const std::vector<const Candidate *> &second)
    {
        constexpr int perPair = 100; // more than any likeness
        const std::size_t n = first.size(), m = second.size();
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

std::vector<LoopPair> pairLoops(const Derivation &first, const LoopNest &firstNest, const Derivation &second,
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

std::vector<LoopPair> pairBlocks(const Derivation &first, const LoopNest &firstNest, const Derivation &second,
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
