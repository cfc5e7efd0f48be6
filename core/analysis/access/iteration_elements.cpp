// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/iteration_elements.h"

#include "core/analysis/access/in_place.h"
#include "core/analysis/access/integer_code.h"
#include "core/analysis/device/thread_conflicts.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/substitute.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/node/equality.h"
#include "core/ir/strides.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;
using ir::Var;

namespace {

constexpr std::int64_t mostTried = std::int64_t{1} << 16; ///< iterations, or elements of an access

/// The parts of a sum, with their signs.
void addTerms(const Expr &e, bool isMinus, std::vector<std::pair<Expr, bool>> &terms)
{
    const auto *sum = e.as<ir::Binary>();
    if (sum && (sum->op == ir::BinaryOp::Add || sum->op == ir::BinaryOp::Sub)) {
        addTerms(sum->a, isMinus, terms);
        addTerms(sum->b, isMinus != (sum->op == ir::BinaryOp::Sub), terms);
        return;
    }
    terms.emplace_back(e, isMinus);
}

/// An index as the part that the parallel variable moves, and the window in which all else moves it.
struct Strip {
    Expr moved;
    ir::Range window;
};

} // namespace

class Iterations::Proof {
public:
    Proof(const ir::For &loop, arith::Domains around) : m_loop(loop), m_around(std::move(around))
    {
        for (const arith::VarRange &outer : m_around)
            m_analyzer.bind(outer.var, outer.range);
        m_analyzer.bind(loop.var, ir::Range{loop.min, loop.extent});
        for (const arith::VarRange &outer : m_around)
            assumeRuns(outer.range.extent);
        assumeRuns(loop.extent);
    }
    ~Proof()
    {
        while (!m_running.empty()) // in the reverse order of their beginning
            m_running.pop_back();
    }
    Proof(const Proof &) = delete;
    Proof &operator=(const Proof &) = delete;

    /// Whether different iterations surely touch different elements by the two accesses.
    bool keepApart(const IterationAccess &a, const IterationAccess &b)
    {
        if (ir::isConstInt(m_analyzer.simplify(m_loop.extent), 1))
            return true;
        const IterationAccess *one = &a, *other = &b;
        IterationAccess flatOne, flatOther;
        if (!(a.base == b.base)) {
            const std::int64_t unit = unitOf(a, b);
            if (!flatten(a, unit, flatOne) || !flatten(b, unit, flatOther))
                return false;
            one = &flatOne;
            other = &flatOther;
        }
        if (areApart(*one, *other))
            return true;
        const auto whole = withWholes(*one, *other);
        return (whole && areApart(whole->first, one == other ? whole->first : whole->second))
               || comparedApart(a, b);
    }

private:
    bool areApart(const IterationAccess &a, const IterationAccess &b)
    {
        return elementsTell(a, b) || (differ(a, b) && (&a == &b || differ(b, a)));
    }

    /// Whether the indices at `quotient` and `remainder` are those of one number divided by another, which is
    /// given.
    static const ir::Binary *dividedAt(const IterationAccess &access, std::size_t quotient,
                                       std::size_t remainder)
    {
        const auto part = [&](std::size_t d, ir::BinaryOp op) -> const ir::Binary * {
            const auto *node = access.indices[d] ? access.indices[d].as<ir::Binary>() : nullptr;
            const std::int64_t *by = node && node->op == op ? ir::asInt(node->b) : nullptr;
            return by && *by > 0 ? node : nullptr;
        };
        const ir::Binary *whole = part(quotient, ir::BinaryOp::FloorDiv),
                         *rest = part(remainder, ir::BinaryOp::FloorMod);
        return whole && rest && ir::structurallyEqual(whole->a, rest->a)
                       && ir::structurallyEqual(whole->b, rest->b)
                   ? whole
                   : nullptr;
    }

    /// The accesses with x in place of each pair of indices x // 16 and x % 16, which tell elements apart as
    /// x does; nothing where they have no such pair in common.
    static std::optional<std::pair<IterationAccess, IterationAccess>> withWholes(const IterationAccess &a,
                                                                                 const IterationAccess &b)
    {
        std::pair<IterationAccess, IterationAccess> whole{a, b};
        const auto join = [&whole] {
            auto &[one, other] = whole;
            const std::size_t rank = std::min(one.indices.size(), other.indices.size());
            for (std::size_t d = 0; d < rank * rank; ++d) {
                const std::size_t quotient = d / rank, remainder = d % rank;
                const ir::Binary *first = dividedAt(one, quotient, remainder),
                                 *second = dividedAt(other, quotient, remainder);
                if (!first || !second || !ir::structurallyEqual(first->b, second->b))
                    continue;
                for (IterationAccess *each : {&one, &other}) {
                    const Expr number = (each == &one ? first : second)->a;
                    each->indices[quotient] = number;
                    each->indices.erase(each->indices.begin() + static_cast<std::ptrdiff_t>(remainder));
                }
                return true;
            }
            return false;
        };
        bool found = false;
        while (join())
            found = true;
        return found ? std::optional(std::move(whole)) : std::nullopt;
    }

    static std::int64_t bytesOf(const ir::Buffer &buffer)
    {
        return static_cast<std::int64_t>(buffer.dtype().bytes()) * buffer.dtype().lanes;
    }

    /// Unit in bytes for positions in both memories.
    static std::int64_t unitOf(const IterationAccess &a, const IterationAccess &b)
    {
        return std::gcd(bytesOf(a.base), bytesOf(b.base));
    }

    /// The same access by positions in the memory, counted row by row, of `unit` bytes each.
    static bool flatten(const IterationAccess &access, std::int64_t unit, IterationAccess &flat)
    {
        const ir::Buffer &buffer = access.base;
        if (!buffer.hasDefaultOffset() || ir::isStrided(buffer)
            || !std::ranges::all_of(access.indices, &Expr::operator bool))
            return false;
        flat = access;
        Expr place = ir::intImm(0, ir::DataType::int64());
        for (std::size_t d = 0; d < access.indices.size(); ++d)
            place = place * buffer.shape()[d] + access.indices[d];
        if (const std::int64_t parts = bytesOf(buffer) / unit; parts > 1) {
            const Var part("part", place.dtype());
            flat.loops.push_back({part, {ir::intImm(0, place.dtype()), ir::intImm(parts, place.dtype())}});
            place = place * ir::intImm(parts, place.dtype()) + part;
        }
        flat.indices = {place};
        return true;
    }

    /// Assumes that the loop runs at least once: without an iteration there is no access.
    void assumeRuns(const Expr &extent)
    {
        if (!ir::asInt(extent))
            m_running.push_back(m_analyzer.assume(ir::ge(extent, ir::intImm(1, extent.dtype()))));
    }

    void bind(const arith::Domains &loops)
    {
        for (const arith::VarRange &inner : loops)
            m_analyzer.bind(inner.var, inner.range);
    }

    std::optional<Strip> stripOf(const Expr &index, const arith::Domains &loops)
    {
        if (!index)
            return std::nullopt;
        bind(loops);
        ir::VarSet inner;
        for (const arith::VarRange &each : loops)
            inner.insert(each.var);
        const Expr zero = ir::intImm(0, index.dtype());
        Expr moved = zero, rest = zero;
        std::vector<std::pair<Expr, bool>> terms;
        addTerms(m_analyzer.simplify(index), false, terms);
        for (const auto &[term, isMinus] : terms) {
            const bool isMoved = ir::uses(term, m_loop.var);
            if (isMoved && ir::usesAny(term, inner))
                return std::nullopt;
            Expr &sum = isMoved ? moved : rest;
            sum = isMinus ? sum - term : sum + term;
        }
        auto window = arith::regionOver({{rest, ir::intImm(1, rest.dtype())}}, loops, m_analyzer);
        if (window && (ir::uses((*window)[0].min, m_loop.var) || ir::uses((*window)[0].extent, m_loop.var))) {
            arith::Domains all{{m_loop.var, {m_loop.min, m_loop.extent}}};
            all.insert(all.end(), loops.begin(), loops.end());
            window = arith::regionOver({{rest, ir::intImm(1, rest.dtype())}}, all, m_analyzer);
        }
        if (!window)
            return std::nullopt;
        return Strip{.moved = m_analyzer.simplify(moved), .window = window->front()};
    }

    /// Factor of the variable in a sum of products; null where the expression is more than that.
    Expr slopeOf(const Expr &e)
    {
        if (!ir::uses(e, m_loop.var))
            return ir::intImm(0, e.dtype());
        if (ir::Var::from(e))
            return ir::intImm(1, e.dtype());
        if (const auto *wider = e.as<ir::Cast>()) {
            const Expr inner = wider->value.dtype().bits <= e.dtype().bits ? slopeOf(wider->value) : Expr();
            return inner ? ir::cast(e.dtype(), inner) : Expr();
        }
        const auto *binary = e.as<ir::Binary>();
        if (!binary)
            return {};
        const bool isInFirst = ir::uses(binary->a, m_loop.var), isInSecond = ir::uses(binary->b, m_loop.var);
        if (binary->op == ir::BinaryOp::Mul && isInFirst != isInSecond) {
            const Expr slope = slopeOf(isInFirst ? binary->a : binary->b);
            return slope ? m_analyzer.simplify(slope * (isInFirst ? binary->b : binary->a)) : Expr();
        }
        if (binary->op != ir::BinaryOp::Add && binary->op != ir::BinaryOp::Sub)
            return {};
        const Expr first = slopeOf(binary->a), second = slopeOf(binary->b);
        if (!first || !second)
            return {};
        return m_analyzer.simplify(binary->op == ir::BinaryOp::Add ? first + second : first - second);
    }

    /// How far values of `moved` for different iterations lie from each other at least, where they differ;
    /// nothing where they never do.
    std::optional<Expr> stepOf(const Expr &moved, bool &isLinear)
    {
        Expr step = slopeOf(moved);
        isLinear = static_cast<bool>(step);
        if (isLinear) {
            if (const std::int64_t *value = ir::asInt(step)) {
                isLinear = *value != 0;
                return isLinear ? std::optional(ir::intImm(std::abs(*value), step.dtype())) : std::nullopt;
            }
            const Expr zero = ir::intImm(0, step.dtype());
            if (m_analyzer.canProve(ir::gt(step, zero)))
                return step;
            if (m_analyzer.canProve(ir::lt(step, zero)))
                return zero - step;
            return std::nullopt;
        }
        const Expr first = ir::substitute(moved, {{m_loop.var, m_loop.min}});
        const std::int64_t apart = m_analyzer.modularSet(m_analyzer.simplify(moved - first)).coeff;
        return apart == 0 ? std::nullopt : std::optional(ir::intImm(apart, moved.dtype()));
    }

    bool elementsTell(const IterationAccess &a, const IterationAccess &b)
    {
        std::vector<Expr> told;
        for (std::size_t d = 0; d < a.indices.size(); ++d) {
            const auto one = stripOf(a.indices[d], a.loops);
            const auto other = one ? stripOf(b.indices[d], b.loops) : std::nullopt;
            if (!other || !ir::uses(one->moved, m_loop.var))
                continue;
            const Expr between = m_analyzer.simplify(one->moved - other->moved);
            bool isLinear = false;
            const auto step = ir::uses(between, m_loop.var) ? std::nullopt : stepOf(one->moved, isLinear);
            if (!step)
                continue;
            const auto isWithin = [&](const Strip &low, const Strip &high, const Expr &shift) {
                const Expr last = high.window.min + high.window.extent - 1;
                return m_analyzer.canProve(ir::lt(last - low.window.min + shift, *step));
            };
            if (!isWithin(*one, *other, Expr(0) - between) || !isWithin(*other, *one, between))
                continue;
            if (isLinear)
                return true;
            told.push_back(one->moved);
        }
        return !told.empty() && tells(told);
    }

    /// Whether the values of these expressions tell the iteration, the loops around standing still.
    bool tells(std::vector<Expr> told)
    {
        if (const auto unique = triedOnce(told))
            return *unique;
        arith::Domains domains;
        for (const arith::VarRange &outer : m_around) {
            if (std::ranges::any_of(told, [&](const Expr &e) { return ir::uses(e, outer.var); })) {
                domains.push_back(outer);
                told.emplace_back(outer.var);
            }
        }
        // Digits of more iterations than there are tell those that there are, too.
        const Expr whole = ir::intImm(divisorOf(told), m_loop.extent.dtype());
        const Expr rounds = ir::floorDiv(m_loop.extent + whole - ir::intImm(1, whole.dtype()), whole);
        domains.push_back({m_loop.var, {m_loop.min, m_analyzer.simplify(rounds * whole)}});
        return meetsEachElementOnce(told, domains, {});
    }

    /// A multiple of the constants that the expressions divide by.
    static std::int64_t divisorOf(const std::vector<Expr> &told)
    {
        std::int64_t result = 1;
        for (const Expr &each : told) {
            ir::forEachExpr(each, [&](const Expr &e) {
                const auto *quotient = e.as<ir::Binary>();
                const std::int64_t *by =
                    quotient && ir::isDivision(quotient->op) ? ir::asInt(quotient->b) : nullptr;
                if (by && *by > 0 && *by <= mostTried && result <= mostTried)
                    result = std::lcm(result, *by);
                return true;
            });
        }
        return result;
    }

    std::optional<bool> triedOnce(const std::vector<Expr> &told)
    {
        const std::int64_t *min = ir::asInt(m_loop.min), *extent = ir::asInt(m_loop.extent);
        if (!min || !extent || *extent > mostTried)
            return std::nullopt;
        const std::array vars{m_loop.var};
        std::vector<IntegerCode> codes;
        for (const Expr &e : told) {
            auto code = IntegerCode::of(e, vars);
            if (!code)
                return std::nullopt;
            codes.push_back(std::move(*code));
        }
        std::set<std::vector<std::int64_t>> seen;
        for (std::int64_t i = 0; i < *extent; ++i) {
            const std::array values{*min + i};
            std::vector<std::int64_t> point;
            for (IntegerCode &code : codes) {
                const auto value = code.eval(values);
                if (!value)
                    return std::nullopt;
                point.push_back(*value);
            }
            if (!seen.insert(std::move(point)).second)
                return false;
        }
        return true;
    }

    /// Whether the accesses differ where that of `b` is some iterations after that of `a`, under the
    /// conditions of both.
    bool differ(const IterationAccess &a, const IterationAccess &b)
    {
        if (m_loop.var.dtype().isVector())
            return false;
        bind(a.loops);
        const Var later(m_loop.var.name() + "_later", m_loop.var.dtype());
        const Expr one = ir::intImm(1, later.dtype());
        m_analyzer.bind(later, ir::Range{one, m_loop.extent});
        ir::VarMap<Expr> values{{m_loop.var, Expr(m_loop.var) + later}};
        for (const arith::VarRange &inner : b.loops) {
            const Var fresh(inner.var.name(), inner.var.dtype());
            m_analyzer.bind(fresh, ir::substitute(inner.range, values));
            values[inner.var] = fresh;
        }
        std::vector<arith::Assumption> assumed;
        const Expr end = m_loop.min + m_loop.extent;
        assumed.push_back(m_analyzer.assume(ir::lt(Expr(m_loop.var) + later, end)));
        for (const Expr &condition : a.conditions)
            assumed.push_back(m_analyzer.assume(condition));
        bool isApart = false;
        for (const Expr &condition : b.conditions) {
            const Expr there = ir::substitute(condition, values);
            isApart = isApart || m_analyzer.canProve(ir::negation(there));
            assumed.push_back(m_analyzer.assume(there));
        }
        for (std::size_t d = 0; d < a.indices.size() && !isApart; ++d) {
            if (!a.indices[d] || !b.indices[d])
                continue;
            const Expr there = ir::substitute(b.indices[d], values);
            isApart = m_analyzer.canProve(ir::ne(a.indices[d], there));
        }
        while (!assumed.empty())
            assumed.pop_back();
        return isApart;
    }

    /// Whether small loops, all of whose elements are compared, keep apart; the accesses are as given, since
    /// their places are counted here.
    bool comparedApart(const IterationAccess &a, const IterationAccess &b)
    {
        const std::int64_t unit = unitOf(a, b);
        const auto access = [&](const IterationAccess &of) -> std::optional<ThreadAccess> {
            IterationAccess flat;
            std::int64_t count = 1;
            arith::Domains all = of.loops;
            all.push_back({m_loop.var, {m_loop.min, m_loop.extent}});
            for (const arith::VarRange &each : all) {
                const std::int64_t *extent = ir::asInt(each.range.extent);
                if (!ir::asInt(each.range.min) || !extent || *extent > mostTried)
                    return std::nullopt;
                count *= std::max<std::int64_t>(*extent, 1);
                if (count > mostTried)
                    return std::nullopt;
            }
            if (!flatten(of, unit, flat))
                return std::nullopt;
            return ThreadAccess{.memory = of.base->data,
                                .isWrite = of.isWrite,
                                .index = flat.indices.front(),
                                .loops = flat.loops,
                                .condition =
                                    of.conditions.empty() ? Expr() : ir::conjunctionOf(of.conditions),
                                .place = of.place};
        };
        const auto one = access(a), other = access(b);
        if (!one || !other)
            return false;
        ThreadConflicts conflicts({{m_loop.var, {m_loop.min, m_loop.extent}}}, m_analyzer);
        return !conflicts.conflict(*one, *other);
    }

    const ir::For &m_loop;
    arith::Domains m_around;
    arith::Analyzer m_analyzer;
    std::vector<arith::Assumption> m_running; ///< that these loops run
};

Iterations::Iterations(const ir::For &loop, arith::Domains around)
    : m_proof(std::make_unique<Proof>(loop, std::move(around)))
{
}

Iterations::~Iterations() = default;

bool Iterations::keepApart(const IterationAccess &a, const IterationAccess &b)
{
    return m_proof->keepApart(a, b);
}

} // namespace nestwright::analysis
