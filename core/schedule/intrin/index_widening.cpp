// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/intrin/index_widening.h"

#include "core/ir/build/builder.h"

#include <utility>

namespace nestwright::schedule {

namespace {

bool isNarrow(const ir::DataType &type) { return type == ir::DataType::int32(); }

} // namespace

ir::Expr IndexWidener::index(const ir::Expr &e)
{
    if (!e)
        return e;
    const bool outside = std::exchange(m_isIndex, true);
    ir::Expr result = expr(e);
    m_isIndex = outside;
    return result;
}

void IndexWidener::indices(std::vector<ir::Expr> &list)
{
    for (ir::Expr &e : list)
        e = index(e);
}

ir::Range IndexWidener::domain(const ir::Range &range) { return {index(range.min), index(range.extent)}; }

void IndexWidener::region(ir::BufferRegion &touched)
{
    touched.buffer = buffer(touched.buffer);
    for (ir::Range &range : touched.region)
        range = domain(range);
}

ir::Var IndexWidener::wide(const ir::Var &var)
{
    if (!isNarrow(var->dtype))
        return var;
    return m_vars.try_emplace(var, ir::Var(var.name(), ir::DataType::int64())).first->second;
}

ir::Buffer IndexWidener::buffer(const ir::Buffer &b)
{
    if (const auto known = m_buffers.find(b); known != m_buffers.end())
        return known->second;
    ir::BufferNode node = *b.get();
    indices(node.shape);
    indices(node.strides);
    node.elemOffset = index(node.elemOffset);
    return m_buffers[b] = ir::Buffer(std::move(node));
}

ir::Expr IndexWidener::expr(const ir::Expr &e)
{
    if (const ir::Var var = ir::Var::from(e)) {
        if (m_isIndex)
            return wide(var);
        const auto known = m_vars.find(var);
        return known == m_vars.end() ? e : ir::Expr(known->second);
    }
    if (const std::int64_t *value = ir::asInt(e); value && m_isIndex && isNarrow(e.dtype()))
        return ir::intImm(*value, ir::DataType::int64());
    if (const auto *node = e.as<ir::Binary>())
        return ir::binary(node->op, expr(node->a), expr(node->b));
    if (const auto *node = e.as<ir::Ramp>())
        return ir::ramp(expr(node->base), expr(node->stride), node->lanes);
    if (const auto *node = e.as<ir::BufferLoad>()) {
        std::vector<ir::Expr> places = node->indices;
        indices(places);
        return ir::load(buffer(node->buffer), std::move(places));
    }
    const bool outside = std::exchange(m_isIndex, false);
    ir::Expr result = children(e);
    m_isIndex = outside;
    return result;
}

ir::Stmt IndexWidener::stmt(const ir::Stmt &s)
{
    if (const auto *loop = s.as<ir::For>()) {
        ir::For copy = *loop;
        copy.var = wide(loop->var);
        copy.min = index(loop->min);
        copy.extent = index(loop->extent);
        copy.body = stmt(loop->body);
        return ir::make(std::move(copy));
    }
    if (const auto *store = s.as<ir::BufferStore>()) {
        std::vector<ir::Expr> places = store->indices;
        indices(places);
        return ir::store(buffer(store->buffer), expr(store->value), std::move(places));
    }
    const auto *inner = s.as<ir::Block>();
    return inner ? block(*inner) : children(s);
}

ir::Stmt IndexWidener::block(const ir::Block &block)
{
    ir::Block copy = block;
    for (ir::IterVar &iter : copy.iterVars) {
        iter.domain = domain(iter.domain);
        iter.var = wide(iter.var);
    }
    indices(copy.iterValues);
    copy.predicate = expr(block.predicate);
    for (std::vector<ir::BufferRegion> *regions : {&copy.reads, &copy.writes}) {
        for (ir::BufferRegion &touched : *regions)
            region(touched);
    }
    for (ir::Buffer &own : copy.allocBuffers)
        own = buffer(own);
    for (ir::MatchBuffer &match : copy.matchBuffers) {
        region(match.source);
        match.buffer = buffer(match.buffer);
    }
    if (block.init)
        copy.init = stmt(block.init);
    copy.body = stmt(block.body);
    return ir::make(std::move(copy));
}

} // namespace nestwright::schedule
