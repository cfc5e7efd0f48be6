// SPDX-License-Identifier: Apache-2.0
#include "tests/support/work.h"

#include "core/analysis/access/integer_code.h"
#include "core/interp/interpreter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/strides.h"

#include <algorithm>
#include <format>
#include <unordered_map>

namespace nestwright::tests {

using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

constexpr std::int64_t mostRounds = 300'000;

struct Unknown {};

Work operator+(Work a, const Work &b)
{
    a.loads += b.loads;
    a.stores += b.stores;
    a.branches += b.branches;
    a.bytes = std::max(a.bytes, b.bytes);
    return a;
}

Work times(Work work, double count)
{
    return {work.loads * count, work.stores * count, work.branches * count, work.bytes};
}

const Work &dearer(const Work &a, const Work &b)
{
    return a.loads + a.stores + a.branches < b.loads + b.stores + b.branches ? b : a;
}

/// Variables that decide how often something is done, and those that their values are made of.
class Deciding : public ir::Visitor {
public:
    explicit Deciding(const Stmt &body)
    {
        stmt(body);
        for (bool grows = true; grows;) {
            grows = false;
            for (const auto &[var, value] : m_values) {
                if (!m_vars.contains(var))
                    continue;
                const std::size_t before = m_vars.size();
                add(value);
                grows = grows || m_vars.size() > before;
            }
        }
    }

    bool contains(const Var &var) const { return m_vars.contains(var); }

    void stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>()) {
            add(loop->min);
            add(loop->extent);
        } else if (const auto *branch = s.as<ir::IfThenElse>()) {
            add(branch->condition);
        } else if (const auto *bound = s.as<ir::LetStmt>()) {
            m_values.emplace_back(bound->var, bound->value);
        } else if (const auto *memory = s.as<ir::Allocate>()) {
            for (const Expr &extent : memory->extents)
                add(extent);
        } else if (const auto *block = s.as<ir::Block>()) {
            add(block->predicate);
            for (std::size_t i = 0; i < block->iterVars.size(); ++i) {
                m_values.emplace_back(block->iterVars[i].var, block->iterValues[i]);
                if (block->init && block->iterVars[i].kind == ir::IterKind::Reduce)
                    add(block->iterVars[i].var);
            }
        }
        children(s);
    }

    void expr(const Expr &e) override
    {
        if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::ifThenElse)
            add(call->args[0]);
        if (const auto *bound = e.as<ir::Let>())
            m_values.emplace_back(bound->var, bound->value);
        children(e);
    }

private:
    void add(const Expr &e)
    {
        const ir::VarSet vars = ir::variablesOf(e);
        m_vars.insert(vars.begin(), vars.end());
    }

    ir::VarSet m_vars;
    std::vector<std::pair<Var, Expr>> m_values;
};

class Counter {
public:
    Counter(const Stmt &body, ir::VarMap<std::int64_t> values) : m_deciding(body), m_values(std::move(values))
    {
    }

    Work of(const Stmt &s)
    {
        switch (s.kind()) {
        case ir::StmtKind::For: return loop(*s.as<ir::For>());
        case ir::StmtKind::Block: return block(*s.as<ir::Block>());
        case ir::StmtKind::IfThenElse: return branch(*s.as<ir::IfThenElse>());
        case ir::StmtKind::Allocate: return allocation(*s.as<ir::Allocate>());
        case ir::StmtKind::Seq: {
            Work all;
            for (const Stmt &part : s.as<ir::Seq>()->stmts)
                all = all + of(part);
            return all;
        }
        case ir::StmtKind::BufferStore: {
            const auto &store = *s.as<ir::BufferStore>();
            Work all = of(store.value) + of(store.indices);
            all.stores += lanes(store.indices, store.buffer);
            return all;
        }
        case ir::StmtKind::LetStmt: {
            const auto &bound = *s.as<ir::LetStmt>();
            define(bound.var, bound.value);
            return of(bound.value) + of(bound.body);
        }
        case ir::StmtKind::Evaluate: return of(s.as<ir::Evaluate>()->value);
        case ir::StmtKind::AttrStmt: return of(s.as<ir::AttrStmt>()->body);
        case ir::StmtKind::DeclBuffer: return of(s.as<ir::DeclBuffer>()->body);
        case ir::StmtKind::While: return of(s.as<ir::While>()->condition) + of(s.as<ir::While>()->body);
        case ir::StmtKind::AssertStmt: return of(s.as<ir::AssertStmt>()->body);
        }
        throw Unknown();
    }

private:
    /// Every round for itself where its variable decides about something.
    Work loop(const ir::For &node)
    {
        const auto min = value(node.min), extent = value(node.extent);
        if (!min || !extent)
            throw Unknown();
        const Work head = of(node.min) + of(node.extent);
        if (*extent <= 0)
            return head;
        if (!m_deciding.contains(node.var)) {
            m_values.insert_or_assign(node.var, *min);
            return head + times(of(node.body), static_cast<double>(*extent));
        }
        Work all = head;
        for (std::int64_t i = 0; i < *extent; ++i) {
            if (++m_rounds > mostRounds)
                throw Unknown();
            m_values.insert_or_assign(node.var, *min + i);
            all = all + of(node.body);
        }
        return all;
    }

    Work block(const ir::Block &node)
    {
        Work all = of(node.iterValues);
        bool reduces = false, isFirst = true;
        for (std::size_t i = 0; i < node.iterVars.size(); ++i) {
            define(node.iterVars[i].var, node.iterValues[i]);
            if (node.iterVars[i].kind != ir::IterKind::Reduce)
                continue;
            reduces = true;
            const auto now = value(node.iterVars[i].var), start = value(node.iterVars[i].domain.min);
            isFirst = isFirst && (!now || !start || *now == *start);
        }
        if (!ir::isTrue(node.predicate)) {
            all = all + condition(node.predicate);
            if (value(node.predicate) == 0)
                return all;
        }
        if (node.init) {
            all.branches += reduces ? 1 : 0;
            all = isFirst ? all + of(node.init) : all;
        }
        Work body = of(node.body);
        for (const ir::Buffer &buffer : node.allocBuffers) {
            std::vector<Expr> extents = buffer.shape();
            if (ir::isStrided(buffer) && !extents.empty()) // rows with space between them
                extents = {extents.front(), buffer->strides.front()};
            body.bytes += bytes(extents, buffer.dtype());
        }
        return all + body;
    }

    Work branch(const ir::IfThenElse &node)
    {
        const Work head = condition(node.condition);
        const auto known = value(node.condition);
        const auto otherwise = [&] { return node.elseCase ? of(node.elseCase) : Work(); };
        if (known)
            return head + (*known ? of(node.thenCase) : otherwise());
        return head + dearer(of(node.thenCase), otherwise());
    }

    Work allocation(const ir::Allocate &node)
    {
        Work all = of(node.body);
        all.bytes += bytes(node.extents, node.dtype);
        return all;
    }

    double bytes(const std::vector<Expr> &extents, ir::DataType dtype)
    {
        double count = dtype.bytes() * dtype.lanes;
        for (const Expr &extent : extents) {
            const auto known = value(extent);
            if (!known)
                throw Unknown();
            count *= static_cast<double>(*known);
        }
        return count;
    }

    Work condition(const Expr &e)
    {
        Work all = of(e);
        all.branches += 1;
        return all;
    }

    Work of(const Expr &e)
    {
        Work all;
        if (!e)
            return all;
        if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::ifThenElse) {
            all = condition(call->args[0]);
            const auto known = value(call->args[0]);
            return all
                   + (known ? of(call->args[*known ? 1 : 2]) : dearer(of(call->args[1]), of(call->args[2])));
        }
        if (const auto *load = e.as<ir::BufferLoad>())
            all.loads += lanes(load->indices, load->buffer);
        if (const auto *bound = e.as<ir::Let>())
            define(bound->var, bound->value);
        for (const Expr &part : partsOf(e))
            all = all + of(part);
        return all;
    }

    Work of(const std::vector<Expr> &exprs)
    {
        Work all;
        for (const Expr &e : exprs)
            all = all + of(e);
        return all;
    }

    static std::vector<Expr> partsOf(const Expr &e)
    {
        std::vector<Expr> parts;
        ir::forEachExpr(e, [&](const Expr &part) {
            if (!part.same(e))
                parts.push_back(part);
            return part.same(e);
        });
        return parts;
    }

    static double lanes(const std::vector<Expr> &indices, const ir::Buffer &buffer)
    {
        int most = buffer.dtype().lanes;
        for (const Expr &index : indices)
            most = std::max<int>(most, index.dtype().lanes);
        return most;
    }

    void define(const Var &var, const Expr &e)
    {
        if (const auto known = value(e))
            m_values.insert_or_assign(var, *known);
        else
            m_values.erase(var);
    }

    std::optional<std::int64_t> value(const Expr &e)
    {
        auto &[code, vars] = codeOf(e);
        if (!code)
            return std::nullopt;
        std::vector<std::int64_t> values;
        for (const Var &var : vars) {
            const auto found = m_values.find(var);
            if (found == m_values.end())
                return std::nullopt;
            values.push_back(found->second);
        }
        return code->eval(values);
    }

    struct Code {
        std::optional<analysis::IntegerCode> code;
        std::vector<Var> vars;
    };
    Code &codeOf(const Expr &e)
    {
        const auto [found, isNew] = m_codes.try_emplace(e.get());
        if (isNew) {
            m_kept.push_back(e);
            const Expr plain = ir::withoutLikely(e);
            const ir::VarSet vars = ir::variablesOf(plain);
            found->second.vars.assign(vars.begin(), vars.end());
            found->second.code = analysis::IntegerCode::of(plain, found->second.vars);
        }
        return found->second;
    }

    Deciding m_deciding;
    ir::VarMap<std::int64_t> m_values;
    std::unordered_map<const ir::ExprNode *, Code> m_codes;
    std::vector<Expr> m_kept; ///< the nodes whose addresses are keys
    std::int64_t m_rounds = 0;
};

} // namespace

std::string Work::text() const
{
    return std::format("loads {}, stores {}, branches {}, bytes {}", loads, stores, branches, bytes);
}

std::optional<Work> workOf(const ir::PrimFunc &function)
{
    const auto shapes = interp::argumentShapes(function);
    if (!shapes)
        return std::nullopt;
    ir::VarMap<std::int64_t> values;
    std::size_t at = 0;
    for (const ir::Param &param : function.params) {
        if (!param.buffer) {
            values[param.var] = 7;
            continue;
        }
        const std::vector<std::int64_t> &shape = (*shapes)[at++];
        for (std::size_t d = 0; d < shape.size() && d < param.buffer.shape().size(); ++d) {
            if (param.buffer.shape()[d].as<ir::VarNode>())
                values[Var::from(param.buffer.shape()[d])] = shape[d];
        }
    }
    try {
        return Counter(function.body, std::move(values)).of(function.body);
    } catch (const Unknown &) {
        return std::nullopt;
    }
}

} // namespace nestwright::tests
