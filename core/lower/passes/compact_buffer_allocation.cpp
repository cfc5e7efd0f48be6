// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/part_users.h"
#include "core/analysis/device/thread_memory.h"
#include "core/arith/int_set.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/ir/purity.h"
#include "core/ir/strides.h"
#include "core/lower/passes/declarations.h"

#include <algorithm>
#include <optional>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;

namespace {

/// The box of all elements of one buffer that a statement touches, in terms of the variables outside the
/// statement.
class TouchedRegion : public ir::Visitor {
public:
    /// `sharing`: the loops around over threads that share the buffer.
    TouchedRegion(Buffer buffer, arith::Domains sharing, arith::Analyzer &analyzer,
                  analysis::PartUsers &users)
        : m_buffer(std::move(buffer))
        , m_analyzer(analyzer)
        , m_users(users)
        , m_loops(std::move(sharing))
    {
    }

    std::optional<arith::Region> of(const Stmt &body)
    {
        stmt(body);
        if (!m_isKnown || !m_region)
            return std::nullopt;
        // A condition may leave an extent that is no constant, where that of all iterations is one.
        for (std::size_t d = 0; d < m_region->size(); ++d) {
            if (!ir::asInt(m_analyzer.simplify((*m_region)[d].extent)))
                (*m_region)[d] = (*m_always)[d];
        }
        return m_region;
    }

    void stmt(const Stmt &s) override
    {
        if (const auto *sequence = s.as<ir::Seq>()) {
            for (const std::size_t part : m_users.of(s, m_buffer->data))
                stmt(sequence->stmts[part]);
            return;
        }
        if (const auto *loop = s.as<ir::For>()) {
            expr(loop->min);
            expr(loop->extent);
            m_loops.push_back({loop->var, {loop->min, loop->extent}});
            stmt(loop->body);
            m_loops.pop_back();
            return;
        }
        if (const auto *branch = s.as<ir::IfThenElse>()) {
            expr(branch->condition);
            under(branch->condition, [&] { stmt(branch->thenCase); });
            if (branch->elseCase)
                stmt(branch->elseCase);
            return;
        }
        if (const auto *bound = s.as<ir::LetStmt>())
            m_inside.insert(bound->var);
        if (const auto *store = s.as<ir::BufferStore>(); store && store->buffer->data == m_buffer->data)
            add(store->buffer, store->indices);
        children(s);
    }

    void expr(const Expr &e) override
    {
        if (const auto *load = e.as<ir::BufferLoad>(); load && load->buffer->data == m_buffer->data)
            add(load->buffer, load->indices);
        if (e.same(m_buffer->data)) // through the pointer anything may be touched
            m_isKnown = false;
        if (const auto *bound = e.as<ir::Let>())
            m_inside.insert(bound->var);
        if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::ifThenElse) {
            expr(call->args[0]);
            under(call->args[0], [&] { expr(call->args[1]); });
            expr(call->args[2]);
            return;
        }
        children(e);
    }

private:
    template <class F> void under(const Expr &condition, F &&body)
    {
        const Expr outer = m_condition;
        if (ir::isPure(condition))
            m_condition = outer ? ir::logicalAnd(outer, condition) : condition;
        body();
        m_condition = outer;
    }

    void add(const Buffer &buffer, const std::vector<Expr> &indices)
    {
        for (const arith::VarRange &loop : m_loops)
            m_isKnown = m_isKnown && ir::isPure(loop.range.min) && ir::isPure(loop.range.extent);
        for (const Expr &index : indices)
            m_isKnown =
                m_isKnown && !index.dtype().isVector() && ir::isPure(index) && !ir::usesAny(index, m_inside);
        m_isKnown = m_isKnown && buffer == m_buffer;
        if (!m_isKnown)
            return;
        const auto under = [&](const Expr &condition) {
            return arith::regionOver(ir::pointRegion(simplifiedUnder(condition, indices)), m_loops,
                                     m_analyzer, condition);
        };
        const auto add = [&](std::optional<arith::Region> &all, const std::optional<arith::Region> &region) {
            m_isKnown = m_isKnown && region;
            if (region)
                all = all ? arith::unionOf(*all, *region, m_analyzer) : *region;
        };
        const std::optional<arith::Region> region = under(m_condition);
        add(m_region, region);
        add(m_always, m_condition ? under({}) : region);
    }

    /// A quotient may be known where the condition holds, as (i * 255 + j) // 255 where j < 255.
    std::vector<Expr> simplifiedUnder(const Expr &condition, std::vector<Expr> indices)
    {
        if (!condition)
            return indices;
        for (const arith::VarRange &loop : m_loops)
            m_analyzer.bind(loop.var, loop.range);
        const arith::Assumption assumption = m_analyzer.assume(condition);
        for (Expr &index : indices)
            index = m_analyzer.simplify(index);
        return indices;
    }

    Buffer m_buffer;
    arith::Analyzer &m_analyzer;
    analysis::PartUsers &m_users;
    arith::Domains m_loops;
    Expr m_condition;
    ir::VarSet m_inside;                             ///< bound within the statement, but not by loops
    std::optional<arith::Region> m_region, m_always; ///< where the conditions hold; over all iterations
    bool m_isKnown = true;
};

/// Indices into a buffer become indices into the part of it that is left.
class Shift : public ir::Rewriter {
public:
    Shift(Buffer from, Buffer to, std::vector<Expr> mins)
        : m_from(std::move(from))
        , m_to(std::move(to))
        , m_mins(std::move(mins))
    {
    }
    Expr expr(const Expr &e) override
    {
        Expr changed = children(e);
        const auto *load = changed.as<ir::BufferLoad>();
        if (!load || load->buffer != m_from)
            return changed;
        ir::BufferLoad result = *load;
        result.buffer = m_to;
        result.indices = shifted(load->indices);
        return ir::make(std::move(result));
    }
    Stmt stmt(const Stmt &s) override
    {
        Stmt changed = children(s);
        const auto *store = changed.as<ir::BufferStore>();
        if (!store || store->buffer != m_from)
            return changed;
        ir::BufferStore result = *store;
        result.buffer = m_to;
        result.indices = shifted(store->indices);
        return ir::make(std::move(result));
    }

private:
    std::vector<Expr> shifted(std::vector<Expr> indices) const
    {
        for (std::size_t d = 0; d < indices.size(); ++d)
            indices[d] = indices[d] - m_mins[d];
        return indices;
    }

    Buffer m_from, m_to;
    std::vector<Expr> m_mins;
};

constexpr std::int64_t mostElements = std::int64_t{1} << 40;

class Compacting : public ir::Rewriter {
public:
    Stmt stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            if (ir::isPure(loop->min) && ir::isPure(loop->extent))
                m_analyzer.bind(loop->var, ir::Range{loop->min, loop->extent});
            if (loop->forKind == ir::ForKind::ThreadBinding) {
                m_threads.push_back(loop);
                const Stmt result = children(s);
                m_threads.pop_back();
                return result;
            }
        }
        const auto *memory = s.as<ir::Allocate>();
        const auto *view = memory ? memory->body.as<ir::DeclBuffer>() : nullptr;
        if (!view || view->buffer->data != memory->data || view->buffer.dtype() != memory->dtype
            || ir::isStrided(view->buffer))
            return children(s);
        arith::Domains sharing;
        for (const ir::For *loop : m_threads) {
            if (analysis::variesForScope(memory->scope, *loop))
                sharing.push_back({loop->var, {loop->min, loop->extent}});
        }
        const auto region =
            TouchedRegion(view->buffer, std::move(sharing), m_analyzer, m_users).of(view->body);
        return children(aligned(region ? shrunk(s, *memory, *view, *region) : s));
    }

private:
    /// The rows of the memory are spaced as storage_align says: the stride of an axis becomes the next k *
    /// factor
    /// + offset. A memory that is touched through its pointer stays dense: what touches it counts on that.
    static Stmt aligned(const Stmt &s)
    {
        const auto *memory = s.as<ir::Allocate>();
        const auto *view = memory->body.as<ir::DeclBuffer>();
        const ir::AttrValue *said = ir::attribute(memory->annotations, ir::dimAlignKey);
        const std::vector<ir::AttrValue> *spacings = said ? said->asList() : nullptr;
        if (!spacings || ir::uses(view->body, memory->data))
            return s;
        ir::BufferNode node = *view->buffer.get();
        std::int64_t stride = 1;
        node.strides.resize(node.shape.size());
        for (std::size_t d = node.shape.size(); d-- > 0;) {
            for (const ir::AttrValue &spacing : *spacings) {
                const std::vector<ir::AttrValue> &numbers = *spacing.asList();
                const std::int64_t factor = *numbers[1].asInt(), offset = *numbers[2].asInt();
                if (*numbers[0].asInt() == static_cast<std::int64_t>(d))
                    stride += ir::floorMod(ir::floorMod(offset, factor) - stride, factor);
            }
            node.strides[d] = ir::constant(stride, node.shape[d].dtype());
            const std::int64_t *extent = ir::asInt(node.shape[d]);
            if (!extent || stride > mostElements / std::max<std::int64_t>(1, *extent))
                return s;
            stride *= *extent;
        }
        ir::Allocate result = *memory;
        result.annotations.erase(std::string(ir::dimAlignKey));
        result.extents = {ir::constant(stride, node.shape.front().dtype())};
        ir::DeclBuffer spaced;
        spaced.buffer = Buffer(std::move(node));
        spaced.body = ir::substituteBuffers(view->body, {{view->buffer, spaced.buffer}});
        result.body = ir::make(std::move(spaced));
        return ir::make(std::move(result));
    }

    /// Dimensions shrink where the part that is touched has a constant extent below the whole.
    Stmt shrunk(const Stmt &s, const ir::Allocate &memory, const ir::DeclBuffer &view,
                const arith::Region &region)
    {
        const Buffer &buffer = view.buffer;
        std::vector<Expr> shape = buffer.shape(), mins(shape.size(), Expr(0));
        bool isSmaller = false;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const Expr extent = m_analyzer.simplify(region[d].extent);
            const std::int64_t *touched = ir::asInt(extent), *whole = ir::asInt(shape[d]);
            const Expr min = m_analyzer.simplify(region[d].min);
            const std::int64_t *first = ir::asInt(min);
            // For a symbolic size n, a region that begins before element 0 is an artefact of the range of n's
            // type.
            if (!touched || *touched < 1 || (whole ? *touched >= *whole : first && *first < 0))
                continue;
            shape[d] = ir::cast(shape[d].dtype(), extent);
            mins[d] = min;
            isSmaller = true;
        }
        if (!isSmaller)
            return s;
        ir::BufferNode node = *buffer.get();
        node.shape = shape;
        ir::DeclBuffer part;
        part.buffer = Buffer(std::move(node));
        part.body = Shift(buffer, part.buffer, mins).stmt(view.body);
        ir::Allocate result = memory;
        result.extents = shape;
        result.body = ir::make(std::move(part));
        return ir::make(std::move(result));
    }

    arith::Analyzer m_analyzer;
    analysis::PartUsers m_users;
    std::vector<const ir::For *> m_threads; ///< the loops over threads around here
};

} // namespace

ir::Module compactBufferAllocation(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<Compacting>(module);
}

} // namespace nestwright::lower
