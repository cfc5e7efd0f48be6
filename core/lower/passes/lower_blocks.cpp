// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/allocation_plan.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/block_marker.h"
#include "core/ir/strides.h"
#include "core/lower/passes/declarations.h"
#include "core/lower/pipeline.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <unordered_set>

namespace nestwright::lower {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;

namespace {

/// Row-major strides of a shape, or those the buffer states.
std::vector<Expr> stridesOf(const Buffer &buffer)
{
    if (ir::isStrided(buffer))
        return buffer->strides;
    std::vector<Expr> strides(buffer.shape().size(), Expr(1));
    for (std::size_t d = strides.size(); d-- > 1;)
        strides[d - 1] = strides[d] * buffer.shape()[d];
    return strides;
}

/// Moves the root block's word on arithmetic to the function.
ir::Function withArithmetic(ir::Function function, bool isFast)
{
    if (!isFast)
        return function;
    ir::PrimFunc result = *function;
    result.attrs[std::string(ir::fastMathKey)] = ir::AttrValue(std::int64_t{1});
    return std::make_shared<const ir::PrimFunc>(std::move(result));
}

/// Annotations of the memory of buffers, by the blocks that write them.
using Notes = ir::BufferMap<ir::Attrs>;

/// How rows are spaced: a list of [buffer, axis, factor, offset], which becomes one of [axis, factor,
/// offset].
void noteAlignments(const ir::Block &block, const ir::AttrValue &said, Notes &notes)
{
    const std::vector<ir::AttrValue> *list = said.asList();
    if (!list)
        return;
    ir::BufferMap<std::vector<ir::AttrValue>> alignments;
    for (const ir::AttrValue &entry : *list) {
        const std::vector<ir::AttrValue> *numbers = entry.asList();
        const bool isWhole = numbers && numbers->size() == 4
                             && std::ranges::all_of(*numbers, [](const auto &n) { return n.asInt(); });
        const std::int64_t buffer = isWhole ? *numbers->front().asInt() : -1;
        constexpr std::int64_t mostFactor = std::int64_t{1} << 31;
        if (buffer >= 0 && buffer < std::ssize(block.writes) && *(*numbers)[2].asInt() >= 1
            && *(*numbers)[2].asInt() <= mostFactor)
            alignments[block.writes[static_cast<std::size_t>(buffer)].buffer].emplace_back(
                std::vector<ir::AttrValue>(numbers->begin() + 1, numbers->end()));
    }
    for (auto &[buffer, spaced] : alignments)
        notes[buffer][std::string(ir::dimAlignKey)] = ir::AttrValue(std::move(spaced));
}

Notes notesIn(const Stmt &body)
{
    Notes notes;
    ir::forEachStmt(body, [&](const Stmt &s) {
        const auto *block = s.as<ir::Block>();
        if (!block)
            return true;
        if (const ir::AttrValue *said = ir::attribute(block->annotations, ir::dimAlignKey))
            noteAlignments(*block, *said, notes);
        const ir::AttrValue *doubled = ir::attribute(block->annotations, ir::doubleBufferKey);
        const std::int64_t *buffer = doubled ? doubled->asInt() : nullptr;
        if (buffer && *buffer >= 0 && *buffer < std::ssize(block->writes))
            notes[block->writes[static_cast<std::size_t>(*buffer)].buffer][std::string(ir::doubleBufferKey)] =
                ir::AttrValue(std::int64_t{1});
        return true;
    });
    return notes;
}

class BlockLowering : public ir::Rewriter {
public:
    BlockLowering(analysis::AllocationPlan plan, Notes notes)
        : m_plan(std::move(plan))
        , m_notes(std::move(notes))
    {
        for (const auto &[loop, buffers] : m_plan)
            m_placed.insert(buffers.begin(), buffers.end());
    }

    Expr expr(const Expr &e) override
    {
        if (e.as<ir::VarNode>()) {
            const auto found = m_values.find(ir::Var::from(e));
            return found == m_values.end() ? e : found->second;
        }
        if (const auto *load = e.as<ir::BufferLoad>()) {
            const auto view = m_views.find(load->buffer);
            if (view != m_views.end()) {
                ir::BufferLoad result = *load;
                result.buffer = view->second.buffer;
                result.indices = outerIndices(view->second, rewritten(load->indices));
                return ir::make(std::move(result));
            }
        }
        return children(e);
    }

    Stmt stmt(const Stmt &s) override
    {
        if (const auto *block = s.as<ir::Block>())
            return lowered(*block);
        if (const auto *store = s.as<ir::BufferStore>()) {
            const auto view = m_views.find(store->buffer);
            if (view != m_views.end()) {
                ir::BufferStore result = *store;
                result.buffer = view->second.buffer;
                result.indices = outerIndices(view->second, rewritten(store->indices));
                result.value = expr(store->value);
                return ir::make(std::move(result));
            }
        }
        const auto planned = m_plan.find(s.get());
        if (planned == m_plan.end())
            return children(s);
        ir::For loop = *children(s).as<ir::For>();
        for (const Buffer &each : planned->second)
            loop.body = allocated(each, loop.body);
        return ir::make(std::move(loop));
    }

    /// A size may be one of the variables of the block that makes the buffer.
    Buffer buffer(const Buffer &b) override
    {
        Buffer &known = m_buffers[b];
        if (known)
            return known;
        ir::BufferNode node = *b.get();
        node.shape = rewritten(node.shape);
        node.strides = rewritten(node.strides);
        if (node.elemOffset)
            node.elemOffset = expr(node.elemOffset);
        const auto same = [](const Expr &one, const Expr &other) { return one.same(other); };
        if (std::ranges::equal(node.shape, b.shape(), same)
            && std::ranges::equal(node.strides, b->strides, same) && node.elemOffset.same(b->elemOffset))
            return known = b;
        return known = Buffer(std::move(node));
    }

private:
    /// A match buffer: the source buffer and the part of it.
    struct View {
        Buffer buffer;
        std::vector<Expr> mins;
    };

    Stmt lowered(const ir::Block &block)
    {
        NW_ASSERT(!block.init, "the init of block '" + block.name + "' must be lowered first");
        const bool isRoot = !m_inRoot;
        m_inRoot = true;
        const std::vector<Expr> values = rewritten(block.iterValues);
        const Expr predicate = expr(block.predicate);
        for (std::size_t i = 0; i < values.size(); ++i)
            m_values[block.iterVars[i].var] = ir::cast(block.iterVars[i].var->dtype, values[i]);
        for (const ir::MatchBuffer &match : block.matchBuffers)
            addView(match);
        Stmt body = stmt(block.body);
        for (std::size_t i = block.allocBuffers.size(); i-- > 0;) {
            if (!m_placed.contains(block.allocBuffers[i]))
                body = allocated(block.allocBuffers[i], body);
        }
        if (!ir::isTrue(predicate))
            body = ir::ifThenElse(predicate, body);
        return isRoot ? body : marked(block, body);
    }

    static Stmt marked(const ir::Block &block, Stmt body)
    {
        if (!block.id)
            return body;
        ir::AttrStmt mark;
        mark.node = ir::stringImm(block.name);
        mark.key = ir::blockMarker;
        mark.value = ir::intImm(block.id.value);
        mark.body = std::move(body);
        return ir::make(std::move(mark));
    }

    Stmt allocated(const Buffer &made, Stmt body)
    {
        const auto noted = m_notes.find(made);
        return ir::allocated(buffer(made), std::move(body),
                             noted == m_notes.end() ? ir::Attrs() : noted->second);
    }

    void addView(const ir::MatchBuffer &match)
    {
        View view{buffer(match.source.buffer), {}};
        for (const ir::Range &range : match.source.region)
            view.mins.push_back(expr(range.min));
        // A match of a match is a part of the outermost buffer.
        if (const auto outer = m_views.find(match.source.buffer); outer != m_views.end())
            view = {outer->second.buffer, outerIndices(outer->second, view.mins)};
        bindVariables(match, view);
        m_values[match.buffer->data] = view.buffer->data;
        m_views[match.buffer] = std::move(view);
    }

    /// Strides and offset of a match buffer may be variables, which take their values from the source.
    void bindVariables(const ir::MatchBuffer &match, const View &view)
    {
        const std::vector<Expr> strides = stridesOf(view.buffer);
        const Buffer &buffer = match.buffer;
        const std::size_t skipped = strides.size() - buffer.shape().size();
        for (std::size_t d = 0; ir::isStrided(buffer) && d < buffer->strides.size(); ++d) {
            if (buffer->strides[d].as<ir::VarNode>())
                m_values[ir::Var::from(buffer->strides[d])] = strides[skipped + d];
        }
        for (std::size_t d = 0; d < buffer.shape().size(); ++d) {
            if (buffer.shape()[d].as<ir::VarNode>())
                m_values[ir::Var::from(buffer.shape()[d])] = expr(match.source.region[skipped + d].extent);
        }
        if (buffer->elemOffset && buffer->elemOffset.as<ir::VarNode>()) {
            Expr offset = view.buffer->elemOffset ? view.buffer->elemOffset : Expr(0);
            for (std::size_t d = 0; d < strides.size(); ++d)
                offset = offset + view.mins[d] * strides[d];
            m_values[ir::Var::from(buffer->elemOffset)] = offset;
        }
    }

    /// Indices into a view as indices into its buffer; leading dimensions that the view lacks are fixed.
    static std::vector<Expr> outerIndices(const View &view, const std::vector<Expr> &indices)
    {
        std::vector<Expr> result = view.mins;
        const std::size_t skipped = result.size() - indices.size();
        for (std::size_t d = 0; d < indices.size(); ++d)
            result[skipped + d] = result[skipped + d] + indices[d];
        return result;
    }

    std::vector<Expr> rewritten(const std::vector<Expr> &exprs)
    {
        std::vector<Expr> result;
        for (const Expr &e : exprs)
            result.push_back(expr(e));
        return result;
    }

    analysis::AllocationPlan m_plan;
    Notes m_notes;
    std::unordered_set<Buffer, ir::BufferHash> m_placed; ///< at a loop, not at their block
    bool m_inRoot = false;
    ir::VarMap<Expr> m_values;
    ir::BufferMap<View> m_views;
    ir::BufferMap<Buffer> m_buffers; ///< with the sizes that they have here
};

} // namespace

ir::Module lowerBlocks(const ir::Module &module, const target::Context &)
{
    ir::Module result = module;
    for (const ir::Module::Entry &entry : module.functions())
        result =
            result.with(entry.name, withArithmetic(BlockLowering(analysis::planAllocations(*entry.function),
                                                                 notesIn(entry.function->body))
                                                       .function(entry.function),
                                                   ir::allowsFastMath(*entry.function)));
    return result;
}

} // namespace nestwright::lower
