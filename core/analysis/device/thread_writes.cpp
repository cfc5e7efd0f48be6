// SPDX-License-Identifier: Apache-2.0
/// Threads that write the same elements at once.
#include "core/analysis/access/combinations.h"
#include "core/analysis/access/integer_code.h"
#include "core/analysis/device/thread_elements.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;
using ir::Var;

/// The access with an element for each number of a thread that data chooses.
ThreadAccess ThreadConflicts::withChosen(ThreadAccess access)
{
    constexpr std::int64_t mostChosen = 1 << 12;
    const auto usesAxis = [&](const Expr &e) {
        return std::ranges::any_of(m_axes,
                                   [&](const arith::VarRange &axis) { return ir::uses(e, axis.var); });
    };
    for (const DataCondition &each : access.onData) {
        for (const Expr &term : ir::conjunctsOf(each.condition)) {
            const auto *equal = term.as<ir::Binary>();
            if (!equal || equal->op != ir::BinaryOp::EQ)
                continue;
            const bool isFirst = isArithmetic(equal->a) && !usesAxis(equal->b);
            const Expr &number = isFirst ? equal->a : equal->b, &chosen = isFirst ? equal->b : equal->a;
            const bool isKnown = isArithmetic(number) && !usesAxis(chosen) && usesAxis(number);
            const arith::ConstIntBound bound =
                isKnown ? m_analyzer.constBound(number) : arith::ConstIntBound{};
            if (isKnown && bound.isFinite() && bound.min >= 0 && bound.max < mostChosen)
                access.index = ir::cast(ir::DataType::int64(), access.index)
                                   * ir::intImm(mostChosen, ir::DataType::int64())
                               + ir::cast(ir::DataType::int64(), number);
        }
    }
    return access;
}

bool ThreadConflicts::isKnownToMeetItself(const ThreadAccess &access)
{
    auto one = scalar(access);
    if (!one)
        return false;
    one = withChosen(std::move(*one));
    const Offset from = offsetOf(*one);
    std::vector<Var> vars = variablesOf(from.domains);
    for (const arith::VarRange &round : from.rounds)
        vars.push_back(round.var);
    const bool isKnownWhen = std::ranges::all_of(ir::conjunctsOf(one->condition), [&](const Expr &term) {
        return IntegerCode::of(m_analyzer.simplify(term), vars).has_value();
    });
    const auto elements = isKnownWhen ? elementsOf(*one) : std::nullopt;
    return elements && std::ranges::any_of(elements->byOffset, [](const auto &entry) {
               return entry.second.size() > 1;
           });
}

namespace {

/// The largest subexpressions that are arithmetic on `vars` and use one of `axes`.
std::vector<Expr> partsOnAxes(const Expr &e, const std::vector<Var> &vars, const arith::Domains &axes)
{
    std::vector<Expr> parts;
    ir::forEachExpr(e, [&](const Expr &part) {
        const bool isNumber = part.dtype().isInt() && !part.dtype().isVector();
        if (!isNumber || !IntegerCode::of(part, vars))
            return true;
        if (std::ranges::any_of(axes, [&](const arith::VarRange &axis) { return ir::uses(part, axis.var); }))
            parts.push_back(part);
        return false;
    });
    return parts;
}

} // namespace

bool ThreadConflicts::isKnownToWriteDifferently(const ThreadAccess &write, const Expr &value)
{
    constexpr std::int64_t mostTried = std::int64_t{1} << 16;
    const auto one = write.onData.empty() ? scalar(write) : std::nullopt;
    if (!one)
        return false;
    arith::Domains domains = m_axes;
    domains.insert(domains.end(), one->loops.begin(), one->loops.end());
    const std::vector<Var> vars = variablesOf(domains);
    auto combinations = Combinations::of(domains, mostTried);
    std::vector<Expr> asked = partsOnAxes(value, vars, m_axes);
    const std::size_t places = asked.size();
    const Offset from = offsetOf(*one);
    asked.push_back(from.offset);
    const std::vector<Expr> conditions = ir::conjunctsOf(one->condition);
    asked.insert(asked.end(), conditions.begin(), conditions.end());
    std::vector<IntegerCode> codes;
    for (const Expr &e : asked) {
        auto code = IntegerCode::of(m_analyzer.simplify(e), vars);
        if (!code)
            return false;
        codes.push_back(std::move(*code));
    }
    std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> sources; // by element and turn
    for (; places > 0 && combinations && !combinations->isOver(); combinations->next()) {
        std::vector<std::int64_t> found;
        for (IntegerCode &code : codes)
            found.push_back(code.eval(combinations->values()).value_or(0));
        const auto place = found.begin() + static_cast<std::ptrdiff_t>(places);
        if (std::ranges::find(place + 1, found.end(), 0) != found.end())
            continue;
        std::vector<std::int64_t> key{*place}, source(found.begin(), place);
        key.insert(key.end(), combinations->values().begin() + std::ssize(m_axes),
                   combinations->values().end());
        std::ranges::sort(source); // a + b is b + a
        if (sources.try_emplace(std::move(key), source).first->second != source)
            return true;
    }
    return false;
}

} // namespace nestwright::analysis
