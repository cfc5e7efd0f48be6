// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/iter_domains.h"

#include "core/arith/iter_map/inverse_mapper.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/schedule/rules/bindings.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using arith::IntervalSet;

/// Findings about the variables: the values required, and the values that the buffers' shapes allow.
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
IntervalSet linearSolution(const ir::Range &provided, const ir::Var &var, const ir::Expr &c,
                           const IntervalSet &required, arith::Analyzer &analyzer)
{
    const ir::Expr b = analyzer.simplify(ir::substitute(provided.min, {{var, ir::constant(0, var->dtype)}}));
    IntervalSet values;
    if (*ir::asInt(c) < 0) {
        const ir::Expr down = -c;
        if (required.max)
            values.min = ir::floorDiv(b - required.max + down - ir::constant(1, var->dtype), down);
        if (required.min)
            values.max = ir::floorDiv(b + provided.extent - ir::constant(1, var->dtype) - required.min, down);
        return values;
    }
    // ceil((min - b - extent + 1) / c) … floor((max - b) / c)
    if (required.min)
        values.min = ir::floorDiv(required.min - b - provided.extent + c, c);
    if (required.max)
        values.max = ir::floorDiv(required.max - b, c);
    return values;
}

/// The quotient by a positive number that `e` is but for a rest without `var`, as `v // 2 + 1`.
struct Quotient {
    ir::Expr dividend, by, rest;
};

std::optional<Quotient> quotientIn(const ir::Expr &e, const ir::Var &var, arith::Analyzer &analyzer)
{
    const ir::Expr plain = analyzer.simplify(e);
    std::optional<Quotient> found;
    ir::forEachExpr(plain, [&](const ir::Expr &part) {
        const auto *node = part.as<ir::Binary>();
        const std::int64_t *by = node && node->op == ir::BinaryOp::FloorDiv ? ir::asInt(node->b) : nullptr;
        if (found || !by || *by < 1 || !ir::uses(node->a, var))
            return !found;
        const ir::Expr rest = analyzer.simplify(plain - part);
        if (!ir::uses(rest, var))
            found = Quotient{node->a, node->b, rest};
        return !found;
    });
    return found;
}

/// Values of `var` for which `provided` meets `required`; nothing where its index is neither linear in it nor
/// the quotient of what is.
std::optional<IntervalSet> solutionOf(const ir::Range &provided, const ir::Var &var,
                                      const IntervalSet &required, arith::Analyzer &analyzer)
{
    if (const ir::Expr c = coefficient(provided.min, var, analyzer))
        return linearSolution(provided, var, c, required, analyzer);
    const auto quotient = quotientIn(provided.min, var, analyzer);
    if (!quotient)
        return std::nullopt;
    const ir::Expr one = ir::constant(1, var->dtype);
    IntervalSet dividends;
    if (required.min)
        dividends.min = (required.min - quotient->rest - provided.extent + one) * quotient->by;
    if (required.max)
        dividends.max = (required.max - quotient->rest + one) * quotient->by - one;
    return solutionOf({quotient->dividend, one}, var, dividends, analyzer);
}

/// Solves the dimensions whose index is linear in one iteration variable, or a quotient of what is. False
/// when one is of another form.
bool solveDimensions(const AccessPair &pair, const ir::VarSet &iters, Findings &findings,
                     arith::Analyzer &analyzer)
{
    Findings found;
    for (std::size_t d = 0; d < pair.required.size(); ++d) {
        const ir::Range &provided = pair.provided.region[d];
        std::vector<ir::Var> used;
        for (const ir::Var &var : ir::variablesOf(provided.min)) {
            if (iters.contains(var))
                used.push_back(var);
        }
        if (used.empty())
            continue;
        if (used.size() != 1 || ir::usesAny(provided.extent, iters) || found.values.contains(used[0]))
            return false;
        const auto values = solutionOf(provided, used[0], pair.required[d], analyzer);
        if (!values)
            return false;
        found.values.emplace(used[0], *values);
        found.bounds.emplace(
            used[0], *solutionOf(provided, used[0], positionsIn(pair.provided.buffer.shape()[d]), analyzer));
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

bool solveInverse(const ir::Block &block, const AccessPair &pair, Findings &findings,
                  arith::Analyzer &analyzer)
{
    if (!isPoint(pair.provided))
        return false;
    bindAll(analyzer, domainsOf(block));
    std::vector<ir::Expr> indices;
    Box whole;
    for (std::size_t d = 0; d < pair.provided.region.size(); ++d) {
        indices.push_back(analyzer.simplify(pair.provided.region[d].min)); // a quotient may be 0 throughout
        whole.push_back(positionsIn(pair.provided.buffer.shape()[d]));
    }
    const support::Result<arith::IterMap> map = arith::detectIterMap(
        indices, usedIn(domainsOf(block), indices), {}, arith::IterMapLevel::Bijective, analyzer);
    if (!map)
        return false;
    const std::optional<ir::VarMap<IntervalSet>> values = inverse(*map, pair.required, analyzer);
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
    const IntervalSet required = simplified(values->second, analyzer);
    IntervalSet bound = domain;
    if (const auto found = findings.bounds.find(iter.var); found != findings.bounds.end())
        bound = simplified(arith::intersect(domain, found->second, analyzer), analyzer);
    const IntervalSet common = simplified(arith::intersect(required, bound, analyzer), analyzer);
    if (sameEnds(required, common, analyzer))
        return {required, IntervalSet::nothing()};
    if (sameEnds(bound, common, analyzer))
        return {bound, IntervalSet::nothing()};
    if (common.isBounded() && ir::asInt(common.min) && ir::asInt(common.max)
        && *ir::asInt(common.min) <= *ir::asInt(common.max))
        return {common, IntervalSet::nothing()};
    return {required, bound};
}

} // namespace

std::vector<IterDomain> solveIterDomains(const ir::Block &block, const std::vector<AccessPair> &pairs,
                                         arith::Analyzer &analyzer)
{
    ir::VarSet iters;
    for (const ir::IterVar &iter : block.iterVars)
        iters.insert(iter.var);
    Findings findings;
    for (const AccessPair &pair : pairs) {
        if (!solveDimensions(pair, iters, findings, analyzer))
            solveInverse(block, pair, findings, analyzer);
    }
    std::vector<IterDomain> domains;
    for (const ir::IterVar &iter : block.iterVars)
        domains.push_back(settled(iter, findings, analyzer));
    return domains;
}

} // namespace nestwright::schedule
