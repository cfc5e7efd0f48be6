// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/symbolic_sizes.h"
#include "core/arith/analyzer.h"
#include "core/ir/builder.h"
#include "core/ir/walk.h"
#include "core/script/expression_parser.h"
#include "core/script/printer.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>

namespace nestwright::cli {

using arith::ConstIntBound;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

struct SimplifyOptions {
    std::vector<std::string> variables, bounds, assumptions, expressions;
    bool printBounds = false, rulesOnly = false, normalFormOnly = false;
};

/// "x:int32" or "x", which is int32.
Result<ir::Var> parseVariable(const std::string &text)
{
    const auto colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const auto dtype =
        colon == std::string::npos ? ir::DataType::int32() : ir::DataType::parse(text.substr(colon + 1));
    if (name.empty() || !dtype)
        return fail(diagnostic("usage.variable", "expected NAME:TYPE, but found '" + text + '\'')
                        .withHint("for example --var x:int32"));
    return ir::Var(name, *dtype);
}

Result<std::int64_t> parseLimit(const std::string &text)
{
    if (text == "inf")
        return ConstIntBound::posInf;
    if (text == "-inf")
        return ConstIntBound::negInf;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return fail("usage.bound", "expected an integer, inf or -inf, but found '" + text + '\'');
    return value;
}

/// "x=0..15", both ends included.
Result<void> bindRange(const std::string &text, const std::vector<ir::Var> &variables,
                       arith::Analyzer &analyzer)
{
    const auto pair = parseAssignment(text, "usage.bound");
    if (!pair)
        return std::unexpected(pair.error());
    const auto dots = pair->second.find("..");
    if (dots == std::string::npos)
        return fail(diagnostic("usage.bound", "expected NAME=LOW..HIGH, but found '" + text + '\''));
    const auto low = parseLimit(pair->second.substr(0, dots));
    const auto high = parseLimit(pair->second.substr(dots + 2));
    if (!low || !high)
        return std::unexpected(low ? high.error() : low.error());
    for (const ir::Var &variable : variables) {
        if (variable.name() != pair->first)
            continue;
        analyzer.bind(variable, ConstIntBound{*low, *high});
        return {};
    }
    return fail(diagnostic("usage.bound", "there is no variable '" + pair->first + '\'')
                    .withHint("declare it with --var " + pair->first + ":int32"));
}

std::string limitText(std::int64_t limit)
{
    return limit == ConstIntBound::posInf   ? "inf"
           : limit == ConstIntBound::negInf ? "-inf"
                                            : std::to_string(limit);
}

ir::Expr simplifiedBy(const SimplifyOptions &options, arith::Analyzer &analyzer, const ir::Expr &e)
{
    if (options.rulesOnly)
        return analyzer.simplifyByRules(e);
    return options.normalFormOnly ? analyzer.normalForm(e) : analyzer.simplest(e);
}

/// The expression `name` (for messages) that `text` stands for; one that divides by 0 has no value and is refused.
Result<ir::Expr> parseExpression(const std::string &text, const std::vector<ir::Var> &variables,
                                 const std::string &name)
{
    auto expr = script::parseTvmExpression(text, variables, name);
    if (!expr)
        return expr;
    std::optional<ir::Expr> undefined;
    ir::forEachExpr(*expr, [&](const ir::Expr &part) {
        const auto *node = part.as<ir::Binary>();
        using enum ir::BinaryOp;
        if (!node || (node->op != Div && node->op != Mod && node->op != FloorDiv && node->op != FloorMod))
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

int simplify(const SimplifyOptions &options)
{
    arith::Analyzer analyzer;
    std::vector<ir::Var> variables;
    for (const std::string &text : options.variables) {
        auto variable = parseVariable(text);
        if (!variable)
            return report(variable.error());
        variables.push_back(std::move(*variable));
    }
    for (const std::string &text : options.bounds) {
        if (auto bound = bindRange(text, variables, analyzer); !bound)
            return report(bound.error());
    }
    ir::Expr assumed = ir::boolImm(true);
    for (const std::string &text : options.assumptions) {
        const auto condition = script::parseTvmExpression(text, variables, "--assume");
        if (!condition)
            return report(condition.error());
        assumed = ir::logicalAnd(assumed, *condition);
    }
    const arith::Assumption assumption = analyzer.assume(assumed);
    std::vector<std::string> lines;
    for (const std::string &text : options.expressions) {
        if (text != "-")
            lines.push_back(text);
        for (std::string line; text == "-" && std::getline(std::cin, line);)
            lines.push_back(line);
    }
    int status = Done;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto expr = parseExpression(lines[i], variables, "expression " + std::to_string(i + 1));
        if (!expr) {
            status = report(expr.error());
            std::cout << '\n'; // one line of output per expression, also for a bad one
        } else if (options.printBounds) {
            const ConstIntBound bound = analyzer.constBound(*expr);
            std::cout << limitText(bound.min) << ' ' << limitText(bound.max) << '\n';
        } else {
            std::cout << script::printExpr(simplifiedBy(options, analyzer, *expr)) << '\n';
        }
    }
    return status;
}

} // namespace

std::function<int()> declareSimplify(CLI::App &app)
{
    auto options = std::make_shared<SimplifyOptions>();
    app.add_option("--var", options->variables, "a variable, as x:int32")->allow_extra_args(false);
    app.add_option("--bound", options->bounds,
                   "its range, as x=0..15 (both ends included; inf and -inf are allowed)")
        ->allow_extra_args(false);
    app.add_option("--assume", options->assumptions, "a condition that holds")->allow_extra_args(false);
    auto *bounds = app.add_flag("--bounds", options->printBounds, "print the bounds 'low high' instead");
    auto *rules = app.add_flag("--rewrite", options->rulesOnly, "apply rewrite rules only")->excludes(bounds);
    app.add_flag("--canonical", options->normalFormOnly, "bring sums and quotients into normal form only")
        ->excludes(bounds)
        ->excludes(rules);
    app.add_option(
           "EXPR", options->expressions,
           "expressions as in TVMScript; - reads them from standard input, a line each. Printed is the form "
           "with the fewest operators and variables: that of the rules (--rewrite), unless the normal "
           "form (--canonical) has fewer")
        ->required();
    return [options] { return simplify(*options); };
}

} // namespace nestwright::cli
