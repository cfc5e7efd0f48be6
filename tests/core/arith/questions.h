// SPDX-License-Identifier: Apache-2.0
/// Questions to an analyzer written as text, and its answers as text, for tables.
#pragma once

#include "core/arith/analyzer.h"
#include "core/arith/int_set.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/arith/iter_map/subspace.h"
#include "core/ir/build/builder.h"
#include "core/ir/conditions.h"
#include "core/script/expression_parser.h"
#include "core/script/print/printer.h"
#include "core/support/errors/errors.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::arith::testing {

using ir::Expr;
using ir::Var;

/// `VERB EXPRESSION [if CONDITION]`. The variables: x, y, z are any integers, p is at least 1, q lies in [-9,
/// -2], and i, j, k, l in [0, 8), [0, 4), [0, 16), [0, 1000); w is any integer of 64 bits, u one of uint8, s
/// one of int16, b a truth value, f a float32.
///
///   simplify, rules, normal, simplest   the expression that the Analyzer's function of that name gives
///   bound                               "low .. high"
///   modular                             "base + multiples of coefficient"
///   set                                 the interval over all i and j
///   loops                               bindings, separated by semicolons, over the loops i, j, k: the
///   levels that they reach
///                                       (B, S, N) and how iterMapSimplify writes them
///   divide                              the same bindings by the inner loop k: "outer | inner" of each, then
///   the predicates
class Questions {
public:
    Questions()
    {
        for (const auto &[var, range] : loops())
            m_analyzer.bind(var, range);
        m_analyzer.bind(l, ir::Range{0, 1000});
        m_analyzer.bind(p, ConstIntBound{1, ConstIntBound::posInf});
        m_analyzer.bind(q, ConstIntBound{-9, -2});
    }

    std::string answer(std::string_view question)
    {
        const auto space = question.find(' ');
        const std::string_view verb = question.substr(0, space);
        std::string_view rest = question.substr(space + 1);
        Expr condition;
        if (const auto at = rest.find(" if "); at != std::string_view::npos) {
            condition = parsed(rest.substr(at + 4));
            rest = rest.substr(0, at);
        }
        if (verb == "loops" || verb == "divide") {
            std::vector<Expr> bindings;
            while (!rest.empty()) {
                const auto end = std::min(rest.find(';'), rest.size());
                bindings.push_back(parsed(rest.substr(0, end)));
                rest.remove_prefix(std::min(end + 2, rest.size()));
            }
            return verb == "loops" ? ofLoops(bindings, condition) : divided(bindings, condition);
        }
        const Expr e = parsed(rest);
        if (!condition)
            return of(verb, e);
        const Assumption assumption = m_analyzer.assume(condition);
        return of(verb, e);
    }

private:
    Domains loops() const { return {{i, ir::Range{0, 8}}, {j, ir::Range{0, 4}}, {k, ir::Range{0, 16}}}; }

    Expr parsed(std::string_view text) const
    {
        const std::vector<Var> variables{x, y, z, p, q, i, j, k, l, w, u, s, b, f};
        const auto e = script::parseTvmExpression(text, variables, "question");
        if (!e)
            throw support::UserError(e.error());
        return *e;
    }

    std::string of(std::string_view verb, const Expr &e)
    {
        if (verb == "simplify")
            return script::printExpr(m_analyzer.simplify(e));
        if (verb == "rules")
            return script::printExpr(m_analyzer.simplifyByRules(e));
        if (verb == "normal")
            return script::printExpr(m_analyzer.normalForm(e));
        if (verb == "simplest")
            return script::printExpr(m_analyzer.simplest(e));
        if (verb == "bound") {
            const ConstIntBound bound = m_analyzer.constBound(e);
            return (bound.hasLower() ? std::to_string(bound.min) : "-inf") + " .. "
                   + (bound.hasUpper() ? std::to_string(bound.max) : "inf");
        }
        if (verb == "modular") {
            const ModularSet set = m_analyzer.modularSet(e);
            return std::to_string(set.base) + " + multiples of " + std::to_string(set.coeff);
        }
        if (verb == "set") {
            const ir::VarMap<IntervalSet> relaxed{{i, IntervalSet::of({0, 8})}, {j, IntervalSet::of({0, 4})}};
            const IntervalSet set = evalSet(e, relaxed, m_analyzer);
            return (set.min ? script::printExpr(set.min) : "-inf") + " .. "
                   + (set.max ? script::printExpr(set.max) : "inf");
        }
        std::fprintf(stderr, "no such verb: %s\n", std::string(verb).c_str());
        std::abort();
    }

    std::string ofLoops(const std::vector<Expr> &bindings, const Expr &condition) const
    {
        std::string text;
        for (const auto &[letter, level] : {std::pair{'B', IterMapLevel::Bijective},
                                            {'S', IterMapLevel::Surjective},
                                            {'N', IterMapLevel::NoCheck}}) {
            Analyzer analyzer;
            if (detectIterMap(bindings, loops(), condition, level, analyzer))
                text += letter;
        }
        text += ':';
        Analyzer analyzer;
        for (const Expr &e : iterMapSimplify(bindings, loops(), condition, IterMapLevel::NoCheck, analyzer))
            text += (text.back() == ':' ? " " : "; ") + script::printExpr(e);
        return text;
    }

    std::string divided(const std::vector<Expr> &bindings, const Expr &condition) const
    {
        Analyzer analyzer;
        const std::vector<Var> inner{k};
        const auto result =
            subspaceDivide(bindings, loops(), inner, condition, IterMapLevel::Surjective, analyzer);
        if (!result)
            return result.error().code;
        std::string text;
        for (const DividedBinding &binding : result->bindings)
            text += script::printExpr(toExpr(binding.outer.value)) + " | "
                    + script::printExpr(toExpr(binding.inner.value)) + "; ";
        return text + script::printExpr(result->outerPredicate) + " | "
               + script::printExpr(result->innerPredicate);
    }

    // NOLINTBEGIN(readability-identifier-naming): as the questions name them
    const Var x{"x"}, y{"y"}, z{"z"}, p{"p"}, q{"q"}, i{"i"}, j{"j"}, k{"k"}, l{"l"};
    const Var w{"w", ir::DataType::int64()}, u{"u", ir::DataType::uint(8)}, s{"s", ir::DataType::int_(16)};
    const Var b{"b", ir::DataType::boolean()}, f{"f", ir::DataType::float32()};
    // NOLINTEND(readability-identifier-naming)
    Analyzer m_analyzer;
};

} // namespace nestwright::arith::testing
