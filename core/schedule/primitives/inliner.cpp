// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/inliner.h"

#include "core/analysis/access/complete_regions.h"
#include "core/arith/iter_map/inverse.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/fresh_variables.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/rules/bindings.h"

#include <algorithm>

namespace nestwright::schedule {

using support::diagnostic;

const ir::BufferStore *onlyStore(const ir::Block &block) { return block.body.as<ir::BufferStore>(); }

ir::Expr ValueOfIndices::at(const std::vector<ir::Expr> &place) const
{
    ir::VarMap<ir::Expr> values;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        if (indices[d])
            values[indices[d]] =
                place[d].dtype() == indices[d]->dtype ? place[d] : ir::cast(indices[d]->dtype, place[d]);
    }
    // It may be read in several places.
    return ir::withFreshVariables(ir::substitute(value, values));
}

namespace {

[[noreturn]] void cannotInlineStore(const ir::Block &block, const std::string &why)
{
    refuse(diagnostic("schedule.not-inlinable", "block " + named(block) + ' ' + why)
               .at(block.id)
               .withHint("only a store whose indices tell which iteration writes there can be inlined"));
}

/// The indices where each is another variable of the block, or constant in a dimension of one element;
/// nothing otherwise.
std::optional<std::vector<ir::Var>> distinctVariables(const ir::Block &block, const ir::BufferStore &store)
{
    std::vector<ir::Var> vars;
    for (std::size_t d = 0; d < store.indices.size(); ++d) {
        const ir::Var var = ir::Var::from(store.indices[d]);
        const bool isConstant = ir::asInt(store.indices[d]) && ir::isConstInt(store.buffer.shape()[d], 1);
        const bool isOwn = var && std::ranges::contains(block.iterVars, var, &ir::IterVar::var);
        if (!isConstant && (!isOwn || std::ranges::contains(vars, var)))
            return std::nullopt;
        vars.push_back(var);
    }
    return vars;
}

/// The value by the inverse of the indices, which give each iteration an element of its own.
ValueOfIndices byInverse(const ir::Block &block, const ir::BufferStore &store)
{
    arith::Analyzer analyzer;
    bindAll(analyzer, domainsOf(block));
    const auto map = arith::detectIterMap(store.indices, usedIn(domainsOf(block), store.indices), {},
                                          arith::IterMapLevel::Bijective, analyzer);
    if (!map)
        cannotInlineStore(block, "stores to '" + store.buffer.name()
                                     + "' at indices that do not tell which of its "
                                       "iterations writes there");
    ValueOfIndices result;
    std::vector<ir::Expr> places;
    for (std::size_t d = 0; d < store.indices.size(); ++d) {
        result.indices.emplace_back("i" + std::to_string(d), store.indices[d].dtype());
        places.emplace_back(result.indices.back());
        analyzer.bind(result.indices.back(),
                      {ir::constant(0, store.indices[d].dtype()), store.buffer.shape()[d]});
    }
    ir::VarMap<ir::Expr> values;
    for (const auto &[var, value] : arith::inverseOf(*map, places))
        values[var] = value;
    for (const ir::IterVar &iter : block.iterVars) {
        if (!values.contains(iter.var) && ir::isConstInt(iter.domain.extent, 1))
            values[iter.var] = iter.domain.min;
        if (!values.contains(iter.var) && ir::uses(store.value, iter.var))
            cannotInlineStore(block, "stores a value that depends on '" + iter.var.name()
                                         + "', which does not index '" + store.buffer.name() + "'");
    }
    result.value = ir::substitute(store.value, values);
    return result;
}

} // namespace

ValueOfIndices valueOfIndices(const ir::Block &block, const ir::BufferStore &store)
{
    std::optional<std::vector<ir::Var>> vars = distinctVariables(block, store);
    if (!vars)
        return byInverse(block, store);
    ir::VarMap<ir::Expr> units;
    for (const ir::IterVar &iter : block.iterVars) {
        if (std::ranges::contains(*vars, iter.var))
            continue;
        if (ir::isConstInt(iter.domain.extent, 1))
            units[iter.var] = iter.domain.min;
        else if (ir::uses(store.value, iter.var))
            cannotInlineStore(block, "stores a value that depends on '" + iter.var.name()
                                         + "', which does not index '" + store.buffer.name() + "'");
    }
    return {*std::move(vars), ir::substitute(store.value, units)};
}

namespace {

class LoadReplacer : public ir::Rewriter {
public:
    LoadReplacer(const ir::Buffer &buffer, const std::function<ir::Expr(const ir::BufferLoad &)> &replace)
        : m_buffer(buffer)
        , m_replace(replace)
    {
    }

    ir::Expr expr(const ir::Expr &e) override
    {
        ir::Expr inside = children(e);
        const auto *load = inside.as<ir::BufferLoad>();
        if (!load || !(load->buffer == m_buffer))
            return inside;
        if (load->dtype.isVector() || load->predicate)
            refuse(diagnostic("schedule.not-inlinable", "'" + m_buffer.name() + "' is read as a vector"));
        return m_replace(*load);
    }

    ir::Stmt stmt(const ir::Stmt &s) override
    {
        const auto *block = s.as<ir::Block>();
        ir::Stmt inside = children(s);
        if (!block || !touches(*block))
            return inside;
        ir::Block changed = *inside.as<ir::Block>();
        if (std::ranges::any_of(changed.matchBuffers,
                                [&](const ir::MatchBuffer &m) { return m.source.buffer == m_buffer; }))
            refuse(diagnostic("schedule.opaque-access", "block " + named(*block) + " matches a part of '"
                                                            + m_buffer.name()
                                                            + "', so its value cannot be put in place of it")
                       .at(block->id));
        renewRegions(changed);
        return ir::make(std::move(changed));
    }

private:
    bool touches(const ir::Block &block) const
    {
        return ir::hasRegion(block.reads, m_buffer) || ir::hasRegion(block.writes, m_buffer);
    }

    const ir::Buffer &m_buffer;
    const std::function<ir::Expr(const ir::BufferLoad &)> &m_replace;
};

} // namespace

void renewRegions(ir::Block &block)
{
    ir::VarMap<ir::Buffer> buffers;
    for (const std::vector<ir::BufferRegion> *regions : {&block.reads, &block.writes}) {
        for (const ir::BufferRegion &region : *regions)
            buffers.insert_or_assign(region.buffer->data, region.buffer);
    }
    analysis::AccessRegions found = analysis::accessRegions(block, buffers);
    block.reads = std::move(found.reads);
    block.writes = std::move(found.writes);
}

ir::Stmt withLoadsReplaced(const ir::Stmt &scope, const ir::Buffer &buffer,
                           const std::function<ir::Expr(const ir::BufferLoad &)> &replace)
{
    const ir::Stmt result = LoadReplacer(buffer, replace).stmt(scope);
    if (ir::uses(result, buffer) || ir::uses(result, buffer->data))
        refuse(diagnostic("schedule.opaque-access",
                          "'" + buffer.name()
                              + "' is reached in another way than by loads, so its value cannot "
                                "be put in place of it"));
    return result;
}

ir::Expr withLoadsReplaced(const ir::Expr &e, const ir::Buffer &buffer,
                           const std::function<ir::Expr(const ir::BufferLoad &)> &replace)
{
    return LoadReplacer(buffer, replace).expr(e);
}

} // namespace nestwright::schedule
