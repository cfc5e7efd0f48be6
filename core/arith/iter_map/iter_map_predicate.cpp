// SPDX-License-Identifier: Apache-2.0
/// Bounds on iterators from a predicate.
#include "core/arith/iter_map/iter_map_detector.h"

#include "core/arith/same_expr.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"

#include <algorithm>
#include <ranges>

namespace nestwright::arith {

using namespace ir;

namespace {

bool usesLoop(const Expr &e, const Domains &domains)
{
    const VarSet vars = variablesOf(e);
    return std::ranges::any_of(domains, [&](const VarRange &domain) { return vars.contains(domain.var); });
}

/// Adds the terms of `e` with iterators to `iter`, takes the others from `limit`.
void separateTerms(const Expr &e, bool positive, const Domains &domains, Expr &iter, Expr &limit)
{
    const auto *node = e.as<Binary>();
    if (node && (node->op == BinaryOp::Add || node->op == BinaryOp::Sub)) {
        separateTerms(node->a, positive, domains, iter, limit);
        separateTerms(node->b, positive == (node->op == BinaryOp::Add), domains, iter, limit);
    } else if (usesLoop(e, domains)) {
        iter = positive ? iter + e : iter - e;
    } else {
        limit = positive ? limit - e : limit + e;
    }
}

/// `literal` as bounds; `iter` is null where it says nothing of the loops. Nothing when it is no inequality
/// of integers.
std::optional<IterConstraint> constraintOf(const Expr &literal, const Domains &domains)
{
    const auto *node = literal.as<Binary>();
    if (!node || node->op < BinaryOp::LT || node->op > BinaryOp::GE || !node->a.dtype().isIntegral()
        || node->a.dtype().isVector())
        return std::nullopt;
    Expr iter = node->a, limit = node->b;
    bool isUpper = node->op == BinaryOp::LT || node->op == BinaryOp::LE;
    const bool isStrict = node->op == BinaryOp::LT || node->op == BinaryOp::GT;
    const bool left = usesLoop(iter, domains), right = usesLoop(limit, domains);
    if (!left && !right)
        return IterConstraint{};
    if (!left) {
        std::swap(iter, limit);
        isUpper = !isUpper;
    } else if (right) {
        const Expr difference = iter - limit;
        iter = limit = intImm(0, difference.dtype());
        separateTerms(difference, true, domains, iter, limit);
        iter = simplify(iter);
        limit = simplify(limit);
    }
    const Expr one = intImm(1, limit.dtype());
    IterConstraint result{iter, {}, {}};
    if (isUpper)
        result.upper = isStrict ? limit : limit + one;
    else
        result.lower = isStrict ? limit + one : limit;
    return result;
}

/// Takes a bound of one loop into its range; false for bounds of anything else.
bool takeIntoRange(Domains &domains, const IterConstraint &constraint)
{
    const auto own = std::ranges::find_if(
        domains, [&](const VarRange &domain) { return constraint.iter.same(domain.var); });
    if (own == domains.end())
        return false;
    Expr begin = own->range.min, end = own->range.min + own->range.extent;
    if (constraint.lower)
        begin = max(begin, constraint.lower);
    if (constraint.upper)
        end = min(end, constraint.upper);
    own->range = {begin, isConstInt(begin, 0) ? end : end - begin};
    return true;
}

/// The values of the loops of one iteration.
VarMap<Expr> singleValues(const Domains &domains)
{
    VarMap<Expr> values;
    for (const VarRange &domain : domains) {
        if (isConstInt(domain.range.extent, 1))
            values[domain.var] = domain.range.min;
    }
    return values;
}

} // namespace

std::optional<std::vector<IterConstraint>> boundConstraints(const Expr &predicate, Domains &domains)
{
    std::vector<IterConstraint> constraints;
    const std::vector<Expr> literals = conjunctsOf(predicate);
    for (const Expr &literal : std::views::reverse(literals)) {
        const auto constraint = constraintOf(literal, domains);
        if (!constraint)
            return std::nullopt;
        if (!constraint->iter)
            continue;
        if (!takeIntoRange(domains, *constraint))
            constraints.push_back(*constraint);
    }
    std::ranges::stable_sort(constraints, {}, [](const IterConstraint &c) { return sizeOf(c.iter); });
    return constraints;
}

void foldIntoRanges(std::vector<IterConstraint> &constraints, Domains &domains)
{
    const VarMap<Expr> single = singleValues(domains);
    std::erase_if(constraints, [&](const IterConstraint &constraint) {
        return takeIntoRange(
            domains, {simplify(substitute(constraint.iter, single)), constraint.lower, constraint.upper});
    });
}

void IterMapDetector::constrain(const IterConstraint &constraint)
{
    const Value value = rewrite(constraint.iter);
    const auto *found = std::get_if<IterSum>(&value);
    if (failed())
        return;
    if (!found || found->args.empty()) {
        fail("a part of the predicate bounds loops of one iteration only");
        return;
    }
    IterSum sum = *found;
    const DataType dtype = sum.base.dtype();
    const auto shifted = [&](const Expr &bound) { return bound ? cast(dtype, bound) - sum.base : bound; };
    const Expr lower = shifted(constraint.lower), upper = shifted(constraint.upper);
    sum.base = intImm(0, dtype);
    const auto fusion = fuse(std::move(sum), true);
    if (!fusion || !isConstInt(fusion->sum.args.front().scale, 1)) {
        fail("a part of the predicate does not bound a sum of the loop variables");
        return;
    }
    Fused &fused = m_fused[fusion->fused];
    IterMark mark = *fused.mark;
    Expr begin = fused.offset, end = fused.offset + mark.extent;
    if (lower) {
        const Expr moved = max(lower, begin);
        mark.sum.base = mark.sum.base - (moved - begin);
        begin = moved;
    }
    // Most predicates bound the sum below what its loops allow.
    if (upper)
        end = m_analyzer.canProve(le(upper, end)) ? upper : min(upper, end);
    mark.extent = end - begin;
    fused.mark = std::make_shared<const IterMark>(mark);
    fused.offset = begin;
    m_constrained.push_back(fusion->fused);
}

bool IterMapDetector::constraintsNest() const
{
    for (std::size_t i = 0; i < m_constrained.size(); ++i) {
        for (std::size_t j = i + 1; j < m_constrained.size(); ++j) {
            const auto &inner = m_fused[m_constrained[i]].flat.args,
                       &outer = m_fused[m_constrained[j]].flat.args;
            const auto shared = std::ranges::count_if(inner, [&](const IterSplit &split) {
                return std::ranges::any_of(outer, [&](const IterSplit &other) {
                    return sameDigits(split, other) && sameExpr(split.scale, other.scale);
                });
            });
            if (shared != 0 && shared != static_cast<std::ptrdiff_t>(inner.size()))
                return false;
        }
    }
    return true;
}

} // namespace nestwright::arith
