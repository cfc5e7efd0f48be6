// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/layout/layout_plan.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"

#include <algorithm>
#include <optional>

namespace nestwright::schedule {

namespace {

/// A store to the buffer.
struct Write {
    const ir::BufferStore *store = nullptr;
    const ir::Block *block = nullptr; ///< the innermost around it, below the scope; null when there is none
    std::vector<const ir::For *>
        loops;                  ///< from the outermost to the innermost whose variables the indices depend on
    bool visitsInOrder = false; ///< the loops are those of the buffer's dimensions, in order and completely
};

/// Finds the stores, with facts about the variables there.
class WriteFinder : public ir::Visitor {
public:
    explicit WriteFinder(const ir::Buffer &buffer) : m_buffer(buffer) {}

    std::vector<Write> find(const ir::Block &scope)
    {
        if (scope.init)
            stmt(scope.init);
        stmt(scope.body);
        return std::move(m_writes);
    }

    void expr(const ir::Expr &) override {}
    void stmt(const ir::Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            m_depths[loop->var] = {m_loops.size(), m_loops.size()};
            m_loops.push_back(loop);
            children(s);
            m_loops.pop_back();
            m_depths.erase(loop->var);
        } else if (const auto *block = s.as<ir::Block>()) {
            for (std::size_t i = 0; i < block->iterVars.size(); ++i)
                define(block->iterVars[i].var, block->iterValues[i]);
            const ir::Block *around = std::exchange(m_block, block);
            children(s);
            m_block = around;
        } else if (const auto *let = s.as<ir::LetStmt>()) {
            define(let->var, let->value);
            children(s);
        } else if (const auto *store = s.as<ir::BufferStore>()) {
            if (store->buffer == m_buffer)
                add(*store);
        } else {
            children(s);
        }
    }

private:
    struct Depths {
        std::size_t first, last;
    };

    /// The outermost and innermost loop that `e` depends on.
    std::optional<Depths> depthsOf(const ir::Expr &e) const
    {
        std::optional<Depths> result;
        for (const ir::Var &var : ir::variablesOf(e)) {
            const auto found = m_depths.find(var);
            if (found == m_depths.end())
                continue;
            const Depths own = found->second;
            result =
                result ? Depths{std::min(result->first, own.first), std::max(result->last, own.last)} : own;
        }
        return result;
    }

    void define(const ir::Var &var, const ir::Expr &value)
    {
        const auto depths = depthsOf(value);
        if (!depths)
            return;
        m_depths[var] = *depths;
        m_values[var] = ir::substitute(value, m_values);
    }

    void add(const ir::BufferStore &store)
    {
        Write write{.store = &store, .block = m_block, .loops = {}};
        std::optional<Depths> all;
        for (const ir::Expr &index : store.indices) {
            if (const auto own = depthsOf(index))
                all = all ? Depths{std::min(all->first, own->first), std::max(all->last, own->last)} : *own;
        }
        if (all)
            write.loops.assign(m_loops.begin() + static_cast<std::ptrdiff_t>(all->first),
                               m_loops.begin() + static_cast<std::ptrdiff_t>(all->last) + 1);
        write.visitsInOrder = visitsInOrder(store, write.loops);
        m_writes.push_back(std::move(write));
    }

    bool visitsInOrder(const ir::BufferStore &store, const std::vector<const ir::For *> &loops) const
    {
        if (loops.empty() || loops.size() != m_buffer.shape().size())
            return false;
        for (std::size_t d = 0; d < loops.size(); ++d) {
            const ir::For &loop = *loops[d];
            if (!ir::substitute(store.indices[d], m_values).same(loop.var) || !ir::isConstInt(loop.min, 0)
                || !ir::structurallyEqual(loop.extent, m_buffer.shape()[d])
                || loop.forKind != ir::ForKind::Serial)
                return false;
        }
        return true;
    }

    const ir::Buffer &m_buffer;
    std::vector<const ir::For *> m_loops;
    const ir::Block *m_block = nullptr;
    ir::VarMap<Depths> m_depths;
    ir::VarMap<ir::Expr> m_values;
    std::vector<Write> m_writes;
};

/// Turns the body of loops over the old dimensions into one of loops over the new ones, whose variables are
/// `layout.indices`.
class StoreReplacer : public ir::Rewriter {
public:
    StoreReplacer(const Write &write, const ir::Buffer &after, const LayoutMap &layout,
                  const IndexMap &padValue)
        : m_write(write)
        , m_after(after)
        , m_padValue(padValue)
        , m_padding(layout.padding)
        , m_indices(layout.indices.begin(), layout.indices.end())
    {
        for (std::size_t d = 0; d < write.loops.size(); ++d)
            m_values[write.loops[d]->var] = layout.inverse.at(layout.inputs[d]);
        if (write.block)
            makeIterVars(*write.block, layout);
    }

    /// Whether all that the body does can be left out where there is padding.
    bool isComplete() const { return m_complete; }

    ir::Expr expr(const ir::Expr &e) override
    {
        if (const ir::Var var = ir::Var::from(e)) {
            const auto found = m_values.find(var);
            return found == m_values.end() ? e : found->second;
        }
        return children(e);
    }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        if (const auto *store = s.as<ir::BufferStore>())
            return replaced(s, *store);
        if (s.as<ir::Evaluate>() && !ir::isNoOp(s))
            m_complete = false;
        if (const auto *block = s.as<ir::Block>(); block && m_write.block && block->id == m_write.block->id)
            return withIterVars(children(s));
        return children(s);
    }

private:
    /// When the indices are variables of the block next to each other, new ones take their places.
    void makeIterVars(const ir::Block &block, const LayoutMap &layout)
    {
        const std::vector<ir::Expr> &indices = m_write.store->indices;
        if (indices.empty())
            return;
        const auto isFirst = [&](const ir::IterVar &iter) { return indices.front().same(iter.var); };
        const auto begin = std::ranges::find_if(block.iterVars, isFirst) - block.iterVars.begin();
        const auto first = static_cast<std::size_t>(begin);
        if (first + indices.size() > block.iterVars.size())
            return;
        for (std::size_t d = 0; d < indices.size(); ++d) {
            const ir::IterVar &iter = block.iterVars[first + d];
            if (!indices[d].same(iter.var) || iter.kind != ir::IterKind::Spatial)
                return;
        }
        ir::VarMap<ir::Expr> own;
        m_first = first;
        m_indices.clear();
        for (std::size_t i = 0; i < layout.indices.size(); ++i) {
            const ir::Var &loop = layout.indices[i];
            const ir::Var var("v_" + loop.name(), loop->dtype);
            const ir::Expr &extent = layout.extents[i];
            m_iterVars.push_back(
                {.domain = {ir::constant(0, extent.dtype()), extent}, .var = var, .kind = {}});
            m_iterValues.push_back(loop);
            m_indices.push_back(var);
            own[loop] = var;
        }
        for (std::size_t d = 0; d < indices.size(); ++d)
            m_values[ir::Var::from(indices[d])] = ir::substitute(layout.inverse.at(layout.inputs[d]), own);
        m_padding = ir::substitute(m_padding, own);
    }

    ir::Stmt withIterVars(const ir::Stmt &s)
    {
        if (m_iterVars.empty())
            return s;
        ir::Block copy = *s.as<ir::Block>();
        const auto exchange = [&](auto &list, const auto &with) {
            const auto begin = list.begin() + static_cast<std::ptrdiff_t>(m_first);
            const auto at =
                list.erase(begin, begin + static_cast<std::ptrdiff_t>(m_write.store->indices.size()));
            list.insert(at, with.begin(), with.end());
        };
        exchange(copy.iterVars, m_iterVars);
        exchange(copy.iterValues, m_iterValues);
        return ir::make(std::move(copy));
    }

    ir::Stmt replaced(const ir::Stmt &s, const ir::BufferStore &store)
    {
        const auto equal = [](const ir::Expr &a, const ir::Expr &b) { return ir::structurallyEqual(a, b); };
        if (!(store.buffer == m_write.store->buffer)
            || !std::ranges::equal(store.indices, m_write.store->indices, equal)) {
            m_complete = false;
            return s;
        }
        const ir::Expr value = expr(store.value);
        const ir::Expr pad = valuesAt(m_padValue, m_indices).front();
        return ir::store(
            m_after, ir::call(value.dtype(), ir::intrinsics::ifThenElse, {m_padding, pad, value}), m_indices);
    }

    const Write &m_write;
    const ir::Buffer &m_after;
    const IndexMap &m_padValue;
    ir::Expr m_padding;
    std::vector<ir::Expr> m_indices;
    ir::VarMap<ir::Expr> m_values;
    std::size_t m_first = 0;
    std::vector<ir::IterVar> m_iterVars;
    std::vector<ir::Expr> m_iterValues;
    bool m_complete = true;
};

/// A block over all of `after`, below loops whose variables are `layout.indices`.
class BlockOverAll {
public:
    BlockOverAll(Edit &edit, const ir::Buffer &after, const LayoutMap &layout, const IndexMap &padValue)
        : m_edit(edit)
        , m_after(after)
        , m_layout(layout)
    {
        for (std::size_t i = 0; i < layout.indices.size(); ++i) {
            const ir::Var &loop = layout.indices[i];
            const ir::Expr &extent = layout.extents[i];
            const ir::Var var("v_" + loop.name(), loop->dtype);
            m_block.iterVars.push_back(
                {.domain = {ir::constant(0, extent.dtype()), extent}, .var = var, .kind = {}});
            m_block.iterValues.push_back(loop);
            m_indices.push_back(var);
            m_own[loop] = var;
        }
        m_pad = valuesAt(padValue, m_indices).front();
        m_block.predicate = ir::boolImm(true);
    }

    /// States that the padding holds the value.
    ir::Stmt assumption()
    {
        const ir::Expr isPadding = ir::substitute(m_layout.padding, m_own);
        m_block.name = "buffer_" + m_after.name() + "_assumptions";
        m_block.reads = {{m_after, ir::pointRegion(m_indices)}};
        const ir::Expr holds =
            ir::logicalOr(ir::logicalNot(isPadding), ir::eq(ir::load(m_after, m_indices), m_pad));
        m_block.body = ir::evaluate(ir::call(ir::DataType::boolean(), ir::intrinsics::assume, {holds}));
        return nest();
    }

    /// Fills the padding.
    ir::Stmt filling()
    {
        m_block.name = "buffer_" + m_after.name() + "_padding";
        m_block.predicate = m_layout.padding;
        m_block.writes = {{m_after, ir::pointRegion(m_indices)}};
        m_block.body = ir::store(m_after, m_pad, m_indices);
        return nest();
    }

private:
    ir::Stmt nest()
    {
        m_block.id = m_edit.newId();
        m_block.origin = m_edit.origin("padding", {});
        ir::Stmt result = ir::make(std::move(m_block));
        for (std::size_t i = m_layout.indices.size(); i-- > 0;)
            result = ir::serialFor(m_layout.indices[i], m_layout.extents[i], result, m_edit.newId(),
                                   m_edit.origin("loop", {}));
        return result;
    }

    Edit &m_edit;
    const ir::Buffer &m_after;
    const LayoutMap &m_layout;
    ir::Block m_block;
    std::vector<ir::Expr> m_indices;
    ir::VarMap<ir::Expr> m_own;
    ir::Expr m_pad;
};

/// The loops over the new dimensions around the changed body; null where not all of it can be changed.
ir::Stmt replacementFor(Edit &edit, const Write &write, const ir::Buffer &after, const LayoutMap &layout,
                        const IndexMap &padValue)
{
    if (!write.visitsInOrder)
        return {};
    StoreReplacer replacer(write, after, layout, padValue);
    ir::Stmt nest = replacer.stmt(write.loops.back()->body);
    if (!replacer.isComplete())
        return {};
    ir::VarMap<ir::Expr> fresh; // two loops may be replaced
    std::vector<ir::Var> loops;
    for (const ir::Var &index : layout.indices) {
        loops.emplace_back(index.name(), index->dtype);
        fresh[index] = loops.back();
    }
    nest = ir::substitute(nest, fresh);
    for (std::size_t i = loops.size(); i-- > 0;)
        nest = ir::serialFor(loops[i], layout.extents[i], nest, edit.newId(),
                             edit.origin("loop", i == 0 ? write.loops.front()->id : StmtId{}));
    return nest;
}

} // namespace

LayoutPlan planLayout(Edit &edit, const ir::Block &scope, const ir::Buffer &before, const ir::Buffer &after,
                      const LayoutMap &layout, const IndexMap &padValue)
{
    LayoutPlan plan;
    const std::vector<Write> writes = WriteFinder(before).find(scope);
    BlockOverAll block(edit, after, layout, padValue);
    if (writes.empty()) {
        plan.prologue = block.assumption();
        return plan;
    }
    for (const Write &write : writes) {
        if (const ir::Stmt nest = replacementFor(edit, write, after, layout, padValue))
            plan.replacements[write.loops.front()->id] = nest;
    }
    if (!plan.replacements.empty())
        return plan;
    const Write &last = writes.back();
    plan.after = !last.loops.empty() ? last.loops.front()->id : last.block ? last.block->id : StmtId{};
    if (!plan.after)
        refuse(support::diagnostic("schedule.padding", "'" + before.name()
                                                           + "' is written outside of any loop and block, so "
                                                             "nothing says where its padding can be filled")
                   .at(scope.id));
    plan.epilogue = block.filling();
    return plan;
}

} // namespace nestwright::schedule
