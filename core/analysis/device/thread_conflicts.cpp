// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/device/thread_conflicts.h"

#include "core/analysis/access/combinations.h"
#include "core/analysis/access/element_filter.h"
#include "core/analysis/access/integer_code.h"
#include "core/analysis/device/thread_elements.h"
#include "core/analysis/device/thread_forms.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/purity.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;
using ir::Var;

namespace {

constexpr std::int64_t mostCombinations = std::int64_t{1} << 20, mostDistances = 1 << 12, mostTimes = 1024;

} // namespace

bool isArithmetic(const Expr &index)
{
    const ir::VarSet used = ir::variablesOf(index);
    return IntegerCode::of(index, std::vector<Var>(used.begin(), used.end())).has_value();
}

std::optional<ThreadAccess> scalar(const ThreadAccess &access)
{
    if (!access.index)
        return std::nullopt;
    if (!access.index.dtype().isVector())
        return access;
    const auto *ramp = access.index.as<ir::Ramp>();
    if (!ramp || ramp->base.dtype().isVector())
        return std::nullopt;
    ThreadAccess result = access;
    const Var lane("lane", ramp->base.dtype());
    result.index = ramp->base + Expr(lane) * ramp->stride;
    result.loops.push_back(
        {lane, {ir::constant(0, lane.dtype()), ir::constant(access.index.dtype().lanes, lane.dtype())}});
    return result;
}

ThreadAccess substitute(const ThreadAccess &access, const ir::VarMap<Expr> &values)
{
    ThreadAccess result = access;
    if (access.index)
        result.index = ir::substitute(access.index, values);
    if (access.condition)
        result.condition = ir::substitute(access.condition, values);
    for (arith::VarRange &loop : result.loops)
        loop.range = ir::substitute(loop.range, values);
    for (DataCondition &each : result.onData)
        each.condition = ir::substitute(each.condition, values);
    return result;
}

namespace {

/// The access under none of the conditions on loops that its index does not use; nothing where there are
/// none.
std::optional<ThreadAccess> inAllRounds(const ThreadAccess &access)
{
    const ir::VarSet used = ir::variablesOf(access.index);
    ir::VarSet others;
    for (const arith::VarRange &loop : access.loops) {
        if (!used.contains(loop.var))
            others.insert(loop.var);
    }
    std::vector<Expr> conditions = ir::conjunctsOf(access.condition);
    if (std::erase_if(conditions, [&](const Expr &term) { return ir::usesAny(term, others); }) == 0)
        return std::nullopt;
    ThreadAccess result = access;
    result.condition = conditions.empty() ? Expr() : ir::conjunctionOf(conditions);
    return result;
}

} // namespace

ThreadConflicts::ThreadConflicts(arith::Domains axes, arith::Analyzer &analyzer)
    : m_axes(std::move(axes))
    , m_analyzer(analyzer)
{
}

/// The access with variables of its own for its loops, and for `others` too.
ThreadAccess ThreadConflicts::apart(const ThreadAccess &access, const arith::Domains &others) const
{
    ThreadAccess result = access;
    ir::VarMap<Expr> renamed;
    const auto rename = [&](const Var &var) {
        const Var fresh(var.name(), var.dtype());
        renamed[var] = fresh;
        return fresh;
    };
    for (const arith::VarRange &other : others)
        m_analyzer.bind(rename(other.var), other.range);
    for (arith::VarRange &loop : result.loops) {
        loop.range = ir::substitute(loop.range, renamed);
        loop.var = rename(loop.var);
        m_analyzer.bind(loop.var, loop.range);
    }
    result.index = ir::substitute(access.index, renamed);
    if (access.condition)
        result.condition = ir::substitute(access.condition, renamed);
    return result;
}

bool ThreadConflicts::provablyDiffer(const ThreadAccess &a, const ThreadAccess &b)
{
    const ThreadAccess one = apart(a, m_axes), other = apart(b, m_axes);
    return m_analyzer.canProve(ir::ne(one.index, other.index));
}

ThreadConflicts::Offset ThreadConflicts::offsetOf(const ThreadAccess &access)
{
    Offset result{.domains = m_axes,
                  .rounds = {},
                  .conditions = ir::conjunctsOf(access.condition),
                  .first = {},
                  .offset = {}};
    std::erase_if(result.conditions, [](const Expr &term) { return !ir::isPure(term); });
    for (const arith::VarRange &loop : access.loops) {
        const auto usesIt = [&](const Expr &e) { return ir::uses(e, loop.var); };
        if (usesIt(access.index))
            result.domains.push_back(loop);
        else if (std::ranges::any_of(result.conditions, usesIt))
            result.rounds.push_back(loop);
    }
    ir::VarMap<Expr> start;
    for (const arith::VarRange &domain : result.domains)
        start[domain.var] = domain.range.min;
    result.first = m_analyzer.simplify(ir::substitute(access.index, start));
    result.offset = m_analyzer.simplify(access.index - result.first);
    return result;
}

std::optional<ThreadConflicts::Elements> ThreadConflicts::elementsOf(const ThreadAccess &access)
{
    const Offset from = offsetOf(access);
    Elements elements;
    elements.first = from.first;
    const std::vector<Var> vars = variablesOf(from.domains);
    auto code = IntegerCode::of(from.offset, vars);
    auto combinations = Combinations::of(from.domains, mostCombinations);
    if (!code || !combinations)
        return std::nullopt;
    auto filter = ElementFilter::of(from.conditions, from.domains, from.rounds, mostCombinations, m_analyzer);
    if (!filter)
        return std::nullopt;
    for (; !combinations->isOver(); combinations->next()) {
        const std::vector<std::int64_t> &values = combinations->values();
        if (!filter->allows(values))
            continue;
        std::int64_t thread = 0;
        for (std::size_t i = 0; i < m_axes.size(); ++i)
            thread = thread * *ir::asInt(m_axes[i].range.extent) + values[i];
        const auto place = code->eval(values);
        if (!place)
            return std::nullopt;
        elements.add(*place, thread);
    }
    return elements;
}

/// The values that `b` - `a` takes, which depend on variables common to both; nothing where too many.
std::optional<std::vector<std::int64_t>> ThreadConflicts::distances(const Expr &a, const Expr &b)
{
    const Expr distance = m_analyzer.simplify(b - a);
    arith::Domains domains;
    for (const Var &var : ir::variablesOf(distance)) {
        const arith::ConstIntBound bound = m_analyzer.constBound(var);
        if (!bound.isFinite() || bound.max - bound.min >= mostDistances)
            return std::nullopt;
        domains.push_back({var,
                           {ir::constant(static_cast<double>(bound.min), var.dtype()),
                            ir::constant(static_cast<double>(bound.max - bound.min + 1), var.dtype())}});
    }
    auto code = IntegerCode::of(distance, variablesOf(domains));
    auto combinations = Combinations::of(domains, mostDistances);
    if (!code || !combinations)
        return std::nullopt;
    std::set<std::int64_t> values;
    for (; !combinations->isOver(); combinations->next()) {
        const auto value = code->eval(combinations->values());
        if (!value)
            return std::nullopt;
        values.insert(*value);
    }
    return std::vector(values.begin(), values.end());
}

bool ThreadConflicts::conflict(const ThreadAccess &a, const ThreadAccess &b)
{
    if (a.memory != b.memory || (!a.isWrite && !b.isWrite))
        return false;
    const auto one = scalar(a), other = scalar(b);
    if (!one || !other)
        return true;
    return !provablyDiffer(*one, *other) && meet({apart(*one, {}), nullptr}, {apart(*other, {}), nullptr}, 1);
}

namespace {

bool usesVariable(const ThreadAccess &access, const Var &var)
{
    return ir::uses(access.index, var) || (access.condition && ir::uses(access.condition, var))
           || std::ranges::any_of(access.loops, [&](const arith::VarRange &loop) {
                  return ir::uses(loop.range.min, var) || ir::uses(loop.range.extent, var);
              });
}

} // namespace

/// Whether two different threads may touch one element. Where a variable that is no loop of an access stands
/// under a quotient or a remainder of its index, each of its values is tried; `times`: how often that is done
/// already.
bool ThreadConflicts::meet(Tried a, Tried b, std::int64_t times)
{
    for (Tried *each : {&a, &b}) {
        if (each->elements)
            continue;
        auto found = elementsOf(each->access);
        const auto always = found ? std::nullopt : inAllRounds(each->access);
        if (always)
            found = elementsOf(*always);
        if (found)
            each->elements = std::make_shared<const Elements>(std::move(*found));
    }
    if (a.elements && b.elements) {
        const auto apart = distances(a.elements->first, b.elements->first);
        return !apart || std::ranges::any_of(*apart, [&](std::int64_t distance) {
            return a.elements->meets(*b.elements, distance);
        });
    }
    if (times == 1 && onlyOneThreadTouchesEach(a.access, b.access, m_axes, m_analyzer))
        return false;
    const std::optional<arith::VarRange> common = fewestValues(a, b);
    if (!common)
        return true;
    const std::int64_t min = *ir::asInt(common->range.min), count = *ir::asInt(common->range.extent);
    if (times * count > mostTimes)
        return true;
    const auto at = [&](const Tried &tried, const ir::VarMap<Expr> &known) {
        return usesVariable(tried.access, common->var) ? Tried{substitute(tried.access, known), nullptr}
                                                       : tried;
    };
    for (std::int64_t value = min; value < min + count; ++value) {
        const ir::VarMap<Expr> known{{common->var, ir::intImm(value, common->var->dtype)}};
        if (meet(at(a, known), at(b, known), times * count))
            return true;
    }
    return false;
}

/// The variable with the fewest values of those that keep the elements of an access from being known.
std::optional<arith::VarRange> ThreadConflicts::fewestValues(const Tried &a, const Tried &b)
{
    ir::VarSet vars;
    for (const Tried *each : {&a, &b}) {
        if (each->elements)
            continue;
        const Offset from = offsetOf(each->access);
        ir::VarSet used = ir::variablesOf(from.offset);
        for (const arith::VarRange &domain : from.domains)
            used.erase(domain.var);
        vars.merge(used);
    }
    std::optional<arith::VarRange> result;
    std::int64_t fewest = mostTimes;
    for (const Var &var : vars) {
        const arith::ConstIntBound bound = m_analyzer.constBound(var);
        if (!bound.isFinite() || bound.max - bound.min >= fewest)
            continue;
        fewest = bound.max - bound.min;
        result = {var, {ir::intImm(bound.min, var->dtype), ir::intImm(fewest + 1, var->dtype)}};
    }
    return result;
}

} // namespace nestwright::analysis
