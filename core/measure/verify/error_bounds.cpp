// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/error_bounds.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/equality.h"
#include "core/measure/verify/bounded_expressions.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <cmath>

namespace nestwright::measure {

using ir::DataType;
using ir::Expr;
using ir::Stmt;

namespace {

/// How far a sum of n terms is taken to be off at most: this many times √n roundings. Errors beyond have a
/// probability below 2·exp(−16/2) each even if every rounding were as large as it can be, which none are.
constexpr double deviations = 4;
/// Factor by which partial sums in another order may exceed those of the program's own, in their root mean
/// square.
constexpr double otherOrders = 2;

bool isFloat(const Expr &e) { return e.dtype().isFloating(); }

bool isNumber(const Expr &e, double number)
{
    const auto *imm = e.as<ir::FloatImm>();
    return imm && imm->value == number;
}

class BoundsMaker {
public:
    BoundsMaker(const ir::PrimFunc &function, BoundsOfSums sums)
        : m_function(function)
        , m_memory(function)
        , m_sums(sums)
    {
    }

    ir::PrimFunc make(std::vector<std::size_t> &bounded)
    {
        ir::PrimFunc result = m_function;
        std::vector<ir::Param> errors;
        std::size_t place = 0;
        for (ir::Param &param : result.params) {
            if (!param.buffer) {
                if (isFloat(param.var))
                    param.var = m_expressions.variable(param.var);
                continue;
            }
            const ir::Buffer own = param.buffer;
            param.buffer = m_expressions.value(own);
            if (m_memory.hasErrors(own)) {
                bounded.push_back(place);
                errors.push_back(
                    {ir::Var(param.var.name() + "_error", DataType::handle()), m_expressions.error(own)});
            }
            ++place;
        }
        result.params.insert(result.params.end(), errors.begin(), errors.end());
        result.body = stmt(m_function.body);
        return result;
    }

private:
    Stmt stmt(const Stmt &s)
    {
        switch (s.kind()) {
        case ir::StmtKind::Block: return block(*s.as<ir::Block>());
        case ir::StmtKind::For: {
            ir::For loop = *s.as<ir::For>();
            m_loops.push_back(&loop);
            loop.body = stmt(loop.body);
            m_loops.pop_back();
            return ir::make(std::move(loop));
        }
        case ir::StmtKind::Seq: {
            std::vector<Stmt> stmts;
            for (const Stmt &each : s.as<ir::Seq>()->stmts)
                stmts.push_back(stmt(each));
            return ir::seq(std::move(stmts));
        }
        case ir::StmtKind::BufferStore: return store(*s.as<ir::BufferStore>());
        case ir::StmtKind::IfThenElse: {
            ir::IfThenElse branch = *s.as<ir::IfThenElse>();
            branch.condition = exact(branch.condition);
            branch.thenCase = stmt(branch.thenCase);
            if (branch.elseCase)
                branch.elseCase = stmt(branch.elseCase);
            return ir::make(std::move(branch));
        }
        case ir::StmtKind::LetStmt: return letStmt(*s.as<ir::LetStmt>());
        case ir::StmtKind::Allocate: return allocate(*s.as<ir::Allocate>());
        case ir::StmtKind::DeclBuffer: {
            const auto &declared = *s.as<ir::DeclBuffer>();
            Stmt body = stmt(declared.body);
            if (m_memory.hasErrors(declared.buffer))
                body = ir::make(ir::DeclBuffer{{}, m_expressions.error(declared.buffer), std::move(body)});
            return ir::make(ir::DeclBuffer{{}, m_expressions.value(declared.buffer), std::move(body)});
        }
        case ir::StmtKind::AttrStmt: {
            ir::AttrStmt attr = *s.as<ir::AttrStmt>();
            attr.body = stmt(attr.body);
            return ir::make(std::move(attr));
        }
        case ir::StmtKind::AssertStmt: {
            ir::AssertStmt assert = *s.as<ir::AssertStmt>();
            assert.condition = exact(assert.condition);
            assert.body = stmt(assert.body);
            return ir::make(std::move(assert));
        }
        case ir::StmtKind::Evaluate: m_expressions.plain(s.as<ir::Evaluate>()->value); return s;
        case ir::StmtKind::While: throw NoBounds();
        }
        throw NoBounds();
    }

    /// A condition on which statements hang: errors must not decide it.
    Expr exact(const Expr &condition)
    {
        const Bounded test = m_expressions.apart(condition);
        if (test.error)
            throw NoBounds();
        return test.value;
    }

    Stmt block(const ir::Block &own)
    {
        ir::Block result = own;
        m_blocks.push_back(&own);
        result.predicate = m_expressions.plain(own.predicate);
        result.allocBuffers = withErrors(own.allocBuffers);
        result.matchBuffers.clear();
        for (const ir::MatchBuffer &match : own.matchBuffers) {
            const auto regionOf = [&](const ir::Buffer &b) {
                return ir::BufferRegion{b, match.source.region};
            };
            result.matchBuffers.push_back(
                {regionOf(m_expressions.value(match.source.buffer)), m_expressions.value(match.buffer)});
            if (m_memory.hasErrors(match.buffer))
                result.matchBuffers.push_back(
                    {regionOf(m_expressions.error(match.source.buffer)), m_expressions.error(match.buffer)});
        }
        result.reads = regions(own.reads);
        result.writes = regions(own.writes);
        if (own.init)
            result.init = stmt(own.init);
        result.body = stmt(own.body);
        m_blocks.pop_back();
        return ir::make(std::move(result));
    }

    std::vector<ir::Buffer> withErrors(const std::vector<ir::Buffer> &buffers)
    {
        std::vector<ir::Buffer> all;
        for (const ir::Buffer &each : buffers) {
            all.push_back(m_expressions.value(each));
            if (m_memory.hasErrors(each))
                all.push_back(m_expressions.error(each));
        }
        return all;
    }

    std::vector<ir::BufferRegion> regions(const std::vector<ir::BufferRegion> &own)
    {
        std::vector<ir::BufferRegion> all;
        for (const ir::BufferRegion &each : own) {
            all.push_back({m_expressions.value(each.buffer), each.region});
            if (m_memory.hasErrors(each.buffer))
                all.push_back({m_expressions.error(each.buffer), each.region});
        }
        return all;
    }

    Stmt letStmt(const ir::LetStmt &own)
    {
        Locals locals;
        const Bounded bound = locals.named(m_expressions.expr(own.value, locals));
        m_expressions.bind(own.var, bound.error);
        Stmt body = stmt(own.body);
        return around(
            locals, ir::make(ir::LetStmt{{}, bound.value, m_expressions.variable(own.var), std::move(body)}));
    }

    Stmt allocate(const ir::Allocate &own)
    {
        ir::Allocate result = own;
        result.dtype = widened(own.dtype);
        result.body = stmt(own.body);
        if (!m_expressions.hasErrorData(own.data))
            return ir::make(std::move(result));
        ir::Allocate errors = result;
        errors.dtype = wide;
        errors.data = m_expressions.errorData(own.data);
        result.body = ir::make(std::move(errors));
        return ir::make(std::move(result));
    }

    static Stmt around(const Locals &locals, Stmt body)
    {
        for (std::size_t i = locals.all().size(); i-- > 0;) {
            const auto &[var, value] = locals.all()[i];
            body = ir::make(ir::LetStmt{{}, value, var, std::move(body)});
        }
        return body;
    }

    Stmt store(const ir::BufferStore &own)
    {
        if (own.predicate)
            throw NoBounds();
        const std::vector<Expr> places = m_expressions.indices(own.indices);
        if (!m_memory.hasErrors(own.buffer))
            return ir::store(m_expressions.value(own.buffer), m_expressions.plain(own.value), places);
        Locals locals;
        const Expr term = isNumber(termsOf(own), 1) ? Expr() : addedTerm(own);
        Bounded all = term ? accumulated(own, term, places, locals) : m_expressions.expr(own.value, locals);
        all = locals.named(all);
        return around(locals, ir::seq({ir::store(m_expressions.value(own.buffer), all.value, places),
                                       ir::store(m_expressions.error(own.buffer),
                                                 all.error ? all.error : ir::floatImm(0, wide), places)}));
    }

    /// t of a statement C[i] = C[i] ± t, or t + C[i]; null of others.
    static Expr addedTerm(const ir::BufferStore &own)
    {
        const auto *sum = own.value.as<ir::Binary>();
        if (!sum || !isFloat(own.value) || (sum->op != ir::BinaryOp::Add && sum->op != ir::BinaryOp::Sub))
            return {};
        const auto isOld = [&](const Expr &e) {
            const auto *load = e.as<ir::BufferLoad>();
            return load && load->buffer == own.buffer && load->indices.size() == own.indices.size()
                   && std::ranges::equal(load->indices, own.indices, [](const Expr &a, const Expr &b) {
                          return ir::structurallyEqual(a, b);
                      });
        };
        if (isOld(sum->a))
            return sum->b;
        return sum->op == ir::BinaryOp::Add && isOld(sum->b) ? sum->a : Expr();
    }

    /// The old value and a further term of a sum, in whatever order its terms come.
    Bounded accumulated(const ir::BufferStore &own, const Expr &term, const std::vector<Expr> &places,
                        Locals &locals)
    {
        const auto number = [](double value) { return ir::floatImm(value, wide); };
        const auto rootOf = [](const Expr &e) { return ir::callIntrinsic(ir::intrinsics::sqrt, {e}); };
        const DataType type = own.buffer.dtype();
        const Bounded added = locals.named(m_expressions.expr(term, locals));
        const Expr old = ir::load(m_expressions.value(own.buffer), places),
                   oldError = locals.named(ir::load(m_expressions.error(own.buffer), places));
        const Expr sum = locals.named(ir::binary(own.value.as<ir::Binary>()->op, old, added.value));
        const Expr terms = locals.named(termsOf(own)), root = locals.named(rootOf(terms));
        const Expr ofTerm = locals.named(roundingOf(added.value, type));

        // By the terms' magnitudes, as if none cancelled. What the sum begins with, as large as a sum on the
        // way less its terms, is rounded as often as a term.
        const Expr roundings = ir::min(terms, number(deviations) * root) + number(1);
        const Expr ofBegin = beginsAtZero(own.buffer)
                                 ? Expr()
                                 : ofTerm + ir::binary(ir::BinaryOp::Div, roundingOf(old, type), terms);
        const Expr ofMagnitudes = oldError + sumOf(ofTerm, ofBegin) * roundings;
        const Expr size = locals.named(ir::callIntrinsic(ir::intrinsics::fabs, {added.value}));
        const Expr most = number(deviations) * root * size;
        const Expr ofSum = locals.named(roundingOf(sum, type, most));
        Expr least = ofMagnitudes;
        if (m_sums == BoundsOfSums::Tight) { // by the sums on the way, whose roundings are independent
            const Expr ofTermAlone = locals.named(ofTerm * root);
            const Expr squares = ofSum * ofSum + ofTermAlone * ofTermAlone;
            least = ir::min(
                least, rootOf(oldError * oldError + number(std::pow(otherOrders * deviations, 2)) * squares));
        }
        const Expr error = ir::max(least, ofSum); // infinite where terms may overflow on the way
        // Terms that are too small for the sum are lost one like the other.
        const Expr isSmall = ir::le(size, number(2) * ofSum);
        const Expr lost = ir::select(isSmall, ir::min(size, ofSum), number(0));
        return {sum, sumOf(error + lost, added.error)};
    }

    /// Whether the block around begins the sums in the buffer with the constant 0.
    bool beginsAtZero(const ir::Buffer &sums) const
    {
        if (m_blocks.empty() || !m_blocks.back()->init)
            return false;
        bool all = true;
        ir::forEachStmt(m_blocks.back()->init, [&](const Stmt &s) {
            const auto *store = s.as<ir::BufferStore>();
            const auto *value = store && store->buffer == sums ? store->value.as<ir::FloatImm>() : nullptr;
            all = all && (!store || store->buffer != sums || (value && value->value == 0));
            return all;
        });
        return all;
    }

    /// Number of terms of the sum at one element.
    Expr termsOf(const ir::BufferStore &own)
    {
        double known = 1;
        Expr others;
        const auto times = [&](const Expr &extent) {
            if (const std::int64_t *number = ir::asInt(extent))
                known *= static_cast<double>(*number);
            else
                others = others ? others * ir::cast(wide, extent) : ir::cast(wide, extent);
        };
        const bool isBlock = !m_blocks.empty() && !m_blocks.back()->iterVars.empty();
        if (isBlock) {
            for (const ir::IterVar &iter : m_blocks.back()->iterVars) {
                if (!usesVar(own.indices, iter.var))
                    times(iter.domain.extent);
            }
        }
        for (const ir::For *loop : m_loops) {
            const bool isOfBlock = isBlock && boundTo(*m_blocks.back(), loop->var);
            if (!isOfBlock && !usesVar(own.indices, loop->var))
                times(loop->extent);
        }
        return others ? ir::floatImm(known, wide) * others : ir::floatImm(known, wide);
    }

    static bool usesVar(const std::vector<Expr> &all, const ir::Var &var)
    {
        return std::ranges::any_of(all, [&](const Expr &e) { return ir::uses(e, var); });
    }
    static bool boundTo(const ir::Block &block, const ir::Var &loop)
    {
        return usesVar(block.iterValues, loop);
    }

    const ir::PrimFunc &m_function;
    InexactMemory m_memory;
    BoundsOfSums m_sums;
    BoundedExpressions m_expressions{m_memory};
    std::vector<const ir::Block *> m_blocks; ///< around the statement, the innermost last
    std::vector<const ir::For *> m_loops;
};

} // namespace

std::optional<BoundedProgram> withErrorBounds(const ir::Module &module, const std::string &function,
                                              BoundsOfSums sums)
{
    const ir::Function found = module.find(function);
    if (!found)
        return std::nullopt;
    try {
        BoundedProgram result;
        ir::PrimFunc made = BoundsMaker(*found, sums).make(result.bounded);
        if (result.bounded.empty())
            return std::nullopt;
        made.attrs.erase(std::string(ir::fastMathKey));
        result.module =
            ir::Module({{function, std::make_shared<const ir::PrimFunc>(std::move(made))}}, module.attrs());
        return result;
    } catch (const NoBounds &) {
        return std::nullopt;
    } catch (const support::UserError &) {
        return std::nullopt;
    }
}

} // namespace nestwright::measure
