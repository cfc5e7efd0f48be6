// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/blockize_bindings.h"

#include "core/arith/int_set.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"

#include <algorithm>
#include <utility>

namespace nestwright::schedule {

namespace {

ir::IterVar iterWithSuffix(const ir::IterVar &iter, const std::string &suffix, const Side &side)
{
    return {{side.min ? side.min : ir::constant(0, side.extent.dtype()), side.extent},
            ir::Var(iter.var.name() + suffix, iter.var->dtype),
            iter.kind};
}

/// Replaces variables and simplifies what changes.
class Replacer : public ir::Rewriter {
public:
    Replacer(const ir::VarMap<ir::Expr> &values, arith::Analyzer &analyzer)
        : m_values(values)
        , m_analyzer(analyzer)
    {
    }

    ir::Expr expr(const ir::Expr &e) override
    {
        const auto value = m_values.find(ir::Var::from(e));
        const ir::Expr changed = e.as<ir::VarNode>() && value != m_values.end() ? value->second : children(e);
        return changed.same(e) || !changed.dtype().isIntegral() ? changed : m_analyzer.simplify(changed);
    }

private:
    const ir::VarMap<ir::Expr> &m_values;
    arith::Analyzer &m_analyzer;
};

} // namespace

bool isReduction(const ir::IterVar &iter) { return iter.kind == ir::IterKind::Reduce; }

Bindings outerBindings(const ir::Block &block, const Division &division)
{
    Bindings bindings;
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        bindings.outerVars.push_back(iterWithSuffix(block.iterVars[i], "_o", division.bindings[i].outer));
        bindings.outerValues.push_back(division.bindings[i].outer.value);
    }
    return bindings;
}

void bindInner(const ir::Block &block, const Division &division, bool preserveUnitIters, Bindings &bindings)
{
    for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
        const ir::IterVar &iter = block.iterVars[i];
        const auto &[outer, inner] = division.bindings[i];
        const ir::Expr outerVar = bindings.outerVars[i].var;
        const bool isUnit = ir::isConstInt(outer.extent, 1);
        if (ir::isConstInt(inner.extent, 1) && !inner.min) {
            const ir::Expr only = outer.min ? outer.min : ir::constant(0, iter.var->dtype);
            bindings.values[iter.var] = isUnit && !preserveUnitIters ? only : outerVar;
            continue;
        }
        bindings.innerVars.push_back(iterWithSuffix(iter, "_i", inner));
        bindings.innerValues.push_back(inner.value);
        const ir::Expr innerVar = bindings.innerVars.back().var;
        bindings.values[iter.var] = isUnit ? innerVar : outerVar * inner.extent + innerVar;
    }
}

ir::Block replacedIn(const ir::Block &block, const Bindings &bindings, arith::Analyzer &analyzer)
{
    for (const ir::IterVar &iter : bindings.innerVars)
        analyzer.bind(iter.var, iter.domain);
    ir::Block bare = block; // the bindings are replaced whole
    bare.iterVars.clear();
    bare.iterValues.clear();
    return *Replacer(bindings.values, analyzer).stmt(ir::make(std::move(bare))).as<ir::Block>();
}

ir::Block innerBlock(const ir::Block &replaced, const Bindings &bindings, const ir::Expr &predicate)
{
    ir::Block inner = replaced;
    inner.iterVars = bindings.innerVars;
    inner.iterValues = bindings.innerValues;
    inner.predicate = predicate;
    if (replaced.init && std::ranges::any_of(bindings.outerVars, isReduction)) {
        inner.reads = replaced.writes;
        inner.reads.insert(inner.reads.end(), replaced.reads.begin(), replaced.reads.end());
    }
    return inner;
}

std::vector<ir::BufferRegion> relaxed(const std::vector<ir::BufferRegion> &regions,
                                      const std::vector<ir::IterVar> &vars, arith::Analyzer &analyzer)
{
    arith::Domains domains;
    for (const ir::IterVar &iter : vars)
        domains.push_back({iter.var, iter.domain});
    std::vector<ir::BufferRegion> result;
    for (const ir::BufferRegion &region : regions) {
        auto whole = arith::regionOver(region.region, domains, analyzer);
        result.push_back(whole ? ir::BufferRegion{region.buffer, std::move(*whole)}
                               : ir::fullRegion(region.buffer));
    }
    return result;
}

ir::Stmt nested(ir::Stmt body, const std::vector<const ir::For *> &loops, const ir::VarMap<ir::Expr> &outside)
{
    for (const ir::For *loop : loops) {
        ir::For copy = *loop;
        copy.extent = ir::substitute(copy.extent, outside);
        copy.body = std::move(body);
        body = ir::make(std::move(copy));
    }
    return body;
}

} // namespace nestwright::schedule
