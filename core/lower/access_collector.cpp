// SPDX-License-Identifier: Apache-2.0
#include "core/lower/access_collector.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/substitute.h"
#include "core/ir/node/block_marker.h"
#include "core/ir/node/equality.h"
#include "core/ir/purity.h"

#include <algorithm>

namespace nestwright::lower {

using ir::Expr;
using ir::Stmt;

namespace {

/// Puts a variable in the place of each expression that is equal to one of some.
class NamedParts : public ir::Rewriter {
public:
    explicit NamedParts(const std::vector<Expr> &parts)
    {
        for (const Expr &part : parts) {
            if (!ir::asInt(part))
                m_parts.emplace_back(part, ir::Var("index", part.dtype()));
        }
    }
    Expr expr(const Expr &e) override
    {
        for (const auto &[part, name] : m_parts) {
            if (ir::structurallyEqual(part, e))
                return name;
        }
        return children(e);
    }

private:
    std::vector<std::pair<Expr, ir::Var>> m_parts;
};

/// The length of a dimension; one that is long enough for others of their kind where it is not known, so that
/// elements have the same place where all their indices are the same.
Expr rowLength(const ir::Buffer &buffer, std::size_t dimension)
{
    const ir::DataType type = ir::DataType::int64();
    const std::vector<Expr> &shape = buffer.shape();
    const auto unknown = std::ranges::count_if(shape, [](const Expr &extent) { return !ir::asInt(extent); });
    const bool isKnown = ir::asInt(shape[dimension]) || dimension == 0 || unknown > 2;
    return isKnown ? ir::cast(type, shape[dimension]) : ir::intImm(std::int64_t{1} << 20, type);
}

} // namespace

void AccessCollector::stmt(const Stmt &s)
{
    if (const auto *loop = s.as<ir::For>()) {
        expr(loop->min);
        expr(loop->extent);
        m_loops.push_back({loop->var, ir::substitute(ir::Range{loop->min, loop->extent}, m_named)});
        stmt(loop->body);
        m_loops.pop_back();
        return;
    }
    if (const auto *branch = s.as<ir::IfThenElse>()) {
        expr(branch->condition);
        under(branch->condition, [&] { stmt(branch->thenCase); });
        if (branch->elseCase)
            under(ir::logicalNot(branch->condition), [&] { stmt(branch->elseCase); });
        return;
    }
    if (const auto *let = s.as<ir::LetStmt>())
        bind(let->var, let->value);
    const support::StmtId outer = m_place;
    if (const auto *mark = s.as<ir::AttrStmt>(); mark && ir::markedBlock(*mark))
        m_place = ir::markedBlock(*mark);
    if (const auto *store = s.as<ir::BufferStore>())
        add(store->buffer, store->indices, store->value);
    children(s);
    m_place = outer;
}

void AccessCollector::expr(const Expr &e)
{
    if (const auto *load = e.as<ir::BufferLoad>())
        add(load->buffer, load->indices, {});
    if (const auto *let = e.as<ir::Let>())
        bind(let->var, let->value);
    if (const auto *call = e.as<ir::Call>(); call && call->callee == ir::intrinsics::ifThenElse) {
        expr(call->args[0]);
        under(call->args[0], [&] { expr(call->args[1]); });
        under(ir::logicalNot(call->args[0]), [&] { expr(call->args[2]); });
        return;
    }
    children(e);
}

void AccessCollector::bind(const ir::Var &var, const Expr &value)
{
    m_named[var] = ir::substitute(value, m_named);
}

template <class Visit> void AccessCollector::under(const Expr &condition, const Visit &visit)
{
    const Expr outer = m_condition, full = ir::substitute(condition, m_named);
    const bool isOnData = !ir::isPure(full);
    if (isOnData)
        m_onData.push_back({full, ++m_branches});
    else
        m_condition = outer ? ir::logicalAnd(outer, full) : full;
    visit();
    m_condition = outer;
    if (isOnData)
        m_onData.pop_back();
}

bool AccessCollector::comesFrom(const Expr &value, const ir::Buffer &buffer,
                                const std::vector<Expr> &indices) const
{
    const auto isSame = [&](const Expr &a, const Expr &b) {
        return ir::structurallyEqual(ir::substitute(a, m_named), ir::substitute(b, m_named));
    };
    bool isFound = false;
    ir::forEachExpr(ir::substitute(value, m_named), [&](const Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        isFound =
            isFound || (load && load->buffer == buffer && std::ranges::equal(load->indices, indices, isSame));
        return !isFound;
    });
    return isFound;
}

Expr AccessCollector::ofElement(const Expr &value, const std::vector<Expr> &indices) const
{
    std::vector<Expr> full;
    for (const Expr &index : indices)
        full.push_back(ir::substitute(index, m_named));
    return NamedParts(full).expr(ir::substitute(value, m_named));
}

/// `value`: what is written; null where it is read.
void AccessCollector::add(const ir::Buffer &buffer, const std::vector<Expr> &indices, const Expr &value)
{
    const bool isWrite = static_cast<bool>(value);
    Expr place = ir::intImm(0, ir::DataType::int64()); // row by row
    for (std::size_t d = 0; d < indices.size() && place; ++d) {
        const Expr index = ir::substitute(indices[d], m_named);
        const bool isKnown = ir::isPure(index) && !index.dtype().isVector();
        place = isKnown ? place * rowLength(buffer, d) + ir::cast(ir::DataType::int64(), index) : Expr();
    }
    Accesses &accesses = buffers[buffer];
    (isWrite ? accesses.writes : accesses.reads)
        .push_back({buffer->data, isWrite, place, m_loops, m_condition, m_place, m_onData});
    if (isWrite) {
        accesses.written.push_back(ofElement(value, indices));
        accesses.updates.push_back(comesFrom(value, buffer, indices));
    }
}

} // namespace nestwright::lower
