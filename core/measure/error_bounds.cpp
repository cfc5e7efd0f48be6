// SPDX-License-Identifier: Apache-2.0
#include "core/measure/error_bounds.h"

#include "core/ir/attributes.h"
#include "core/ir/builder.h"
#include "core/ir/equality.h"
#include "core/ir/fold.h"
#include "core/ir/intrinsics.h"
#include "core/ir/walk.h"
#include "core/measure/rounding_rules.h"
#include "core/support/errors.h"

#include <algorithm>

namespace nestwright::measure {

using ir::DataType;
using ir::Expr;
using ir::Stmt;

namespace {

constexpr DataType wide = DataType::float_(64);

/// How far a sum of n terms is taken to be off at most: this many times √n roundings. Errors beyond have a
/// probability below 2·exp(−16/2) each even if every rounding were as large as it can be, which none are.
constexpr double deviations = 4;

/// Thrown where there is no such program.
struct NoBounds {};

bool isFloat(const Expr &e) { return e.dtype().isFloating(); }

/// The constant as its own type holds it.
Expr held(const ir::FloatImm &constant)
{
    return ir::floatImm(ir::roundToType(constant.value, constant.dtype), wide);
}

DataType widened(DataType dtype) { return dtype.isFloating() ? wide : dtype; }

/// The memories that a function writes, and those of integers among them whose values come from
/// floating-point numbers.
class WrittenMemory : public ir::Visitor {
public:
    explicit WrittenMemory(const ir::PrimFunc &function)
    {
        for (std::size_t before = 1, now = 0; before != now;) { // integers may go through several buffers
            before = m_inexact.size();
            stmt(function.body);
            now = m_inexact.size();
        }
    }

    void stmt(const Stmt &s) override
    {
        if (const auto *store = s.as<ir::BufferStore>()) {
            take(store->buffer);
            if (!store->buffer.dtype().isFloating() && comesFromFloats(store->value))
                m_inexact.insert(store->buffer->data);
        } else if (const auto *block = s.as<ir::Block>()) {
            for (const ir::BufferRegion &region : block->writes)
                take(region.buffer);
            for (const ir::MatchBuffer &match : block->matchBuffers)
                if (m_written.contains(match.source.buffer->data) || m_written.contains(match.buffer->data))
                    take(match.source.buffer), take(match.buffer);
        } else if (const auto *let = s.as<ir::LetStmt>(); let && comesFromFloats(let->value)) {
            m_inexact.insert(let->var);
        }
        children(s);
    }

    bool hasErrors(const ir::Buffer &b) const
    {
        return m_written.contains(b->data) && (b.dtype().isFloating() || m_inexact.contains(b->data));
    }
    bool hasErrors(const ir::Var &var) const { return isFloat(var) || m_inexact.contains(var); }

    bool comesFromFloats(const Expr &value) const
    {
        bool found = false;
        ir::forEachExpr(value, [&](const Expr &e) {
            const auto *load = e.as<ir::BufferLoad>();
            const ir::Var var = ir::Var::from(e);
            found = found || isFloat(e) || (load && m_inexact.contains(load->buffer->data))
                    || (var && m_inexact.contains(var));
            return !found;
        });
        return found;
    }

private:
    /// Throws NoBounds where another type was written to the same memory.
    void take(const ir::Buffer &b)
    {
        const auto [known, isNew] = m_written.try_emplace(b->data, b.dtype());
        if (!isNew && known->second != b.dtype())
            throw NoBounds();
    }

    ir::VarMap<DataType> m_written;
    ir::VarSet m_inexact;
};

class BoundsMaker {
public:
    explicit BoundsMaker(const ir::PrimFunc &function) : m_function(function), m_memory(function) {}

    ir::PrimFunc make(std::vector<std::size_t> &bounded)
    {
        ir::PrimFunc result = m_function;
        std::vector<ir::Param> errors;
        std::size_t place = 0;
        for (ir::Param &param : result.params) {
            if (!param.buffer) {
                if (isFloat(param.var))
                    param.var = variable(param.var);
                continue;
            }
            const ir::Buffer own = param.buffer;
            param.buffer = value(own);
            if (m_memory.hasErrors(own)) {
                bounded.push_back(place);
                errors.push_back({ir::Var(param.var.name() + "_error", DataType::handle()), error(own)});
            }
            ++place;
        }
        result.params.insert(result.params.end(), errors.begin(), errors.end());
        result.body = stmt(m_function.body);
        return result;
    }

private:
    // --- what takes the place of buffers and variables

    /// The buffer in double precision.
    ir::Buffer value(const ir::Buffer &b)
    {
        if (b.dtype().isVector() || b.dtype().isNarrow())
            throw NoBounds();
        if (widened(b.dtype()) == b.dtype())
            return b;
        return m_values.try_emplace(b, copyOf(b, b->name, b->data)).first->second;
    }

    /// The buffer of its errors.
    ir::Buffer error(const ir::Buffer &b)
    {
        const auto found = m_errors.find(b);
        if (found != m_errors.end())
            return found->second;
        return m_errors.emplace(b, copyOf(b, b->name + "_error", errorData(b->data))).first->second;
    }

    ir::Var errorData(const ir::Var &data)
    {
        ir::Var &made = m_errorData[data];
        if (!made)
            made = ir::Var::like(data, data.name() + "_error");
        return made;
    }

    static ir::Buffer copyOf(const ir::Buffer &b, const std::string &name, const ir::Var &data)
    {
        ir::BufferNode node = *b.get();
        node.name = name;
        node.data = data;
        node.dtype = wide;
        return ir::Buffer(std::move(node));
    }

    ir::Var variable(const ir::Var &var)
    {
        if (widened(var.dtype()) == var.dtype())
            return var;
        ir::Var &made = m_variables[var];
        if (!made)
            made = ir::Var(var.name(), wide);
        return made;
    }

    // --- expressions

    Bounded expr(const Expr &e, Locals &locals)
    {
        if (e.dtype().isVector())
            throw NoBounds();
        if (!m_memory.comesFromFloats(e))
            return {plain(e), {}};
        switch (e.kind()) {
        case ir::ExprKind::FloatImm:
            return {held(*e.as<ir::FloatImm>()), {}};
        case ir::ExprKind::Var: {
            const ir::Var var = ir::Var::from(e);
            const auto known = m_variableErrors.find(var);
            return {variable(var), known == m_variableErrors.end() ? Expr() : known->second};
        }
        case ir::ExprKind::Cast: {
            const Expr from = e.as<ir::Cast>()->value;
            return boundedCast(expr(from, locals), from.dtype(), e.dtype(), locals);
        }
        case ir::ExprKind::Binary: return binary(*e.as<ir::Binary>(), locals);
        case ir::ExprKind::Not: {
            const Bounded a = expr(e.as<ir::Not>()->a, locals);
            return {ir::logicalNot(a.value), a.error};
        }
        case ir::ExprKind::Select: {
            const auto &select = *e.as<ir::Select>();
            return choice(select.condition, select.trueValue, select.falseValue, locals, false);
        }
        case ir::ExprKind::Let: return let(*e.as<ir::Let>(), locals);
        case ir::ExprKind::BufferLoad: return load(*e.as<ir::BufferLoad>());
        case ir::ExprKind::Call: return call(*e.as<ir::Call>(), locals);
        default: throw NoBounds();
        }
    }

    /// An expression in which no floating-point number occurs.
    static Expr plain(const Expr &e)
    {
        ir::forEachExpr(e, [](const Expr &each) {
            const auto *call = each.as<ir::Call>();
            if (call && (!call->callee.intrinsic() || call->callee.intrinsic()->purity != ir::Purity::Pure))
                throw NoBounds();
            return true;
        });
        return e;
    }

    /// As an expression of its own, for places where it may not be computed: behind a condition.
    Bounded apart(const Expr &e)
    {
        Locals own;
        const Bounded all = expr(e, own);
        return {own.around(all.value), all.error ? own.around(all.error) : Expr()};
    }

    Bounded binary(const ir::Binary &e, Locals &locals)
    {
        const Bounded a = expr(e.a, locals);
        const Bounded b = ir::isLogical(e.op) ? apart(e.b) : expr(e.b, locals);
        const DataType type = e.a.dtype();
        if (auto result = boundedBinary(e.op, a, b, type, locals))
            return *result;
        throw NoBounds();
    }

    Bounded choice(const Expr &condition, const Expr &a, const Expr &b, Locals &locals, bool isLazy)
    {
        const Bounded test = locals.named(expr(condition, locals));
        const Bounded first = apart(a), second = apart(b);
        if (!isLazy || !test.error) {
            Bounded result = boundedChoice(test, first, second, locals);
            if (!isLazy)
                return result;
            const auto either = [&](const Expr &x, const Expr &y) {
                return ir::callIntrinsic(ir::intrinsics::ifThenElse, {test.value, x, y});
            };
            result.value = either(first.value, second.value);
            if (first.error || second.error)
                result.error = either(first.error ? first.error : ir::floatImm(0, wide),
                                      second.error ? second.error : ir::floatImm(0, wide));
            return result;
        }
        throw NoBounds(); // the other value may not be looked at
    }

    Bounded let(const ir::Let &e, Locals &locals)
    {
        const Bounded bound = locals.named(expr(e.value, locals));
        const ir::Var var = variable(e.var);
        Locals own;
        if (bound.error)
            m_variableErrors[e.var] = bound.error;
        const Bounded body = expr(e.body, own);
        const auto around = [&](const Expr &inner) {
            return inner ? ir::let(var, bound.value, own.around(inner)) : inner;
        };
        return {around(body.value), around(body.error)};
    }

    std::vector<Expr> indices(const std::vector<Expr> &all, Expr &error)
    {
        std::vector<Expr> result;
        for (const Expr &index : all) {
            const Bounded place = apart(index);
            if (place.error)
                error = largerOf(error, place.error);
            result.push_back(place.value);
        }
        return result;
    }

    Bounded load(const ir::BufferLoad &e)
    {
        if (e.predicate)
            throw NoBounds();
        Expr moved; // the error of an index makes it the load of any other element
        std::vector<Expr> places = indices(e.indices, moved);
        if (moved)
            throw NoBounds();
        Expr error_;
        if (m_memory.hasErrors(e.buffer))
            error_ = ir::load(error(e.buffer), places);
        return {ir::load(value(e.buffer), std::move(places)), error_};
    }

    Bounded call(const ir::Call &e, Locals &locals)
    {
        if (e.callee == ir::intrinsics::ifThenElse)
            return choice(e.args[0], e.args[1], e.args[2], locals, true);
        if (e.callee == ir::intrinsics::infinity)
            return {ir::call(wide, e.callee, {}), {}};
        const ir::Intrinsic *known = e.callee.intrinsic();
        if (!known || known->purity != ir::Purity::Pure || known->type == ir::TypeRule::Given)
            throw NoBounds();
        std::vector<Bounded> args;
        for (const Expr &arg : e.args)
            args.push_back(expr(arg, locals));
        if (auto result = boundedCall(*known, args, e.dtype, locals))
            return *result;
        return withoutRule(e, args, locals);
    }

    /// Exact arguments give a result that is off by its own rounding; of others nothing is known.
    static Bounded withoutRule(const ir::Call &e, const std::vector<Bounded> &args, Locals &locals)
    {
        ir::Call same = e;
        same.dtype = widened(e.dtype);
        same.args.clear();
        Expr inexact;
        for (const Bounded &arg : args) {
            same.args.push_back(arg.value);
            inexact = largerOf(inexact, arg.error);
        }
        const Expr value = locals.named(ir::make(std::move(same)));
        constexpr double units = 16;
        Expr error = roundingOf(value, e.dtype);
        if (error)
            error = error * ir::floatImm(units, wide);
        if (inexact)
            error = ir::select(ir::gt(inexact, ir::floatImm(0, wide)), ir::maxValue(wide),
                               error ? error : ir::floatImm(0, wide));
        return {value, error};
    }

    // --- statements

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
                body = ir::make(ir::DeclBuffer{{}, error(declared.buffer), std::move(body)});
            return ir::make(ir::DeclBuffer{{}, value(declared.buffer), std::move(body)});
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
        case ir::StmtKind::Evaluate: plain(s.as<ir::Evaluate>()->value); return s;
        case ir::StmtKind::While: throw NoBounds();
        }
        throw NoBounds();
    }

    /// A condition on which statements hang: errors must not decide it.
    Expr exact(const Expr &condition)
    {
        const Bounded test = apart(condition);
        if (test.error)
            throw NoBounds();
        return test.value;
    }

    Stmt block(const ir::Block &own)
    {
        ir::Block result = own;
        m_blocks.push_back(&own);
        result.predicate = plain(own.predicate);
        result.allocBuffers = withErrors(own.allocBuffers);
        result.matchBuffers.clear();
        for (const ir::MatchBuffer &match : own.matchBuffers) {
            const auto regionOf = [&](const ir::Buffer &b) { return ir::BufferRegion{b, match.source.region}; };
            result.matchBuffers.push_back({regionOf(value(match.source.buffer)), value(match.buffer)});
            if (m_memory.hasErrors(match.buffer))
                result.matchBuffers.push_back({regionOf(error(match.source.buffer)), error(match.buffer)});
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
            all.push_back(value(each));
            if (m_memory.hasErrors(each))
                all.push_back(error(each));
        }
        return all;
    }

    std::vector<ir::BufferRegion> regions(const std::vector<ir::BufferRegion> &own)
    {
        std::vector<ir::BufferRegion> all;
        for (const ir::BufferRegion &each : own) {
            all.push_back({value(each.buffer), each.region});
            if (m_memory.hasErrors(each.buffer))
                all.push_back({error(each.buffer), each.region});
        }
        return all;
    }

    Stmt letStmt(const ir::LetStmt &own)
    {
        Locals locals;
        const Bounded bound = locals.named(expr(own.value, locals));
        if (bound.error)
            m_variableErrors[own.var] = bound.error;
        Stmt body = stmt(own.body);
        return around(locals, ir::make(ir::LetStmt{{}, bound.value, variable(own.var), std::move(body)}));
    }

    Stmt allocate(const ir::Allocate &own)
    {
        ir::Allocate result = own;
        result.dtype = widened(own.dtype);
        result.body = stmt(own.body);
        if (!m_errorData.contains(own.data))
            return ir::make(std::move(result));
        ir::Allocate errors = result;
        errors.dtype = wide;
        errors.data = errorData(own.data);
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
        Expr moved;
        const std::vector<Expr> places = indices(own.indices, moved);
        if (moved)
            throw NoBounds();
        if (!m_memory.hasErrors(own.buffer))
            return ir::store(value(own.buffer), plain(own.value), places);
        Locals locals;
        const Expr term = addedTerm(own);
        Bounded all = term ? accumulated(own, term, places, locals) : expr(own.value, locals);
        all = locals.named(all);
        return around(locals, ir::seq({ir::store(value(own.buffer), all.value, places),
                                       ir::store(error(own.buffer),
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

    Bounded accumulated(const ir::BufferStore &own, const Expr &term, const std::vector<Expr> &places,
                        Locals &locals)
    {
        const Bounded added = locals.named(expr(term, locals));
        const Expr old = ir::load(value(own.buffer), places), oldError = ir::load(error(own.buffer), places);
        const ir::BinaryOp op = own.value.as<ir::Binary>()->op;
        const Expr perTerm = roundingOf(added.value, own.buffer.dtype()) * roundings(own);
        return {ir::binary(op, old, added.value), sumOf(sumOf(oldError, added.error), perTerm)};
    }

    /// Terms that the sum has at one element, as a factor of the rounding of each.
    Expr roundings(const ir::BufferStore &own)
    {
        Expr terms = ir::floatImm(1, wide);
        const auto times = [&](const Expr &extent) { terms = terms * ir::cast(wide, extent); };
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
        const Expr root = ir::callIntrinsic(ir::intrinsics::sqrt, {terms});
        return ir::min(terms, ir::floatImm(deviations, wide) * root) + ir::floatImm(1, wide);
    }

    static bool usesVar(const std::vector<Expr> &all, const ir::Var &var)
    {
        return std::ranges::any_of(all, [&](const Expr &e) { return ir::uses(e, var); });
    }
    static bool boundTo(const ir::Block &block, const ir::Var &loop) { return usesVar(block.iterValues, loop); }

    const ir::PrimFunc &m_function;
    WrittenMemory m_memory;
    ir::BufferMap<ir::Buffer> m_values, m_errors;
    ir::VarMap<ir::Var> m_errorData, m_variables;
    ir::VarMap<Expr> m_variableErrors;
    std::vector<const ir::Block *> m_blocks; ///< around the statement, the innermost last
    std::vector<const ir::For *> m_loops;
};

} // namespace

std::optional<BoundedProgram> withErrorBounds(const ir::Module &module, const std::string &function)
{
    const ir::Function found = module.find(function);
    if (!found)
        return std::nullopt;
    try {
        BoundedProgram result;
        ir::PrimFunc made = BoundsMaker(*found).make(result.bounded);
        if (result.bounded.empty())
            return std::nullopt;
        made.attrs.erase(std::string(ir::fastMathKey));
        result.module = ir::Module({{function, std::make_shared<const ir::PrimFunc>(std::move(made))}},
                                   module.attrs());
        return result;
    } catch (const NoBounds &) {
        return std::nullopt;
    } catch (const support::UserError &) {
        return std::nullopt;
    }
}

} // namespace nestwright::measure
