// SPDX-License-Identifier: Apache-2.0
#include "core/backend/listing/flow_loops.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <set>

namespace nestwright::backend {

namespace {

/// Basic blocks and the ways between them. Block 0 is the root, which leads to each block that no way is
/// known to; it has no instructions.
class FlowGraph {
public:
    explicit FlowGraph(const std::vector<FlowStep> &code)
    {
        findBlocks(code);
        connect(code);
        addRoots();
        findDominators();
    }

    std::size_t size() const { return m_next.size(); }
    const std::vector<std::size_t> &next(std::size_t block) const { return m_next[block]; }
    const std::vector<std::size_t> &before(std::size_t block) const { return m_before[block]; }
    /// The first instruction, and the one behind the last.
    std::pair<std::size_t, std::size_t> range(std::size_t block) const
    {
        return {m_starts[block - 1], m_starts[block]};
    }
    bool dominates(std::size_t above, std::size_t below) const
    {
        while (m_place[below] > m_place[above])
            below = m_dominator[below];
        return above == below;
    }

private:
    void findBlocks(const std::vector<FlowStep> &code)
    {
        std::set<std::size_t> starts{0, code.size()};
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (code[i].target >= 0)
                starts.insert(static_cast<std::size_t>(code[i].target));
            if (code[i].endsBlock)
                starts.insert(i + 1);
        }
        m_starts.assign(starts.begin(), starts.end());
        m_next.resize(code.empty() ? 1 : m_starts.size());
        m_before.resize(m_next.size());
    }

    std::size_t blockAt(std::size_t step) const
    {
        return static_cast<std::size_t>(std::ranges::lower_bound(m_starts, step) - m_starts.begin()) + 1;
    }

    void add(std::size_t from, std::size_t to)
    {
        m_next[from].push_back(to);
        m_before[to].push_back(from);
    }

    void connect(const std::vector<FlowStep> &code)
    {
        for (std::size_t block = 1; block < size(); ++block) {
            const FlowStep &last = code[range(block).second - 1];
            if (last.target >= 0)
                add(block, blockAt(static_cast<std::size_t>(last.target)));
            if (last.goesOn && block + 1 < size())
                add(block, block + 1);
        }
    }

    /// The first block, and then of those that are not reached yet the first, until all are.
    void addRoots()
    {
        std::vector<bool> seen(size(), false);
        for (std::size_t first = 1; first < size(); ++first) {
            if (seen[first])
                continue;
            add(0, first);
            visit(first, seen);
        }
        m_order.push_back(0);
        std::ranges::reverse(m_order); // of a walk that lists a block behind all that it leads to
        m_place.resize(size());
        for (std::size_t i = 0; i < m_order.size(); ++i)
            m_place[m_order[i]] = i;
    }

    void visit(std::size_t first, std::vector<bool> &seen)
    {
        std::vector<std::pair<std::size_t, std::size_t>> stack{{first, 0}};
        seen[first] = true;
        while (!stack.empty()) {
            auto &[block, taken] = stack.back();
            if (taken == m_next[block].size()) {
                m_order.push_back(block);
                stack.pop_back();
                continue;
            }
            const std::size_t to = m_next[block][taken++];
            if (!seen[to]) {
                seen[to] = true;
                stack.emplace_back(to, 0);
            }
        }
    }

    /// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
    void findDominators()
    {
        constexpr auto none = static_cast<std::size_t>(-1);
        m_dominator.assign(size(), none);
        m_dominator[0] = 0;
        const auto common = [&](std::size_t a, std::size_t b) {
            while (a != b) {
                while (m_place[a] > m_place[b])
                    a = m_dominator[a];
                while (m_place[b] > m_place[a])
                    b = m_dominator[b];
            }
            return a;
        };
        for (bool changes = true; changes;) {
            changes = false;
            for (const std::size_t block : m_order | std::views::drop(1)) {
                std::size_t dominator = none;
                for (const std::size_t from : m_before[block]) {
                    if (m_dominator[from] != none)
                        dominator = dominator == none ? from : common(from, dominator);
                }
                changes = changes || m_dominator[block] != dominator;
                m_dominator[block] = dominator;
            }
        }
    }

    std::vector<std::size_t> m_starts; ///< of the blocks from 1 on, and the end
    std::vector<std::vector<std::size_t>> m_next, m_before;
    std::vector<std::size_t> m_order; ///< reverse postorder
    std::vector<std::size_t> m_place; ///< of each block in it
    std::vector<std::size_t> m_dominator;
};

/// The blocks of the loops by their headers.
std::map<std::size_t, std::set<std::size_t>> naturalLoops(const FlowGraph &graph)
{
    std::map<std::size_t, std::set<std::size_t>> loops;
    for (std::size_t block = 1; block < graph.size(); ++block) {
        for (const std::size_t header : graph.next(block)) {
            if (!graph.dominates(header, block))
                continue;
            std::set<std::size_t> &body = loops[header];
            body.insert(header);
            std::vector<std::size_t> open{block};
            while (!open.empty()) {
                const std::size_t each = open.back();
                open.pop_back();
                if (body.insert(each).second)
                    open.insert(open.end(), graph.before(each).begin(), graph.before(each).end());
            }
        }
    }
    return loops;
}

} // namespace

std::vector<FlowLoop> flowLoops(const std::vector<FlowStep> &code)
{
    if (code.empty())
        return {};
    const FlowGraph graph(code);
    const auto bodies = naturalLoops(graph);
    // The larger of two loops that share blocks is around the other: it comes first.
    std::vector<std::pair<std::size_t, const std::set<std::size_t> *>> bySize;
    for (const auto &[header, body] : bodies)
        bySize.emplace_back(header, &body);
    std::ranges::stable_sort(bySize, std::greater(), [](const auto &each) { return each.second->size(); });
    std::vector<int> innermost(graph.size(), -1);
    std::vector<FlowLoop> loops;
    for (const auto &[header, body] : bySize) {
        const int number = static_cast<int>(loops.size());
        loops.push_back({graph.range(header).first, {}, innermost[header]});
        for (const std::size_t block : *body)
            innermost[block] = number;
    }
    for (std::size_t block = 1; block < graph.size(); ++block) {
        if (innermost[block] < 0)
            continue;
        const auto [from, to] = graph.range(block);
        for (std::size_t step = from; step < to; ++step)
            loops[static_cast<std::size_t>(innermost[block])].steps.push_back(step);
    }
    // In the order of the headers, those around first; then parents have new numbers.
    const auto pathOf = [&](std::size_t each) {
        std::vector<std::size_t> headers;
        for (int i = static_cast<int>(each); i >= 0; i = loops[static_cast<std::size_t>(i)].parent)
            headers.insert(headers.begin(), loops[static_cast<std::size_t>(i)].header);
        return headers;
    };
    std::vector<std::size_t> order(loops.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, pathOf);
    std::vector<int> place(loops.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        place[order[i]] = static_cast<int>(i);
    std::vector<FlowLoop> sorted;
    for (const std::size_t each : order) {
        sorted.push_back(std::move(loops[each]));
        int &parent = sorted.back().parent;
        parent = parent < 0 ? -1 : place[static_cast<std::size_t>(parent)];
    }
    return sorted;
}

} // namespace nestwright::backend
