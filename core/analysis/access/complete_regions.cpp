// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/complete_regions.h"

#include "core/analysis/access/condition_bounds.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/node/attributes.h"
#include "core/script/tvmscript/parser.h"

#include <algorithm>
#include <ranges>
#include <span>
#include <utility>

namespace nestwright::analysis {

using arith::IntervalSet;
using ir::Buffer;
using ir::Expr;

namespace {

using Sets = std::vector<IntervalSet>;

struct RelaxedAccess {
    Buffer buffer;
    Sets sets; ///< one per dimension
};

/// Walks one block's init and body.
class AccessFinder final : public ir::Visitor {
public:
    AccessFinder(const ir::Block &block, const ir::VarMap<Buffer> &outer, IndexBounds bounds)
        : m_outer(outer)
        , m_bounds(bounds)
    {
        for (const Buffer &buffer : block.allocBuffers)
            m_own.insert_or_assign(buffer->data, buffer);
        for (const ir::MatchBuffer &match : block.matchBuffers)
            m_matches.insert_or_assign(match.buffer, &match);
    }

    AccessRegions find(const ir::Block &block)
    {
        const bool withoutOwnOutputs = bool(block.init);
        if (block.init)
            stmt(block.init);
        stmt(block.body);
        AccessRegions result;
        for (const RelaxedAccess &access : m_writes)
            result.writes.push_back(toRegion(access));
        for (const RelaxedAccess &access : m_reads) {
            const bool isOutput = std::ranges::contains(m_writes, access.buffer, &RelaxedAccess::buffer);
            if (!withoutOwnOutputs || !isOutput)
                result.reads.push_back(toRegion(access));
        }
        return result;
    }

    void stmt(const ir::Stmt &s) override
    {
        switch (s.kind()) {
        case ir::StmtKind::For: visitFor(*s.as<ir::For>()); return;
        case ir::StmtKind::Block: visitInner(*s.as<ir::Block>()); return;
        case ir::StmtKind::IfThenElse: {
            const auto &branch = *s.as<ir::IfThenElse>();
            expr(branch.condition);
            under(branch.condition, [&] { stmt(branch.thenCase); });
            if (branch.elseCase)
                under(ir::negation(branch.condition), [&] { stmt(branch.elseCase); });
            return;
        }
        case ir::StmtKind::BufferStore: {
            const auto &store = *s.as<ir::BufferStore>();
            touch(m_writes, store.buffer, relaxIndices(store.indices));
            children(s);
            return;
        }
        case ir::StmtKind::LetStmt: {
            const auto &let = *s.as<ir::LetStmt>();
            m_lets.insert_or_assign(let.var, substitute(let.value, m_lets));
            children(s);
            m_lets.erase(let.var);
            return;
        }
        case ir::StmtKind::Allocate:
            m_ownPointers.insert(s.as<ir::Allocate>()->data);
            children(s);
            return;
        default: children(s); return;
        }
    }

    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>()) {
            touch(m_reads, load->buffer, relaxIndices(load->indices));
        } else if (const auto *let = e.as<ir::Let>()) {
            m_lets.insert_or_assign(let->var, substitute(let->value, m_lets));
            children(e);
            m_lets.erase(let->var);
            return;
        } else if (e.as<ir::VarNode>()) {
            touchPointer(ir::Var::from(e), 3);
            return;
        } else if (const auto *call = e.as<ir::Call>()) {
            if (visitCall(*call))
                return;
        }
        children(e);
    }

private:
    /// Whether the call needed care of its own; else its arguments are visited as usual.
    bool visitCall(const ir::Call &call)
    {
        if (call.callee == ir::intrinsics::ifThenElse) {
            expr(call.args[0]);
            under(call.args[0], [&] { expr(call.args[1]); });
            under(ir::negation(call.args[0]), [&] { expr(call.args[2]); });
            return true;
        }
        if (call.callee
            == ir::intrinsics::tvmAccessPtr) { // (type, pointer, offset, extent, mask: 1 reads, 2 writes)
            const ir::Var pointer = ir::Var::from(call.args[1]);
            const std::int64_t *mask = ir::asInt(call.args[4]);
            if (pointer && mask) {
                touchPointer(pointer, static_cast<int>(*mask));
                return true;
            }
        }
        return false;
    }

    void visitFor(const ir::For &loop)
    {
        expr(loop.min);
        expr(loop.extent);
        const IntervalSet first = evalSet(substitute(loop.min, m_lets));
        const IntervalSet last = evalSet(substitute(loop.min + loop.extent - 1, m_lets));
        m_relaxed.insert_or_assign(loop.var, IntervalSet{first.min, last.max, false});
        stmt(loop.body);
        m_relaxed.erase(loop.var);
    }

    /// A block within counts by its regions; buffers that it allocates are its own.
    void visitInner(const ir::Block &block)
    {
        for (const Expr &value : block.iterValues)
            expr(value);
        expr(block.predicate);
        ir::VarMap<Expr> values = m_lets;
        for (std::size_t i = 0; i < block.iterVars.size(); ++i)
            values.insert_or_assign(block.iterVars[i].var, substitute(block.iterValues[i], m_lets));
        const auto relax = [&](const ir::BufferRegion &region) {
            Sets sets;
            for (const ir::Range &range : region.region)
                sets.push_back(evalRange(substitute(range, values)));
            return sets;
        };
        for (const ir::BufferRegion &read : block.reads)
            touch(m_reads, read.buffer, relax(read));
        for (const ir::BufferRegion &write : block.writes)
            touch(m_writes, write.buffer, relax(write));
    }

    template <class F> void under(const Expr &condition, F &&visit)
    {
        Relaxed saved =
            std::exchange(m_relaxed, narrowedBy(substitute(condition, m_lets), m_relaxed, m_analyzer));
        visit();
        m_relaxed = std::move(saved);
    }

    IntervalSet evalSet(const Expr &e) { return arith::evalSet(e, m_relaxed, m_analyzer); }

    IntervalSet evalRange(const ir::Range &range)
    {
        if (ir::isConstInt(range.extent, 1))
            return evalIndex(range.min);
        return {evalSet(range.min).min, evalSet(range.min + range.extent - 1).max, false};
    }

    /// Nothing is known of the results of functions and elements of floating-point buffers, save for the
    /// length of vectors.
    static bool isOpaque(const Expr &index)
    {
        bool found = false;
        ir::forEachExpr(index, [&](const Expr &part) {
            const auto *call = part.as<ir::Call>();
            const auto *load = part.as<ir::BufferLoad>();
            found = found || (call && call->callee != ir::intrinsics::vscale)
                    || (load && load->dtype.isFloating());
            return !found && !load;
        });
        return found;
    }

    /// An index that no relaxed variable occurs in stays as it is written.
    IntervalSet evalIndex(const Expr &index)
    {
        if (const auto *ramp = index.as<ir::Ramp>()) {
            const IntervalSet first = evalSet(ramp->base);
            const IntervalSet last = evalSet(ramp->base + ramp->stride * (ramp->lanes - 1));
            const std::int64_t *stride = ir::asInt(ramp->stride);
            if (stride && *stride >= 0)
                return {first.min, last.max, false};
            return unionOf(first, last, m_analyzer);
        }
        if (const auto *broadcast = index.as<ir::Broadcast>())
            return evalIndex(broadcast->value);
        const bool isDetected = m_bounds == IndexBounds::Detected;
        if (isDetected && isOpaque(index))
            return IntervalSet::everything();
        if (const auto *select = index.as<ir::Select>(); select && isDetected)
            return unionOf(evalIndex(select->falseValue), evalIndex(select->trueValue), m_analyzer);
        const bool varies = std::ranges::any_of(ir::variablesOf(index),
                                                [&](const ir::Var &v) { return m_relaxed.contains(v); });
        return varies ? evalSet(index) : IntervalSet::point(index);
    }

    Sets relaxIndices(const std::vector<Expr> &indices)
    {
        Sets sets;
        for (const Expr &index : indices)
            sets.push_back(evalIndex(substitute(index, m_lets)));
        return sets;
    }

    void touchPointer(const ir::Var &pointer, int mask)
    {
        const auto found = m_outer.find(pointer);
        if (found == m_outer.end())
            return;
        Sets sets;
        for (const ir::Range &range : ir::fullRegion(found->second).region)
            sets.push_back(evalRange(range));
        if (mask & 1)
            touch(m_reads, found->second, sets);
        if (mask & 2)
            touch(m_writes, found->second, sets);
    }

    void touch(std::vector<RelaxedAccess> &accesses, Buffer buffer, Sets sets)
    {
        if (const auto match = m_matches.find(buffer); match != m_matches.end()) {
            sets = inSource(*match->second, std::move(sets));
            buffer = match->second->source.buffer;
        }
        if (isOwn(buffer))
            return;
        const auto known = std::ranges::find(accesses, buffer, &RelaxedAccess::buffer);
        if (known == accesses.end()) {
            accesses.push_back({std::move(buffer), std::move(sets)});
            return;
        }
        for (auto &&[all, more] : std::views::zip(known->sets, sets))
            all = unionOf(all, more, m_analyzer);
    }

    bool isOwn(const Buffer &buffer) const
    {
        return m_own.contains(buffer->data) || m_ownPointers.contains(buffer->data);
    }

    /// Location of the elements `sets` of a match_buffer in the buffer that it is a part of.
    Sets inSource(const ir::MatchBuffer &match, Sets sets)
    {
        const std::vector<ir::Range> &source = match.source.region;
        const std::size_t leading = source.size() - std::min(source.size(), sets.size());
        Sets result;
        for (std::size_t i = 0; i < leading; ++i)
            result.push_back(evalIndex(source[i].min));
        for (std::size_t i = leading; i < source.size(); ++i) {
            const IntervalSet &part = sets[i - leading];
            const Expr &offset = source[i].min;
            if (part.isPoint())
                result.push_back(IntervalSet::point(offset + part.min));
            else if (part.isBounded())
                result.push_back({offset + part.min, offset + part.max, false});
            else
                result.push_back(evalRange(source[i]));
        }
        return result;
    }

    /// Whether `e` loads from memory that nobody outside can read: allocated in the block, or written by it.
    bool isKnownOnlyInside(const Expr &e)
    {
        bool found = false;
        ir::forEachExpr(e, [&](const Expr &part) {
            const auto *load = part.as<ir::BufferLoad>();
            found = found
                    || (load
                        && (isOwn(load->buffer) || m_matches.contains(load->buffer)
                            || std::ranges::contains(m_writes, load->buffer, &RelaxedAccess::buffer)));
            return !found;
        });
        return found;
    }

    ir::Range toRange(const IntervalSet &set, const Expr &size)
    {
        const ir::Range whole{ir::intImm(0, size.dtype()), size};
        const auto range = set.isPoint() ? ir::Range{set.min, ir::intImm(1, set.min.dtype())}
                                         : arith::toRange(set, m_analyzer).value_or(whole);
        return isKnownOnlyInside(range.min) || isKnownOnlyInside(range.extent) ? whole : range;
    }

    ir::BufferRegion toRegion(const RelaxedAccess &access)
    {
        ir::BufferRegion result{access.buffer, {}};
        for (const auto &[set, size] : std::views::zip(access.sets, access.buffer.shape()))
            result.region.push_back(toRange(set, size));
        return result;
    }

    const ir::VarMap<Buffer> &m_outer;
    IndexBounds m_bounds;
    ir::VarMap<Buffer> m_own; ///< allocated in the block
    ir::VarSet m_ownPointers; ///< of Allocate statements met
    ir::BufferMap<const ir::MatchBuffer *> m_matches;
    Relaxed m_relaxed; ///< loops within the block
    ir::VarMap<Expr> m_lets;
    std::vector<RelaxedAccess> m_reads, m_writes;
    arith::Analyzer m_analyzer;
};

class Completer : public ir::Rewriter {
public:
    explicit Completer(const ir::PrimFunc &function)
    {
        for (const ir::Param &param : function.params) {
            if (param.buffer)
                m_outer.insert_or_assign(param.buffer->data, param.buffer);
        }
    }

    Expr expr(const Expr &e) override { return e; }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        const auto *block = s.as<ir::Block>();
        if (!block)
            return children(s);
        std::vector<std::pair<ir::Var, Buffer>> hidden; // by the block's own; null where there was none
        const auto own = [&](const Buffer &buffer) {
            Buffer &known = m_outer[buffer->data];
            hidden.emplace_back(buffer->data, std::exchange(known, buffer));
        };
        for (const Buffer &buffer : block->allocBuffers)
            own(buffer);
        for (const ir::MatchBuffer &match : block->matchBuffers)
            own(match.buffer);
        const ir::Stmt inner = children(s); // blocks within first: this one counts them by their regions
        for (auto &[pointer, before] : std::views::reverse(hidden)) {
            if (before)
                m_outer[pointer] = before;
            else
                m_outer.erase(pointer);
        }
        return complete(inner);
    }

private:
    ir::Stmt complete(const ir::Stmt &s)
    {
        const auto &block = *s.as<ir::Block>();
        const ir::AttrValue *mark = ir::attribute(block.annotations, script::detectAccessKey);
        if (!mark)
            return s;
        ir::Block result = block;
        result.annotations.erase(std::string(script::detectAccessKey));
        const std::int64_t *mask = mark->asInt();
        if (mask) {
            AccessRegions found = accessRegions(block, m_outer);
            if (*mask & 1)
                result.reads = std::move(found.reads);
            if (*mask & 2)
                result.writes = std::move(found.writes);
        }
        return make(std::move(result));
    }

    ir::VarMap<Buffer> m_outer; ///< buffers by their pointers
};

} // namespace

AccessRegions accessRegions(const ir::Block &block, const ir::VarMap<Buffer> &outer, IndexBounds bounds)
{
    return AccessFinder(block, outer, bounds).find(block);
}

ir::Module completeRegions(const ir::Module &module)
{
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::Function changed = Completer(*entry.function).function(entry.function);
        if (changed != entry.function)
            result = result.with(entry.name, std::move(changed));
    }
    return result;
}

} // namespace nestwright::analysis
