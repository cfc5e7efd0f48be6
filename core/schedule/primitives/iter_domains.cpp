// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/iter_domains.h"

#include "core/arith/iter_map/inverse_mapper.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/ir/builder.h"
#include "core/ir/substitute.h"
#include "core/ir/walk.h"
#include "core/schedule/rules/bindings.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using arith::IntervalSet;

/// What is found out about the variables: the values asked for, and the values that the buffers' shapes
/// allow.
struct Findings {
    ir::VarMap<IntervalSet> values, bounds;
};

void add(ir::VarMap<IntervalSet> &sets, const ir::Var &var, const IntervalSet &set, arith::Analyzer &analyzer)
{
    const auto found = sets.find(var);
    if (found == sets.end())
        sets.emplace(var, set);
    else
        found->second = arith::unionOf(found->second, set, analyzer);
}

IntervalSet quotient(const IntervalSet &set, const ir::Expr &by)
{
    return {set.min ? ir::floorDiv(set.min, by) : ir::Expr(),
            set.max ? ir::floorDiv(set.max, by) : ir::Expr(), false};
}

/// The positions in a dimension of the buffer.
IntervalSet positionsIn(const ir::Expr &extent)
{
    return {ir::constant(0, extent.dtype()), extent - ir::constant(1, extent.dtype()), false};
}

/// The coefficient of `var` in `e` when `e` is linear in it with a constant one; else null.
ir::Expr coefficient(const ir::Expr &e, const ir::Var &var, arith::Analyzer &analyzer)
{
    const ir::Expr one = ir::constant(1, var->dtype);
    ir::Expr step = analyzer.simplify(ir::substitute(e, {{var, var + one}}) - e);
    const std::int64_t *value = ir::asInt(step);
    return value && *value != 0 ? step : ir::Expr();
}

/// Values of `var` for which [c * var + b, c * var + b + extent) meets `asked`.
IntervalSet linearSolution(const ir::Range &own, const ir::Var &var, const ir::Expr &c,
                           const IntervalSet &asked, arith::Analyzer &analyzer)
{
    const ir::Expr b = analyzer.simplify(ir::substitute(own.min, {{var, ir::constant(0, var->dtype)}}));
    IntervalSet values;
    if (*ir::asInt(c) < 0) {
        const ir::Expr down = -c;
        if (asked.max)
            values.min = ir::floorDiv(b - asked.max + down - ir::constant(1, var->dtype), down);
        if (asked.min)
            values.max = ir::floorDiv(b + own.extent - ir::constant(1, var->dtype) - asked.min, down);
        return values;
    }
    // ceil((min - b - extent + 1) / c) … floor((max - b) / c)
    if (asked.min)
        values.min = ir::floorDiv(asked.min - b - own.extent + c, c);
    if (asked.max)
        values.max = ir::floorDiv(asked.max - b, c);
    return values;
}

/// Solves the dimensions whose index is linear in one iteration variable. False when one is of another form.
bool solveDimensions(const Tie &tie, const ir::VarSet &iters, Findings &findings, arith::Analyzer &analyzer)
{
    Findings found;
    for (std::size_t d = 0; d < tie.asked.size(); ++d) {
        const ir::Range &own = tie.own.region[d];
        std::vector<ir::Var> used;
        for (const ir::Var &var : ir::variablesOf(own.min)) {
            if (iters.contains(var))
                used.push_back(var);
        }
        if (used.empty())
            continue;
        const ir::Expr c = used.size() == 1 && !ir::usesAny(own.extent, iters)
                               ? coefficient(own.min, used[0], analyzer)
                               : ir::Expr();
        if (!c || found.values.contains(used[0]))
            return false;
        found.values.emplace(used[0], linearSolution(own, used[0], c, tie.asked[d], analyzer));
        found.bounds.emplace(
            used[0], linearSolution(own, used[0], c, positionsIn(tie.own.buffer.shape()[d]), analyzer));
    }
    for (const auto &[var, set] : found.values)
        add(findings.values, var, set, analyzer);
    for (const auto &[var, set] : found.bounds)
        findings.bounds.insert_or_assign(var, set);
    return true;
}

/// The values of one part (source // lowerFactor % extent) of a sum that takes the values `sum`.
IntervalSet valuesOfPart(const arith::IterSplit &split, bool isOutermost, const IntervalSet &sum,
                         arith::Analyzer &analyzer)
{
    IntervalSet shifted = quotient(sum, split.scale);
    if (isOutermost)
        return shifted;
    const ir::Expr one = ir::constant(1, split.extent.dtype());
    // Within one turn of the modulus the order is kept; otherwise every value may occur.
    if (shifted.isBounded()
        && analyzer.canProveEqual(ir::floorDiv(shifted.min, split.extent),
                                  ir::floorDiv(shifted.max, split.extent)))
        return {ir::floorMod(shifted.min, split.extent), ir::floorMod(shifted.max, split.extent), false};
    return {ir::constant(0, split.extent.dtype()), split.extent - one, false};
}

struct IntervalRules {
    arith::Analyzer *analyzer;

    IntervalSet without(const IntervalSet &output, const ir::Expr &base) const
    {
        return {output.min - base, output.max - base, false};
    }

    IntervalSet part(const arith::IterSplit &split, bool isOutermost, const IntervalSet &positions) const
    {
        const IntervalSet digits = valuesOfPart(split, isOutermost, positions, *analyzer);
        return {digits.min * split.lowerFactor, digits.max * split.lowerFactor, false};
    }

    IntervalSet plus(const IntervalSet &a, const IntervalSet &b) const
    {
        return {analyzer->simplify(a.min + b.min), analyzer->simplify(a.max + b.max), false};
    }
};

/// The variables' values from the dimensions' values through the inverse of a bijective affine map.
std::optional<ir::VarMap<IntervalSet>> inverse(const arith::IterMap &map, const Box &box,
                                               arith::Analyzer &analyzer)
{
    arith::InverseMapper<IntervalSet, IntervalRules> mapper(IntervalRules{&analyzer});
    for (std::size_t d = 0; d < box.size(); ++d) {
        if (!box[d].isBounded())
            return std::nullopt;
        mapper.sum(map.indices[d], box[d]);
    }
    return mapper.finish();
}

bool isPoint(const ir::BufferRegion &region)
{
    return std::ranges::all_of(region.region, [](const ir::Range &r) { return ir::isConstInt(r.extent, 1); });
}

bool solveInverse(const ir::Block &block, const Tie &tie, Findings &findings, arith::Analyzer &analyzer)
{
    if (!isPoint(tie.own))
        return false;
    bindAll(analyzer, domainsOf(block));
    std::vector<ir::Expr> indices;
    Box whole;
    for (std::size_t d = 0; d < tie.own.region.size(); ++d) {
        indices.push_back(analyzer.simplify(tie.own.region[d].min)); // a quotient may be 0 throughout
        whole.push_back(positionsIn(tie.own.buffer.shape()[d]));
    }
    const support::Result<arith::IterMap> map = arith::detectIterMap(
        indices, usedIn(domainsOf(block), indices), {}, arith::IterMapLevel::Bijective, analyzer);
    if (!map)
        return false;
    const std::optional<ir::VarMap<IntervalSet>> values = inverse(*map, tie.asked, analyzer);
    const std::optional<ir::VarMap<IntervalSet>> bounds = inverse(*map, whole, analyzer);
    if (!values || !bounds)
        return false;
    for (const auto &[var, set] : *values)
        add(findings.values, var, set, analyzer);
    for (const auto &[var, set] : *bounds)
        findings.bounds.insert_or_assign(var, set);
    return true;
}

IntervalSet simplified(const IntervalSet &set, arith::Analyzer &analyzer)
{
    return {set.min ? analyzer.simplify(set.min) : set.min, set.max ? analyzer.simplify(set.max) : set.max,
            set.isNothing};
}

bool sameEnds(const IntervalSet &a, const IntervalSet &b, arith::Analyzer &analyzer)
{
    return a.isBounded() && b.isBounded() && analyzer.canProveEqual(a.min, b.min)
           && analyzer.canProveEqual(a.max, b.max);
}

IterDomain settled(const ir::IterVar &iter, const Findings &findings, arith::Analyzer &analyzer)
{
    const IntervalSet domain = simplified(IntervalSet::of(iter.domain), analyzer);
    const auto values = findings.values.find(iter.var);
    if (values == findings.values.end() || !values->second.isBounded())
        return {domain, IntervalSet::nothing()};
    const IntervalSet asked = simplified(values->second, analyzer);
    IntervalSet bound = domain;
    if (const auto found = findings.bounds.find(iter.var); found != findings.bounds.end())
        bound = simplified(arith::intersect(domain, found->second, analyzer), analyzer);
    const IntervalSet common = simplified(arith::intersect(asked, bound, analyzer), analyzer);
    if (sameEnds(asked, common, analyzer))
        return {asked, IntervalSet::nothing()};
    if (sameEnds(bound, common, analyzer))
        return {bound, IntervalSet::nothing()};
    if (common.isBounded() && ir::asInt(common.min) && ir::asInt(common.max)
        && *ir::asInt(common.min) <= *ir::asInt(common.max))
        return {common, IntervalSet::nothing()};
    return {asked, bound};
}

} // namespace

std::vector<IterDomain> solveIterDomains(const ir::Block &block, const std::vector<Tie> &ties,
                                         arith::Analyzer &analyzer)
{
    ir::VarSet iters;
    for (const ir::IterVar &iter : block.iterVars)
        iters.insert(iter.var);
    Findings findings;
    for (const Tie &tie : ties) {
        if (!solveDimensions(tie, iters, findings, analyzer))
            solveInverse(block, tie, findings, analyzer);
    }
    std::vector<IterDomain> domains;
    for (const ir::IterVar &iter : block.iterVars)
        domains.push_back(settled(iter, findings, analyzer));
    return domains;
}

} // namespace nestwright::schedule
