// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/expression_facts.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/script/print/printer.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

namespace nestwright::cli {

using arith::ConstIntBound;
using support::Result;

namespace {

/// The form in which each expression is printed.
enum class Question { Simplest, Rules, NormalForm, Bounds, ModularSets, Values, IterMap };

struct SimplifyOptions {
    std::vector<std::string> variables, bounds, assumptions, expressions;
    bool printBounds = false, printModular = false, printValues = false;
    bool rulesOnly = false, normalFormOnly = false;
    std::string iterMapLevel; ///< empty where no map is asked for

    Question question() const
    {
        return printBounds             ? Question::Bounds
               : printModular          ? Question::ModularSets
               : printValues           ? Question::Values
               : !iterMapLevel.empty() ? Question::IterMap
               : rulesOnly             ? Question::Rules
               : normalFormOnly        ? Question::NormalForm
                                       : Question::Simplest;
    }
};

const std::map<std::string, arith::IterMapLevel> levelsByName{
    {"nocheck", arith::IterMapLevel::NoCheck},
    {"surjective", arith::IterMapLevel::Surjective},
    {"bijective", arith::IterMapLevel::Bijective},
};

std::string limitText(std::int64_t limit)
{
    return limit == ConstIntBound::posInf   ? "inf"
           : limit == ConstIntBound::negInf ? "-inf"
                                            : std::to_string(limit);
}

/// "low high" of the values that `e` takes while the variables with bounds take theirs.
std::string valuesText(ExpressionFacts &facts, const ir::Expr &e)
{
    const arith::IntervalSet set = arith::evalSet(e, facts.sets(), facts.analyzer());
    const auto end = [&](const ir::Expr &limit, const char *infinite) {
        return limit ? script::printExpr(facts.analyzer().simplest(limit)) : infinite;
    };
    return set.isNothing ? "nothing" : end(set.min, "-inf") + " .. " + end(set.max, "inf");
}

std::string answer(Question question, ExpressionFacts &facts, const ir::Expr &e)
{
    arith::Analyzer &analyzer = facts.analyzer();
    switch (question) {
    case Question::Bounds: {
        const ConstIntBound bound = analyzer.constBound(e);
        return limitText(bound.min) + ' ' + limitText(bound.max);
    }
    case Question::ModularSets: {
        const arith::ModularSet set = analyzer.modularSet(e);
        return std::to_string(set.coeff) + ' ' + std::to_string(set.base);
    }
    case Question::Values: return valuesText(facts, e);
    case Question::Rules: return script::printExpr(analyzer.simplifyByRules(e));
    case Question::NormalForm: return script::printExpr(analyzer.normalForm(e));
    default: return script::printExpr(analyzer.simplest(e));
    }
}

/// One line per index: number of values, first value, distance, and the normal form.
int printIterMap(ExpressionFacts &facts, const std::vector<ir::Expr> &indices, arith::IterMapLevel level)
{
    const auto [predicate, known] = facts.conditionsInAndOutsideOfRanges();
    arith::Analyzer &analyzer = facts.analyzer();
    const arith::Assumption assumption = analyzer.assume(known);
    const auto map = arith::detectIterMap(indices, facts.ranges(), predicate, level, analyzer);
    if (!map) {
        report(map.error());
        return No;
    }
    const auto text = [&](const ir::Expr &e) { return script::printExpr(analyzer.simplest(e)); };
    for (const arith::IterSum &index : map->indices) {
        const bool isConstant = index.args.empty();
        std::cout << "extent " << (isConstant ? "1" : text(index.args.front().extent)) << ", base "
                  << text(index.base) << ", scale " << (isConstant ? "1" : text(index.args.front().scale))
                  << ": " << script::printExpr(arith::toExpr(index)) << '\n';
    }
    return Done;
}

std::vector<std::string> linesOf(const std::vector<std::string> &expressions)
{
    std::vector<std::string> lines;
    for (const std::string &text : expressions) {
        if (text != "-")
            lines.push_back(text);
        for (std::string line; text == "-" && std::getline(std::cin, line);)
            lines.push_back(line);
    }
    return lines;
}

Result<void> learn(const SimplifyOptions &options, ExpressionFacts &facts)
{
    Result<void> done;
    for (const std::string &text : options.variables) {
        if (done = facts.declare(text); !done)
            return done;
    }
    for (const std::string &text : options.bounds) {
        if (done = facts.bound(text); !done)
            return done;
    }
    for (const std::string &text : options.assumptions) {
        if (done = facts.assume(text); !done)
            return done;
    }
    return done;
}

int simplify(const SimplifyOptions &options)
{
    ExpressionFacts facts;
    if (const auto learnt = learn(options, facts); !learnt)
        return report(learnt.error());
    const std::vector<std::string> lines = linesOf(options.expressions);
    const auto parse = [&](std::size_t i) {
        return facts.parse(lines[i], "expression " + std::to_string(i + 1));
    };
    if (options.question() == Question::IterMap) {
        std::vector<ir::Expr> indices;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const auto index = parse(i);
            if (!index)
                return report(index.error());
            if (!isInteger(index->dtype()))
                return report(support::diagnostic("simplify.index", "expression " + std::to_string(i + 1)
                                                                        + " is of " + index->dtype().str()
                                                                        + ", but an index is an integer"));
            indices.push_back(*index);
        }
        return printIterMap(facts, indices, levelsByName.at(options.iterMapLevel));
    }
    const arith::Assumption assumption = facts.analyzer().assume(facts.condition());
    int status = Done;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto expr = parse(i);
        if (!expr)
            status = report(expr.error());
        // One line of output per expression, also for a bad one.
        std::cout << (expr ? answer(options.question(), facts, *expr) : "") << '\n';
    }
    return status;
}

} // namespace

std::function<int()> declareSimplify(CLI::App &app)
{
    auto options = std::make_shared<SimplifyOptions>();
    app.add_option("--var", options->variables, "a variable, as x:int32")->allow_extra_args(false);
    app.add_option("--bound", options->bounds,
                   "its range, as x=0..15 or x=0..n - 1 (both ends included; inf and -inf are allowed)")
        ->allow_extra_args(false);
    app.add_option("--assume", options->assumptions, "a condition that holds")->allow_extra_args(false);
    CLI::Option_group *forms = app.add_option_group("Printed");
    forms->require_option(0, 1);
    forms->add_flag("--bounds", options->printBounds, "print the bounds 'low high' instead");
    forms->add_flag("--modular", options->printModular,
                    "print 'coefficient base': every value is a multiple of the coefficient plus the base");
    forms->add_flag(
        "--set", options->printValues,
        "print the values 'low .. high' that an expression takes while the variables with a bound vary; "
        "the others stay symbols");
    forms
        ->add_option(
            "--iter-map", options->iterMapLevel,
            "take the expressions as the indices of a block under loops, the variables with a finite bound "
            "(--assume is the predicate), and print the affine map that they are: nocheck, surjective "
            "(each index covers its range) or bijective (and no point twice); status 1 where they are none")
        ->check(CLI::IsMember(levelsByName));
    forms->add_flag("--rewrite", options->rulesOnly, "apply rewrite rules only");
    forms->add_flag("--canonical", options->normalFormOnly, "bring sums and quotients into normal form only");
    app.add_option(
           "EXPR", options->expressions,
           "expressions as in TVMScript; - reads them from standard input, a line each. Printed is the form "
           "with the fewest operators and variables: that of the rules (--rewrite), unless the normal "
           "form (--canonical) has fewer")
        ->required();
    return [options] { return simplify(*options); };
}

} // namespace nestwright::cli
