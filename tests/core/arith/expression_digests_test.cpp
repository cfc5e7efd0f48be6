// SPDX-License-Identifier: Apache-2.0
/// Answers of the analyzer for random expressions, a digest for each dozen of them: forms, bounds,
/// remainders, intervals and proofs. Whether they are true is checked elsewhere (random_test).
#include "core/arith/int_set.h"
#include "core/arith/iter_map/iter_map.h"
#include "core/arith/iter_map/subspace.h"
#include "tests/core/arith/random_expr.h"
#include "tests/support/digest.h"
#include "tests/support/outcomes.h"

using namespace nestwright;
using namespace nestwright::arith::testing;
using arith::Analyzer;

namespace {

constexpr int expressionCount = 12;

std::string loopsOf(RandomExpr &random, const std::vector<Var> &vars, const arith::Domains &domains)
{
    std::vector<Expr> bindings;
    for (int n = random.number(1, 3); n > 0; --n)
        bindings.push_back(random.number(0, 2) == 0 ? random.integer(2) : random.digits());
    const Expr condition = random.number(0, 1) ? random.boolean(1) : ir::boolImm(true);
    std::string text;
    for (const auto level :
         {arith::IterMapLevel::Bijective, arith::IterMapLevel::Surjective, arith::IterMapLevel::NoCheck}) {
        Analyzer analyzer;
        const auto map = arith::detectIterMap(bindings, domains, condition, level, analyzer);
        text += map ? "yes;" : map.error().render();
    }
    Analyzer analyzer;
    for (const Expr &e :
         arith::iterMapSimplify(bindings, domains, condition, arith::IterMapLevel::NoCheck, analyzer))
        text += show(e) + ';';
    const std::vector<Var> inner{vars.back()};
    const auto divided =
        arith::subspaceDivide(bindings, domains, inner, condition, arith::IterMapLevel::Surjective, analyzer);
    if (!divided)
        return text + divided.error().render();
    for (const arith::DividedBinding &binding : divided->bindings)
        text += show(toExpr(binding.outer.value)) + show(toExpr(binding.inner.value));
    return text + show(divided->outerPredicate) + show(divided->innerPredicate);
}

QString outcomeOf(const QString &seed)
{
    const std::vector<Var> vars{Var("x"), Var("y"), Var("z"), Var("w")};
    RandomExpr random(seed.toUInt(), vars);
    std::string forms, bounds, proofs, loops;
    for (int i = 0; i < expressionCount; ++i) {
        Analyzer analyzer;
        random.restart();
        arith::Domains domains;
        ir::VarMap<arith::IntervalSet> relaxed;
        for (const Var &var : vars) {
            const int low = random.number(0, 2) == 0 ? random.number(-9, 9) : 0;
            const ir::Range range{low, random.number(1, 17)};
            analyzer.bind(var, range);
            domains.emplace_back(var, range);
            if (var.name() < "y")
                relaxed.emplace(var, arith::IntervalSet::of(range));
        }
        const Expr assumption = random.number(0, 1) ? random.boolean(2) : ir::boolImm(true);
        {
            const auto scope = analyzer.assume(assumption);
            const Expr e = random.number(0, 2) == 0 ? random.digits() : random.integer(3);
            const Expr condition = random.boolean(2);
            for (const Expr &form : {analyzer.simplify(e), analyzer.normalForm(e), analyzer.simplest(e),
                                     analyzer.simplify(condition), analyzer.simplifyByRules(condition)})
                forms += show(form) + ';';
            const arith::ConstIntBound bound = analyzer.constBound(e);
            const arith::ModularSet set = analyzer.modularSet(e);
            bounds += std::format("{} {} {} {};", bound.min, bound.max, set.base, set.coeff);
            const arith::IntervalSet interval = arith::evalSet(e, relaxed, analyzer);
            bounds += show(interval.min) + ".." + show(interval.max);
            proofs += analyzer.canProve(condition) ? '1' : analyzer.canProve(!condition) ? '0' : '?';
        }
        loops += loopsOf(random, vars, domains);
    }
    return QString::fromStdString(std::format("forms {}\nbounds {}\nproofs {}\nloops {}",
                                              tests::digest(forms), tests::digest(bounds), proofs,
                                              tests::digest(loops)));
}

} // namespace

NW_OUTCOMES_TEST("tests/core/arith/expression_digests.txt", outcomeOf)
