// SPDX-License-Identifier: Apache-2.0
/// Shares memory between allocations whose lifetimes do not overlap. An allocation lives from its first use
/// to its last; where a loop uses it that does not contain the allocation, it lives as long as that loop
/// runs. One of two allocations must be made within the other's scope, else they do not exist at the same
/// time anyway. The largest is placed first, each in the smallest one that it may join.
///
/// A memory may also go on in that of its only operand: where the loops that read the one for the last time
/// write the other, each element from the one at the same place.
///
/// Left alone are arrays of a block's threads, which have one layout in exact bytes
/// (analysis::sharedLayoutOf); memory made within the loops over threads, which is registers; arrays within
/// loops that are small enough to become registers; and memory that is touched through its pointer.
#include "core/analysis/access/in_place.h"
#include "core/analysis/device/shared_layout.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/ir/purity.h"
#include "core/ir/strides.h"
#include "core/ir/threads.h"
#include "core/lower/passes/declarations.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

/// A statement that uses a memory, or the outermost loop of those that it is made outside of, as one.
struct Use {
    Stmt part;
    int begin = -1, end = -1; ///< in steps through the function

    bool isSame(const Use &other) const { return begin == other.begin && part.same(other.part); }
};

struct Memory {
    const ir::Allocate *made = nullptr;
    std::optional<std::int64_t> bytes;
    std::size_t loops = 0;             ///< around the place where it is made
    const ir::For *parallel = nullptr; ///< innermost parallel loop around it
    int begin = 0, end = 0;            ///< of its scope, in steps through the function
    Use first, last;
    bool isPinned = false;

    bool encloses(const Memory &other) const { return begin < other.begin && other.end <= end; }
};

/// Follows the function in program order and notes when each memory is used.
class Lifetimes : public ir::Visitor {
public:
    std::vector<Memory> memories;

    void stmt(const Stmt &s) override
    {
        const Stmt outer = std::exchange(m_current, s);
        ++m_time;
        if (const auto *loop = s.as<ir::For>()) {
            const ir::For *parallel = m_parallel;
            const bool wasInThreads = m_inThreads;
            m_inThreads = m_inThreads || loop->forKind == ir::ForKind::ThreadBinding;
            m_parallel = loop->forKind == ir::ForKind::Parallel ? loop : parallel;
            repeat(s);
            m_parallel = parallel;
            m_inThreads = wasInThreads;
        } else if (s.as<ir::While>()) {
            repeat(s);
        } else if (const auto *view = s.as<ir::DeclBuffer>()) {
            stmt(view->body); // naming a memory does not use it
        } else if (const auto *memory = s.as<ir::Allocate>(); memory && mayMove(*memory)) {
            make(*memory);
        } else {
            children(s);
        }
        m_current = outer;
    }

    void expr(const Expr &e) override
    {
        if (e.as<ir::VarNode>())
            pin(Var::from(e));
        if (const auto *call = e.as<ir::Call>()) {
            const ir::Intrinsic *intrinsic = call->callee.intrinsic();
            for (const Expr &argument : call->args) { // address_of takes a load
                const auto *load = argument.as<ir::BufferLoad>();
                if (load && (!intrinsic || intrinsic->purity != ir::Purity::Pure))
                    pin(load->buffer->data);
            }
        }
        children(e);
    }

    void buffer(const Buffer &b) override
    {
        const auto found = m_numbers.find(b->data);
        if (found == m_numbers.end())
            return;
        Memory &memory = memories[found->second];
        memory.isPinned = memory.isPinned || b.dtype() != memory.made->dtype;
        Use use{m_current, m_time, m_time};
        if (memory.loops < m_loops.size()) {
            use = m_loops[memory.loops];
            m_outliving.push_back(found->second);
        }
        if (memory.first.begin < 0)
            memory.first = use;
        memory.last = use;
    }

private:
    bool mayMove(const ir::Allocate &node) const
    {
        const ir::MemoryRank rank = ir::memoryRankOf(node.scope);
        return !m_inThreads && rank != ir::MemoryRank::Block && rank != ir::MemoryRank::Warp
               && node.values.empty() && node.annotations.empty() && node.extents.size() == 1
               && ir::isPure(node.extents.front());
    }

    void make(const ir::Allocate &node)
    {
        const std::size_t number = memories.size();
        m_numbers[node.data] = number;
        memories.push_back({.made = &node,
                            .bytes = analysis::constantBytes(node),
                            .loops = m_loops.size(),
                            .parallel = m_parallel,
                            .begin = m_time,
                            .first = {},
                            .last = {}});
        stmt(node.body);
        memories[number].end = m_time;
    }

    void repeat(const Stmt &loop)
    {
        m_loops.push_back({loop, m_time, m_time});
        children(loop);
        const Use all{loop, m_loops.back().begin, m_time};
        m_loops.pop_back();
        // The loop that a memory is made outside of ends behind its uses.
        std::erase_if(m_outliving, [&](std::size_t number) {
            Memory &memory = memories[number];
            if (memory.loops != m_loops.size())
                return false;
            for (Use *use : {&memory.first, &memory.last}) {
                if (use->isSame(all))
                    use->end = all.end;
            }
            return true;
        });
    }

    void pin(const Var &data)
    {
        if (const auto found = m_numbers.find(data); found != m_numbers.end())
            memories[found->second].isPinned = true;
    }

    ir::VarMap<std::size_t> m_numbers;
    std::vector<Use> m_loops;
    std::vector<std::size_t> m_outliving; ///< used in a loop that they are made outside of
    const ir::For *m_parallel = nullptr;
    bool m_inThreads = false;
    Stmt m_current;
    int m_time = 0;
};

/// Looks whether all that a part does with two memories is one store to the one, of values that read the
/// other at the same place.
class ElementwiseStore : public ir::Visitor {
public:
    ElementwiseStore(Var from, Var to) : m_from(std::move(from)), m_to(std::move(to)) {}

    bool isIn(const Stmt &part)
    {
        stmt(part);
        return m_isSound && m_store
               && (analysis::meetsEachElementOnce(m_store->indices, m_around, {})
                   || analysis::meetsEachElementOnce(m_store->indices, m_around, m_guard));
    }

    void stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            m_isSound = m_isSound && loop->forKind != ir::ForKind::ThreadBinding;
            m_loops.push_back({loop->var, {loop->min, loop->extent}});
            m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
            children(s);
            m_loops.pop_back();
            return;
        }
        if (const auto *branch = s.as<ir::IfThenElse>(); branch && !branch->elseCase) {
            const Expr outer = m_condition;
            expr(branch->condition);
            m_condition = outer ? ir::logicalAnd(outer, branch->condition) : branch->condition;
            stmt(branch->thenCase);
            m_condition = outer;
            return;
        }
        const auto *store = s.as<ir::BufferStore>();
        if (!store || store->buffer->data != m_to)
            return children(s);
        m_isSound = m_isSound && !m_store && !store->predicate && isPlain(store->buffer, store->indices);
        m_store = store;
        m_around = m_loops;
        m_guard = m_condition;
        m_within = true;
        expr(store->value);
        m_within = false;
    }

    void expr(const Expr &e) override
    {
        const auto *load = e.as<ir::BufferLoad>();
        if (load && load->buffer->data == m_from)
            m_isSound = m_isSound && m_within && !load->predicate && isPlain(load->buffer, load->indices)
                        && m_analyzer.canProveEqual(load->indices.front(), m_store->indices.front());
        else
            children(e);
    }

    void buffer(const Buffer &b) override
    {
        m_isSound = m_isSound && b->data != m_from && b->data != m_to; // any other access
    }

private:
    static bool isPlain(const Buffer &buffer, const std::vector<Expr> &indices)
    {
        return indices.size() == 1 && !indices.front().dtype().isVector() && !ir::isStrided(buffer)
               && buffer.hasDefaultOffset() && buffer.dtype().lanes == 1;
    }

    Var m_from, m_to;
    arith::Analyzer m_analyzer;
    arith::Domains m_loops, m_around;
    Expr m_condition, m_guard;
    const ir::BufferStore *m_store = nullptr;
    bool m_within = false, m_isSound = true;
};

bool goesOnIn(const Memory &before, const Memory &after)
{
    return before.last.isSame(after.first)
           && ElementwiseStore(before.made->data, after.made->data).isIn(after.first.part);
}

bool areApart(const Memory &a, const Memory &b)
{
    return a.last.end < b.first.begin || b.last.end < a.first.begin || goesOnIn(a, b) || goesOnIn(b, a);
}

/// Memories that become one: that of `outermost`, with the size of the first one.
struct Pool {
    std::vector<const Memory *> members;
    const Memory *outermost = nullptr;

    bool mayTake(const Memory &memory) const
    {
        const Memory &largest = *members.front();
        const bool fits =
            largest.bytes && memory.bytes
                ? *memory.bytes <= *largest.bytes
                : ir::structurallyEqual(memory.made->extents.front(), largest.made->extents.front());
        return fits && memory.made->dtype == largest.made->dtype && memory.made->scope == largest.made->scope
               && memory.parallel == largest.parallel
               && (outermost->encloses(memory) || memory.encloses(*outermost))
               && std::ranges::all_of(members, [&](const Memory *other) { return areApart(*other, memory); });
    }

    void take(const Memory &memory)
    {
        members.push_back(&memory);
        if (!outermost || memory.encloses(*outermost))
            outermost = &memory;
    }
};

/// Not an array that the vector registers may keep.
bool mayShare(const Memory &memory, const target::Machine::Vectors &vectors)
{
    const std::int64_t registers = vectors.bytes * vectors.registers;
    const bool isSmall = memory.loops > 0 && memory.bytes && *memory.bytes <= registers;
    return !memory.isPinned && !isSmall && memory.first.begin >= 0;
}

std::vector<Pool> poolsOf(std::span<const Memory> memories, const target::Machine &machine)
{
    std::vector<const Memory *> order;
    for (const Memory &memory : memories) {
        if (mayShare(memory, machine.vectors))
            order.push_back(&memory);
    }
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [](const Memory *memory) { return memory->bytes.value_or(0); });
    std::vector<Pool> pools;
    for (const Memory *memory : order) {
        auto pool = std::ranges::find_if(pools.rbegin(), pools.rend(),
                                         [&](const Pool &each) { return each.mayTake(*memory); });
        if (pool == pools.rend()) {
            pools.emplace_back();
            pool = pools.rbegin();
        }
        pool->take(*memory);
    }
    return pools;
}

class StorageRewrite : public ir::Rewriter {
public:
    explicit StorageRewrite(const target::Machine &machine) : m_machine(machine) {}

    Stmt rewritten(const Stmt &body)
    {
        Lifetimes lifetimes;
        lifetimes.stmt(body);
        for (const Pool &pool : poolsOf(lifetimes.memories, m_machine)) {
            for (const Memory *memory : pool.members) {
                if (memory != pool.outermost)
                    m_joined[memory->made->data] = pool.outermost->made->data;
            }
            if (pool.members.front()->bytes)
                m_extents[pool.outermost->made->data] = pool.members.front()->made->extents;
        }
        return m_joined.empty() ? body : stmt(body);
    }

    Stmt stmt(const Stmt &s) override
    {
        const auto *memory = s.as<ir::Allocate>();
        if (!memory)
            return children(s);
        if (m_joined.contains(memory->data))
            return stmt(memory->body);
        const auto extents = m_extents.find(memory->data);
        if (extents == m_extents.end())
            return children(s);
        ir::Allocate result = *memory;
        result.extents = extents->second;
        result.body = stmt(memory->body);
        return ir::make(std::move(result));
    }

    Buffer buffer(const Buffer &b) override
    {
        const auto joined = m_joined.find(b->data);
        if (joined == m_joined.end())
            return b;
        Buffer &view = m_views[b];
        if (!view) {
            ir::BufferNode node = *b.get();
            node.data = joined->second;
            view = Buffer(std::move(node));
        }
        return view;
    }

private:
    const target::Machine &m_machine;
    ir::VarMap<Var> m_joined;                ///< pointers of memories that lie in another one
    ir::VarMap<std::vector<Expr>> m_extents; ///< of the memories that others may lie in
    ir::BufferMap<Buffer> m_views;
};

} // namespace

ir::Module storageRewrite(const ir::Module &module, const target::Context &context)
{
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions()) {
        Stmt body = StorageRewrite(context.machine).rewritten(entry.function->body);
        if (body.same(entry.function->body))
            continue;
        ir::PrimFunc changed = *entry.function;
        changed.body = std::move(body);
        result = result.with(entry.name, std::make_shared<const ir::PrimFunc>(std::move(changed)));
    }
    return result;
}

} // namespace nestwright::lower
