// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/device/shared_layout.h"

#include "core/ir/build/builder.h"
#include "core/ir/threads.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace nestwright::analysis {

using ir::Stmt;

namespace {

constexpr std::int64_t alignment = 16; ///< of the widest access

std::int64_t roundedUp(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

bool isPositive(const ir::Expr &extent)
{
    const std::int64_t *known = ir::asInt(extent);
    return known && *known > 0;
}

/// Steps through the kernel during which an array is used.
struct Use {
    int first = -1, last = -1;
    std::size_t loops = 0; ///< around the place where it is made
};

/// Arrays, by their numbers, that a statement uses before its first barrier and after its last one; both are
/// all where it has none.
struct Exposed {
    std::set<std::size_t> head, tail;
    bool hasBarrier = false; ///< that all come by whenever the statement runs
};

/// Finds pairs of arrays that must not share bytes.
class Conflicts : public ir::Visitor {
public:
    std::vector<SharedArray> arrays;

    void run(const Stmt &kernel)
    {
        stmt(kernel);
        for (std::size_t a = 0; a < arrays.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                if (m_uses[a].first <= m_uses[b].last && m_uses[b].first <= m_uses[a].last)
                    add(a, b);
            }
        }
    }

    bool meet(std::size_t a, std::size_t b) const { return m_pairs.contains(std::minmax(a, b)); }

    void stmt(const Stmt &s) override
    {
        ++m_time;
        const Exposed before = std::exchange(m_exposed, {});
        if (ir::isBarrier(s))
            m_exposed.hasBarrier = true;
        else if (const auto *loop = s.as<ir::For>(); loop && loop->forKind != ir::ForKind::ThreadBinding)
            repeat({loop->min, loop->extent}, loop->body, isPositive(loop->extent));
        else if (const auto *loop = s.as<ir::While>())
            repeat({loop->condition}, loop->body, false);
        else if (const auto *branch = s.as<ir::IfThenElse>())
            choose(*branch);
        else if (const auto *view = s.as<ir::DeclBuffer>())
            stmt(view->body); // naming an array does not use it
        else {
            if (const auto *memory = s.as<ir::Allocate>())
                make(*memory);
            if (const auto *store = s.as<ir::BufferStore>())
                touch(store->buffer->data);
            children(s);
        }
        m_exposed = sequence(before, m_exposed);
    }

    void expr(const ir::Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>())
            touch(load->buffer->data);
        else if (e.as<ir::VarNode>())
            touch(ir::Var::from(e));
        children(e);
    }

private:
    void add(std::size_t a, std::size_t b)
    {
        if (a != b)
            m_pairs.insert(std::minmax(a, b));
    }

    /// Uses of `before` come ahead of those of `after`, without a barrier between them.
    void follow(const std::set<std::size_t> &before, const std::set<std::size_t> &after)
    {
        for (const std::size_t a : before) {
            for (const std::size_t b : after)
                add(a, b);
        }
    }

    Exposed sequence(Exposed first, const Exposed &then)
    {
        follow(first.tail, then.head);
        if (!first.hasBarrier)
            first.head.insert(then.head.begin(), then.head.end());
        if (then.hasBarrier)
            first.tail.clear();
        first.tail.insert(then.tail.begin(), then.tail.end());
        first.hasBarrier = first.hasBarrier || then.hasBarrier;
        return first;
    }

    void make(const ir::Allocate &memory)
    {
        const auto bytes = constantBytes(memory);
        if (ir::memoryRankOf(memory.scope) != ir::MemoryRank::Block || !bytes)
            return;
        m_numbers[memory.data] = arrays.size();
        arrays.push_back({memory.data, *bytes});
        m_uses.push_back({.loops = m_loops.size()});
    }

    void touch(const ir::Var &data)
    {
        const auto found = m_numbers.find(data);
        if (found == m_numbers.end())
            return;
        const std::size_t array = found->second;
        Use &use = m_uses[array];
        const bool outlivesLoop = use.loops < m_loops.size();
        const int begin = outlivesLoop ? m_loops[use.loops] : m_time;
        use.first = use.first < 0 ? begin : std::min(use.first, begin);
        use.last = std::max(use.last, m_time);
        if (outlivesLoop)
            m_outliving.insert(array);
        m_exposed = sequence(std::move(m_exposed), {{array}, {array}});
    }

    void repeat(const std::vector<ir::Expr> &conditions, const Stmt &body, bool runsAlways)
    {
        m_loops.push_back(m_time);
        for (const ir::Expr &condition : conditions)
            expr(condition);
        const Exposed bounds = std::exchange(m_exposed, {});
        stmt(body);
        m_loops.pop_back();
        follow(m_exposed.tail, m_exposed.head); // of one iteration and the next
        // Each iteration may need what an earlier one left in an array that is made outside.
        for (const std::size_t array : std::exchange(m_outliving, {})) {
            m_uses[array].last = std::max(m_uses[array].last, m_time);
            if (m_uses[array].loops < m_loops.size())
                m_outliving.insert(array);
        }
        m_exposed.hasBarrier = m_exposed.hasBarrier && runsAlways;
        m_exposed = sequence(bounds, m_exposed);
        follow(m_exposed.tail, bounds.head); // which are looked at again
    }

    void choose(const ir::IfThenElse &branch)
    {
        expr(branch.condition);
        const Exposed condition = std::exchange(m_exposed, {});
        stmt(branch.thenCase);
        Exposed arms = std::exchange(m_exposed, {});
        if (branch.elseCase)
            stmt(branch.elseCase);
        arms.head.insert(m_exposed.head.begin(), m_exposed.head.end());
        arms.tail.insert(m_exposed.tail.begin(), m_exposed.tail.end());
        arms.hasBarrier = arms.hasBarrier && m_exposed.hasBarrier;
        m_exposed = sequence(condition, arms);
    }

    ir::VarMap<std::size_t> m_numbers;
    std::vector<Use> m_uses;
    std::vector<int> m_loops;          ///< when each loop around began
    std::set<std::size_t> m_outliving; ///< used in a loop that they are made outside of
    Exposed m_exposed;                 ///< of the statement so far
    std::set<std::pair<std::size_t, std::size_t>> m_pairs;
    int m_time = 0;
};

} // namespace

bool SharedLayout::isReused() const
{
    const auto sum = std::accumulate(
        arrays.begin(), arrays.end(), std::int64_t{0},
        [](std::int64_t all, const SharedArray &each) { return all + roundedUp(each.bytes); });
    return bytes < sum;
}

const SharedArray *SharedLayout::find(const ir::Var &data) const
{
    const auto found = std::ranges::find(arrays, data, &SharedArray::data);
    return found == arrays.end() ? nullptr : &*found;
}

SharedLayout sharedLayoutOf(const Stmt &kernel)
{
    Conflicts conflicts;
    conflicts.run(kernel);
    SharedLayout layout{std::move(conflicts.arrays)};
    std::vector<std::size_t> order(layout.arrays.size()), placed;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return layout.arrays[i].bytes; });
    for (const std::size_t i : order) {
        SharedArray &array = layout.arrays[i];
        // Lower places end where a conflicting array lies; each is tried from the lowest on.
        std::ranges::sort(placed, {}, [&](std::size_t other) { return layout.arrays[other].offset; });
        for (const std::size_t other : placed) {
            const SharedArray &there = layout.arrays[other];
            if (conflicts.meet(i, other) && there.offset < array.offset + array.bytes)
                array.offset = std::max(array.offset, roundedUp(there.offset + there.bytes));
        }
        placed.push_back(i);
        layout.bytes = std::max(layout.bytes, roundedUp(array.offset + array.bytes));
    }
    return layout;
}

std::optional<std::int64_t> constantBytes(const ir::Allocate &memory)
{
    std::int64_t bytes = std::int64_t{memory.dtype.bytes()} * memory.dtype.lanes;
    for (const ir::Expr &extent : memory.extents) {
        const std::int64_t *known = ir::asInt(extent);
        if (!known || __builtin_mul_overflow(bytes, *known, &bytes))
            return std::nullopt;
    }
    return bytes;
}

} // namespace nestwright::analysis
