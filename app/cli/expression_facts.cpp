// SPDX-License-Identifier: Apache-2.0
#include "app/cli/expression_facts.h"

#include "app/cli/text/symbolic_sizes.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/script/expression_parser.h"
#include "core/script/print/printer.h"

#include <algorithm>

namespace nestwright::cli {

using arith::ConstIntBound;
using support::diagnostic;
using support::fail;
using support::Result;

Result<void> ExpressionFacts::declare(const std::string &text)
{
    const auto colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const auto dtype =
        colon == std::string::npos ? ir::DataType::int32() : ir::DataType::parse(text.substr(colon + 1));
    if (name.empty() || !dtype)
        return fail(diagnostic("usage.variable", "expected NAME:TYPE, but found '" + text + '\'')
                        .withHint("for example --var x:int32"));
    m_variables.emplace_back(name, *dtype);
    return {};
}

bool isInteger(ir::DataType dtype) { return (dtype.isInt() || dtype.isUInt()) && !dtype.isVector(); }

/// An end of a range; null where it is infinite.
Result<ir::Expr> ExpressionFacts::parseEnd(const std::string &text, const ir::Var &variable)
{
    if (text == "inf" || text == "-inf")
        return ir::Expr();
    const auto end = script::parseTvmExpression(text, m_variables, "--bound");
    if (!end)
        return end;
    if (!isInteger(end->dtype()) || !isInteger(variable.dtype()))
        return fail(diagnostic("usage.bound", "expected an integer, inf or -inf, but found '" + text + "' of "
                                                  + end->dtype().str())
                        .withHint("for example --bound x=0..15"));
    return m_analyzer.simplify(ir::cast(variable.dtype(), *end));
}

Result<void> ExpressionFacts::bound(const std::string &text)
{
    const auto pair = parseAssignment(text, "usage.bound");
    if (!pair)
        return std::unexpected(pair.error());
    const auto variable = std::ranges::find(m_variables, pair->first, &ir::Var::name);
    if (variable == m_variables.end())
        return fail(diagnostic("usage.bound", "there is no variable '" + pair->first + '\'')
                        .withHint("declare it with --var " + pair->first + ":int32"));
    const auto dots = pair->second.find("..");
    if (dots == std::string::npos)
        return fail(diagnostic("usage.bound", "expected NAME=LOW..HIGH, but found '" + text + '\''));
    const auto low = parseEnd(pair->second.substr(0, dots), *variable);
    const auto high = parseEnd(pair->second.substr(dots + 2), *variable);
    if (!low || !high)
        return std::unexpected(low ? high.error() : low.error());
    m_sets[*variable] = {*low, *high};
    const bool isFinite = *low && *high;
    if (isFinite)
        m_ranges.push_back({*variable, {*low, m_analyzer.simplify(*high - *low + 1)}});
    const std::int64_t *least = *low ? ir::asInt(*low) : &ConstIntBound::negInf;
    const std::int64_t *most = *high ? ir::asInt(*high) : &ConstIntBound::posInf;
    if (least && most)
        m_analyzer.bind(*variable, ConstIntBound{*least, *most});
    else if (isFinite)
        m_analyzer.bind(*variable, m_ranges.back().range);
    else
        m_conditions.push_back(*low ? ir::le(*low, *variable) : ir::le(*variable, *high));
    return {};
}

Result<void> ExpressionFacts::assume(const std::string &text)
{
    auto condition = script::parseTvmExpression(text, m_variables, "--assume");
    if (!condition)
        return std::unexpected(condition.error());
    m_conditions.push_back(std::move(*condition));
    return {};
}

Result<ir::Expr> ExpressionFacts::parse(const std::string &text, const std::string &name) const
{
    auto expr = script::parseTvmExpression(text, m_variables, name);
    if (!expr)
        return expr;
    std::optional<ir::Expr> undefined;
    ir::forEachExpr(*expr, [&](const ir::Expr &part) {
        const auto *node = part.as<ir::Binary>();
        if (!node || !ir::isDivision(node->op))
            return true;
        const auto *lanes = node->b.as<ir::Broadcast>();
        if (ir::isConstInt(lanes ? lanes->value : node->b, 0))
            undefined = part;
        return true;
    });
    if (undefined)
        return fail(diagnostic("simplify.division-by-zero",
                               name + " divides by 0: '" + script::printExpr(*undefined) + '\'')
                        .withHint("divide by something that is not 0"));
    return expr;
}

ir::Expr ExpressionFacts::condition() const { return ir::conjunctionOf(m_conditions); }

std::pair<ir::Expr, ir::Expr> ExpressionFacts::conditionsInAndOutsideOfRanges() const
{
    ir::VarSet ranged;
    for (const arith::VarRange &range : m_ranges)
        ranged.insert(range.var);
    std::pair parts{ir::boolImm(true), ir::boolImm(true)};
    for (const ir::Expr &condition : m_conditions) {
        ir::Expr &part = ir::usesAny(condition, ranged) ? parts.first : parts.second;
        part = ir::logicalAnd(part, condition);
    }
    return parts;
}

} // namespace nestwright::cli
