// SPDX-License-Identifier: Apache-2.0
/// Indices, bounds of loops and comparisons that are computed in 64 bits though 32 are enough are computed in
/// 32: where that holds for every operation in them under the ranges of the loops. Loops whose range is known
/// and small count in 32 bits. Values that are stored keep their type.
#include "core/arith/analyzer.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/purity.h"
#include "core/lower/passes/declarations.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace nestwright::lower {

using ir::DataType;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

constexpr DataType narrow = DataType::int32(), wide = DataType::int64();

bool fits(arith::ConstIntBound bound)
{
    return bound.min >= std::numeric_limits<std::int32_t>::min()
           && bound.max <= std::numeric_limits<std::int32_t>::max();
}

class Narrowing : public ir::Rewriter {
public:
    Expr expr(const Expr &e) override
    {
        if (e.as<ir::VarNode>()) {
            const auto found = m_narrow.find(Var::from(e));
            return found == m_narrow.end() ? e : ir::cast(wide, found->second);
        }
        if (const auto *load = e.as<ir::BufferLoad>()) {
            ir::BufferLoad result = *load;
            if (!narrowed(result.indices))
                return children(e);
            return ir::make(std::move(result));
        }
        if (const auto *node = e.as<ir::Binary>(); node && ir::isComparison(node->op)) {
            const auto a = inNarrow(node->a), b = inNarrow(node->b);
            return a && b ? ir::binaryNode(node->op, *a, *b) : children(e);
        }
        if (const auto *node = e.as<ir::Cast>()) {
            if (const auto value = inNarrow(node->value))
                return ir::cast(e.dtype(), *value);
        }
        return children(e);
    }

    Stmt stmt(const Stmt &s) override
    {
        if (const auto *loop = s.as<ir::For>())
            return counted(s, *loop);
        if (const auto *bound = s.as<ir::LetStmt>()) {
            const auto value = inNarrow(bound->value);
            if (!value)
                return children(s);
            m_analyzer.bind(bound->var, m_analyzer.constBound(bound->value));
            ir::LetStmt result = *bound;
            result.value = *value;
            result.var = m_narrow[bound->var] = Var(bound->var.name(), narrow);
            result.body = stmt(bound->body);
            return ir::make(std::move(result));
        }
        const auto *store = s.as<ir::BufferStore>();
        if (!store)
            return children(s);
        ir::BufferStore result = *store;
        if (!narrowed(result.indices))
            return children(s);
        result.value = expr(store->value);
        if (store->predicate)
            result.predicate = expr(store->predicate);
        return ir::make(std::move(result));
    }

private:
    /// Gives the loop a narrow variable if its range is known to fit.
    Stmt counted(const Stmt &s, const ir::For &loop)
    {
        if (!ir::isPure(loop.min) || !ir::isPure(loop.extent))
            return children(s);
        m_analyzer.bind(loop.var, ir::Range{loop.min, loop.extent});
        const auto min = inNarrow(loop.min), extent = inNarrow(loop.extent);
        if (loop.var->dtype != wide || !min || !extent
            || !fits(m_analyzer.constBound(loop.min + loop.extent)))
            return children(s);
        ir::For result = loop;
        result.min = *min;
        result.extent = *extent;
        result.var = m_narrow[loop.var] = Var(loop.var.name(), narrow);
        result.body = stmt(loop.body);
        return ir::make(std::move(result));
    }

    /// All indices that may be narrow become so; false where there are none.
    bool narrowed(std::vector<Expr> &indices)
    {
        bool any = false;
        for (Expr &index : indices) {
            const auto value = inNarrow(index);
            any = any || value;
            index = value ? *value : expr(index);
        }
        return any;
    }

    /// The same number in 32 bits; nothing where `e` has another type than 64 bits, may need them on the way,
    /// or is more than arithmetic.
    std::optional<Expr> inNarrow(const Expr &e)
    {
        if (e.dtype() != wide || !fits(m_analyzer.constBound(e)))
            return std::nullopt;
        if (const std::int64_t *value = ir::asInt(e))
            return ir::intImm(*value);
        if (e.as<ir::VarNode>()) {
            const auto found = m_narrow.find(Var::from(e));
            return found == m_narrow.end() ? std::nullopt : std::optional<Expr>(found->second);
        }
        if (const auto *node = e.as<ir::Cast>())
            return node->value.dtype() == narrow ? std::optional(expr(node->value)) : std::nullopt;
        const auto *node = e.as<ir::Binary>();
        if (!node)
            return std::nullopt;
        const auto a = inNarrow(node->a), b = a ? inNarrow(node->b) : std::nullopt;
        return b ? std::optional(ir::binary(node->op, *a, *b)) : std::nullopt;
    }

    arith::Analyzer m_analyzer;
    ir::VarMap<Var> m_narrow; ///< variables of 64 bits, by others of 32
};

} // namespace

ir::Module narrowDataType(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<Narrowing>(module);
}

} // namespace nestwright::lower
