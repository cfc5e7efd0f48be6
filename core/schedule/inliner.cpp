// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/inliner.h"

#include "core/analysis/complete_regions.h"
#include "core/ir/builder.h"
#include "core/ir/rewriter.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/script/printer.h"

#include <algorithm>

namespace nestwright::schedule {

using support::diagnostic;

const ir::BufferStore *onlyStore(const ir::Block &block) { return block.body.as<ir::BufferStore>(); }

std::vector<ir::Var> indexVariables(const ir::Block &block, const ir::BufferStore &store)
{
    ir::VarSet iters, indexed;
    for (const ir::IterVar &iter : block.iterVars)
        iters.insert(iter.var);
    std::vector<ir::Var> vars;
    for (std::size_t d = 0; d < store.indices.size(); ++d) {
        const ir::Var var = ir::Var::from(store.indices[d]);
        const bool isConstant = ir::asInt(store.indices[d]) && ir::isConstInt(store.buffer.shape()[d], 1);
        if (!isConstant && (!var || !iters.contains(var) || !indexed.insert(var).second))
            refuse(
                diagnostic("schedule.not-inlinable",
                           "block " + named(block) + " stores to '" + store.buffer.name() + "' at "
                               + script::printExpr(store.indices[d]) + ", which is not a variable of its own")
                    .at(block.id)
                    .withHint("only a store whose indices are different iteration variables can be inlined"));
        vars.push_back(var);
    }
    for (const ir::Var &var : ir::variablesOf(store.value)) {
        if (iters.contains(var) && !indexed.contains(var))
            refuse(diagnostic("schedule.not-inlinable",
                              "the value that block " + named(block) + " stores depends on '" + var.name()
                                  + "', which does not index '" + store.buffer.name() + "'")
                       .at(block.id));
    }
    return vars;
}

ir::Expr valueAt(const ir::Expr &value, const std::vector<ir::Var> &vars,
                 const std::vector<ir::Expr> &indices)
{
    ir::VarMap<ir::Expr> values;
    for (std::size_t d = 0; d < vars.size(); ++d) {
        if (vars[d])
            values[vars[d]] =
                indices[d].dtype() == vars[d]->dtype ? indices[d] : ir::cast(vars[d]->dtype, indices[d]);
    }
    return ir::substitute(value, values);
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
        const auto names = [&](const std::vector<ir::BufferRegion> &regions) {
            return std::ranges::find(regions, m_buffer, &ir::BufferRegion::buffer) != regions.end();
        };
        return names(block.reads) || names(block.writes);
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
