// SPDX-License-Identifier: Apache-2.0
/// Random bindings of random loops: the detected map is checked against every point of the loops.
#include "tests/core/arith/index_algebra.h"

#include "core/arith/iter_map/iter_map.h"
#include "core/arith/iter_map/subspace.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"

#include <QTest>

#include <functional>
#include <map>
#include <random>

using namespace nestwright;
using namespace nestwright::arith::testing;
using arith::Analyzer;
using arith::Domains;
using arith::IterMapLevel;

namespace {

using Point = std::vector<std::int64_t>;
using Values = ir::VarMap<std::int64_t>;

struct Program {
    Domains domains;
    std::vector<Expr> bindings;
    Expr predicate;
};

/// Loops split and fused at random, as schedules do, with a predicate where a split is not divisible; and now
/// and then something that is not one-to-one.
class RandomProgram {
public:
    explicit RandomProgram(unsigned seed) : m_random(seed) {}

    int number(int low, int high) { return std::uniform_int_distribution(low, high)(m_random); }

    Program next()
    {
        Program program;
        program.predicate = ir::boolImm(true);
        const int loops = number(1, 3);
        for (int i = 0; i < loops; ++i) {
            const Var var("v" + std::to_string(i));
            program.domains.push_back({var, ir::Range{0, number(1, 12)}});
            program.bindings.push_back(var);
        }
        for (int step = number(0, 4); step > 0; --step) {
            if (number(0, 1))
                split(program);
            else
                fuse(program);
        }
        if (number(0, 3) == 0)
            disturb(program);
        return program;
    }

    /// Sums of loops divided again and again, each binding by itself.
    Program nextNested()
    {
        Program program;
        program.predicate = ir::boolImm(true);
        const int loops = number(1, 3);
        for (int i = 0; i < loops; ++i)
            program.domains.push_back(
                {Var("v" + std::to_string(i)), ir::Range{0, number(1, loops == 1 ? 96 : 12)}});
        for (int i = number(1, 2); i > 0; --i) {
            Expr sum = pickVar(program) * Expr(number(1, 4));
            if (number(0, 1))
                sum = sum + pickVar(program);
            for (int step = number(1, 4); step > 0; --step) {
                switch (number(0, 5)) {
                case 0: sum = sum + Expr(number(0, 9)); break;
                case 1: sum = sum * Expr(number(1, 3)); break;
                case 2: sum = sum / Expr(number(1, 16)); break;
                default: sum = sum % Expr(number(1, 48)); break;
                }
            }
            program.bindings.push_back(sum);
        }
        return program;
    }

private:
    Expr pickVar(const Program &program)
    {
        return program
            .domains[static_cast<std::size_t>(number(0, static_cast<int>(program.domains.size()) - 1))]
            .var;
    }

    static std::int64_t extentOf(const arith::VarRange &domain) { return *ir::asInt(domain.range.extent); }

    static void replace(Program &program, const ir::VarMap<Expr> &values)
    {
        for (Expr &binding : program.bindings)
            binding = ir::substitute(binding, values);
        program.predicate = ir::substitute(program.predicate, values);
    }

    void split(Program &program)
    {
        const auto at = number(0, static_cast<int>(program.domains.size()) - 1);
        const auto position = program.domains.begin() + at;
        const int factor = number(1, 5);
        const std::int64_t extent = extentOf(*position);
        const Var outer(position->var.name() + "_0"), inner(position->var.name() + "_1");
        const Expr whole = outer * Expr(factor) + inner;
        replace(program, {{position->var, whole}});
        if (extent % factor != 0)
            program.predicate = program.predicate && whole < Expr(extent);
        *position = {outer, ir::Range{0, Expr((extent + factor - 1) / factor)}};
        program.domains.insert(position + 1, {inner, ir::Range{0, factor}});
    }

    void fuse(Program &program)
    {
        if (program.domains.size() < 2)
            return;
        const auto first = program.domains.begin() + number(0, static_cast<int>(program.domains.size()) - 2);
        const std::int64_t extent = extentOf(first[1]);
        const Var fused(first[0].var.name() + first[1].var.name());
        replace(program, {{first[0].var, fused / Expr(extent)}, {first[1].var, fused % Expr(extent)}});
        first[0] = {fused, ir::Range{0, Expr(extentOf(first[0]) * extent)}};
        program.domains.erase(first + 1);
    }

    void disturb(Program &program)
    {
        const auto pick = [&]() -> Expr { return pickVar(program); };
        Expr &binding =
            program
                .bindings[static_cast<std::size_t>(number(0, static_cast<int>(program.bindings.size()) - 1))];
        switch (number(0, 5)) {
        case 0: binding = binding + pick() * Expr(number(1, 4)); break;
        case 1: binding = pick() / Expr(number(1, 4)); break;
        case 2: binding = pick() % Expr(number(1, 4)); break;
        case 3: program.predicate = program.predicate && binding < Expr(number(1, 9)); break;
        case 4: program.predicate = program.predicate && binding >= Expr(number(0, 3)); break;
        default: binding = binding + Expr(number(-3, 3)); break;
        }
    }

    std::mt19937 m_random;
};

void forEachPoint(const Domains &domains, Values &values, std::size_t depth,
                  const std::function<void()> &visit)
{
    if (depth == domains.size())
        return visit();
    const std::int64_t extent = *ir::asInt(domains[depth].range.extent);
    for (std::int64_t i = 0; i < extent; ++i) {
        values[domains[depth].var] = i;
        forEachPoint(domains, values, depth + 1, visit);
    }
}

std::string describe(const Program &program)
{
    std::string text = "loops";
    for (const auto &[var, range] : program.domains)
        text += " " + var.name() + "<" + show(range.extent);
    text += " bindings";
    for (const Expr &binding : program.bindings)
        text += " " + show(binding) + ",";
    return text + " where " + show(program.predicate);
}

} // namespace

class IterMapRandomTest : public QObject {
    Q_OBJECT

private:
    int m_bijective = 0, m_surjective = 0;

    /// Empty when all that is claimed of `program` holds.
    std::string check(const Program &program, IterMapLevel level)
    {
        Analyzer analyzer;
        const auto map =
            arith::detectIterMap(program.bindings, program.domains, program.predicate, level, analyzer);
        if (!map)
            return {};
        std::string problem;
        std::map<Point, int> image;
        Values values;
        forEachPoint(program.domains, values, 0, [&] {
            if (!valueOf(program.predicate, values))
                return;
            Point point;
            for (std::size_t i = 0; i < program.bindings.size(); ++i) {
                point.push_back(valueOf(program.bindings[i], values));
                if (valueOf(toExpr(map->indices[i]), values) != point.back())
                    problem = "index " + std::to_string(i) + " became " + show(toExpr(map->indices[i]));
            }
            ++image[point];
        });
        if (!problem.empty() || level == IterMapLevel::NoCheck || image.empty())
            return problem;
        std::int64_t box = 1;
        for (const arith::IterSum &sum : map->indices)
            box *= sum.args.empty() ? 1 : valueOf(sum.args.front().extent, {});
        if (static_cast<std::int64_t>(image.size()) != box)
            return "claims " + std::to_string(box) + " points, there are " + std::to_string(image.size());
        for (const auto &[point, count] : image) {
            for (std::size_t i = 0; i < point.size(); ++i) {
                const arith::IterSum &sum = map->indices[i];
                const std::int64_t base = valueOf(sum.base, {});
                const std::int64_t scale = sum.args.empty() ? 1 : valueOf(sum.args.front().scale, {});
                const std::int64_t extent = sum.args.empty() ? 1 : valueOf(sum.args.front().extent, {});
                if ((point[i] - base) % scale != 0 || point[i] < base
                    || point[i] > base + scale * (extent - 1))
                    return "a value is outside of what index " + std::to_string(i) + " claims";
            }
            if (level == IterMapLevel::Bijective && count != 1)
                return "claims to be bijective, but meets a point twice";
        }
        (level == IterMapLevel::Bijective ? m_bijective : m_surjective) += 1;
        return {};
    }

    int m_divided = 0;

    /// Empty when the division of `program`, the last `count` loops inside, computes its bindings and
    /// predicate.
    std::string checkDivision(const Program &program, std::size_t count, IterMapLevel level)
    {
        Analyzer analyzer;
        std::vector<Var> inner;
        for (std::size_t i = program.domains.size() - count; i < program.domains.size(); ++i)
            inner.push_back(program.domains[i].var);
        const auto divided = arith::subspaceDivide(program.bindings, program.domains, inner,
                                                   program.predicate, level, analyzer);
        if (!divided)
            return {};
        std::string problem;
        const auto usesInner = [&](const Expr &e) {
            return std::ranges::any_of(inner, [&](const Var &var) { return ir::uses(e, var); });
        };
        const auto usesOuter = [&](const Expr &e) {
            return std::ranges::any_of(program.domains, [&](const arith::VarRange &domain) {
                return std::ranges::find(inner, domain.var) == inner.end() && ir::uses(e, domain.var);
            });
        };
        if (usesInner(divided->outerPredicate) || usesOuter(divided->innerPredicate))
            problem = "a predicate is on the wrong side";
        Values values;
        forEachPoint(program.domains, values, 0, [&] {
            const bool runs = valueOf(program.predicate, values) != 0;
            if (runs
                != (valueOf(divided->outerPredicate, values) && valueOf(divided->innerPredicate, values)))
                problem = "the predicates are " + show(divided->outerPredicate) + " | "
                          + show(divided->innerPredicate);
            for (std::size_t i = 0; runs && i < program.bindings.size(); ++i) {
                const auto &[outer, part] = divided->bindings[i];
                const Expr high = toExpr(outer.value), low = toExpr(part.value);
                const std::int64_t extent = valueOf(part.extent, values);
                if (usesInner(high) || usesOuter(low)
                    || valueOf(high, values) * extent + valueOf(low, values)
                           != valueOf(program.bindings[i], values))
                    problem = "binding " + std::to_string(i) + " became " + show(high) + " * "
                              + std::to_string(extent) + " + " + show(low);
            }
        });
        m_divided += problem.empty() ? 1 : 0;
        return problem;
    }

private Q_SLOTS:
    void divisionsHold()
    {
        RandomProgram random(22);
        for (int i = 0; i < 3000; ++i) {
            const Program program = random.next();
            const auto inner =
                static_cast<std::size_t>(random.number(0, static_cast<int>(program.domains.size())));
            for (const IterMapLevel level :
                 {IterMapLevel::Bijective, IterMapLevel::Surjective, IterMapLevel::NoCheck}) {
                const std::string problem = checkDivision(program, inner, level);
                QVERIFY2(problem.empty(),
                         (problem + ": " + std::to_string(inner) + " inner of " + describe(program)).c_str());
            }
        }
        QVERIFY(m_divided > 1000);
    }

    void simplifiedBindingsAreTheSame()
    {
        RandomProgram random(23);
        int changed = 0;
        for (int i = 0; i < 2000; ++i) {
            const Program program = random.next();
            Analyzer analyzer;
            const auto simple = arith::iterMapSimplify(program.bindings, program.domains, program.predicate,
                                                       IterMapLevel::Surjective, analyzer);
            std::string problem;
            Values values;
            forEachPoint(program.domains, values, 0, [&] {
                for (std::size_t b = 0; valueOf(program.predicate, values) && b < simple.size(); ++b) {
                    if (valueOf(simple[b], values) != valueOf(program.bindings[b], values))
                        problem = show(simple[b]);
                }
            });
            QVERIFY2(problem.empty(), (problem + ": " + describe(program)).c_str());
            changed += simple.front().same(program.bindings.front()) ? 0 : 1;
        }
        QVERIFY(changed > 200);
    }

    void claimsHold()
    {
        RandomProgram random(21);
        for (int i = 0; i < 1500; ++i) {
            const Program program = random.next();
            for (const IterMapLevel level :
                 {IterMapLevel::Bijective, IterMapLevel::Surjective, IterMapLevel::NoCheck}) {
                const std::string problem = check(program, level);
                QVERIFY2(problem.empty(), (problem + ": " + describe(program)).c_str());
            }
        }
        QVERIFY(m_bijective > 500);
        QVERIFY(m_surjective > m_bijective);
    }

    /// NESTWRIGHT_FUZZ_COUNT says how many.
    void claimsOfNestedDivisionsHold()
    {
        const int count = qEnvironmentVariable("NESTWRIGHT_FUZZ_COUNT", "3000").toInt();
        RandomProgram random(24);
        m_surjective = 0;
        for (int i = 0; i < count; ++i) {
            const Program program = random.nextNested();
            for (const IterMapLevel level :
                 {IterMapLevel::Bijective, IterMapLevel::Surjective, IterMapLevel::NoCheck}) {
                const std::string problem = check(program, level);
                QVERIFY2(problem.empty(), (problem + ": " + describe(program)).c_str());
            }
        }
        QVERIFY(m_surjective > count / 20);
    }
};

QTEST_GUILESS_MAIN(IterMapRandomTest)
#include "random_test.moc"
