// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/reduction.h"

#include "core/analysis/access/aliases.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/support/errors/errors.h"

#include <algorithm>

namespace nestwright::analysis {

using ir::BinaryOp;
using support::diagnostic;
using Values = Reduction::Values;

namespace {

[[noreturn]] void unknown(const ir::Block &block, const std::string &why)
{
    throw support::UserError(
        diagnostic("schedule.unknown-reducer",
                   "the reduction of block '" + block.name + "' is not one that can be taken apart: " + why)
            .at(block.id)
            .withHint("a sum, product, minimum, maximum, 'and' or 'or' can be, and an arg-min or arg-max"));
}

bool sameExprs(const std::vector<ir::Expr> &a, const std::vector<ir::Expr> &b)
{
    return std::ranges::equal(
        a, b, [](const ir::Expr &x, const ir::Expr &y) { return ir::structurallyEqual(x, y); });
}

/// A new value and where it goes.
struct Update {
    ir::Buffer buffer;
    std::vector<ir::Expr> indices;
    ir::Expr value;
};

std::vector<Update> storesOf(const ir::Block &block, const ir::Stmt &stmt)
{
    std::vector<Update> updates;
    const auto add = [&](const ir::Stmt &s) {
        const auto *store = s.as<ir::BufferStore>();
        if (!store)
            unknown(block, "its init and its body must consist of stores");
        if (std::ranges::contains(updates, store->buffer, &Update::buffer))
            unknown(block, "it stores to '" + store->buffer.name() + "' twice");
        updates.push_back({store->buffer, store->indices, store->value});
    };
    if (const auto *several = stmt.as<ir::Seq>())
        std::ranges::for_each(several->stmts, add);
    else
        add(stmt);
    return updates;
}

/// The stores of the body, in the order of the lets where there are some.
std::vector<Update> updatesOf(const ir::Block &block)
{
    std::vector<std::pair<ir::Var, ir::Expr>> lets;
    ir::Stmt body = block.body;
    while (const auto *let = body.as<ir::LetStmt>()) {
        lets.emplace_back(let->var, let->value);
        body = let->body;
    }
    std::vector<Update> stores = storesOf(block, body);
    if (lets.empty()) {
        if (stores.size() > 1)
            unknown(block, "each of the new values it stores must be named by a let before");
        return stores;
    }
    if (lets.size() != stores.size())
        unknown(block, "it has " + std::to_string(lets.size()) + " lets for " + std::to_string(stores.size())
                           + " stores");
    std::vector<Update> updates;
    for (const auto &[var, value] : lets) {
        const auto store =
            std::ranges::find_if(stores, [&](const Update &update) { return update.value.same(var); });
        if (store == stores.end())
            unknown(block, "'" + var.name() + "' is not stored");
        updates.push_back({store->buffer, store->indices, value});
    }
    return updates;
}

/// The values that the init stores to the buffers, in their order.
Values initsOf(const ir::Block &block, const std::vector<Update> &updates)
{
    if (!block.init)
        unknown(block, "it has no init");
    const std::vector<Update> inits = storesOf(block, block.init);
    if (inits.size() != updates.size())
        unknown(block, "its init and its body do not store to the same buffers");
    Values values;
    for (const Update &update : updates) {
        const auto init = std::ranges::find(inits, update.buffer, &Update::buffer);
        if (init == inits.end())
            unknown(block, "its init and its body do not store to the same buffers");
        if (!sameExprs(init->indices, update.indices) || !sameExprs(update.indices, updates[0].indices))
            unknown(block, "it does not store at the same place everywhere");
        if (!sameExprs(update.buffer.shape(), updates[0].buffer.shape()))
            unknown(block, "the buffers it stores to have different shapes");
        values.push_back(init->value);
    }
    return values;
}

/// Whether combining with `init` changes nothing. For min and max any start may be taken again in each part.
bool isNeutral(BinaryOp op, const ir::Expr &init)
{
    const auto *number = init.as<ir::FloatImm>();
    const auto is = [&](double value) {
        return number ? number->value == value : ir::isConstInt(init, static_cast<std::int64_t>(value));
    };
    switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Or: return is(0);
    case BinaryOp::Mul:
    case BinaryOp::And: return is(1);
    default: return number || ir::asInt(init);
    }
}

/// Two values that are combined by one rule; `identities` by their types.
struct PairRule {
    Values (*combine)(const Values &x, const Values &y);
    Values (*identities)(ir::DataType first, ir::DataType second);
};

Values chosen(const ir::Expr &first, const ir::Expr &second, const Values &x, const Values &y)
{
    return {ir::select(first, x[0], y[0]), ir::select(second, x[1], y[1])};
}

/// The first of equal values counts.
template <BinaryOp atLeast> Values argFirst(const Values &x, const Values &y)
{
    const ir::Expr keeps = ir::binaryNode(atLeast, x[1], y[1]);
    return chosen(keeps, keeps, x, y);
}

/// The one with the smaller index counts of equal values.
template <BinaryOp better> Values argSmallest(const Values &x, const Values &y)
{
    const ir::Expr isBetter = ir::binaryNode(better, x[1], y[1]);
    const ir::Expr tie = ir::binaryNode(BinaryOp::And, ir::binaryNode(BinaryOp::EQ, x[1], y[1]),
                                        ir::binaryNode(BinaryOp::LT, x[0], y[0]));
    return chosen(ir::binaryNode(BinaryOp::Or, isBetter, tie), isBetter, x, y);
}

Values noneAndLeast(ir::DataType first, ir::DataType second)
{
    return {ir::constant(-1, first), ir::minValue(second)};
}
Values noneAndGreatest(ir::DataType first, ir::DataType second)
{
    return {ir::constant(-1, first), ir::maxValue(second)};
}

constexpr PairRule pairRules[] = {
    {[](const Values &x, const Values &y) -> Values {
         return {ir::binaryNode(BinaryOp::Add, x[0], y[0]), ir::binaryNode(BinaryOp::Add, x[1], y[1])};
     },
     [](ir::DataType first, ir::DataType second) -> Values {
         return {ir::constant(0, first), ir::constant(0, second)};
     }},
    {argFirst<BinaryOp::GE>, noneAndLeast},
    {argSmallest<BinaryOp::GT>, noneAndLeast},
    {argFirst<BinaryOp::LE>, noneAndGreatest},
    {argSmallest<BinaryOp::LT>, noneAndGreatest},
};

/// The new term in a value that combines it with the element `old`: the other operand, or the other choice.
ir::Expr termIn(const ir::Expr &value, const ir::Expr &old)
{
    if (const auto *select = value.as<ir::Select>())
        return select->falseValue;
    const auto *both = value.as<ir::Binary>();
    if (both && ir::structurallyEqual(both->a, old))
        return both->b;
    return both && ir::structurallyEqual(both->b, old) ? both->a : ir::Expr();
}

void combineOne(const ir::Block &block, Reduction &reduction, const ir::Expr &value)
{
    const auto *combined = value.as<ir::Binary>();
    constexpr BinaryOp known[] = {BinaryOp::Add, BinaryOp::Mul, BinaryOp::Min,
                                  BinaryOp::Max, BinaryOp::And, BinaryOp::Or};
    if (!combined || std::ranges::find(known, combined->op) == std::end(known))
        unknown(block, "its value is not a sum, product, minimum, maximum, 'and' or 'or'");
    if (!reduction.terms[0])
        unknown(block, "it does not combine an element with a new term");
    const BinaryOp op = combined->op;
    if (!isNeutral(op, reduction.identities[0]))
        unknown(block, "it does not begin with the neutral element");
    reduction.op = op;
    reduction.combine = [op](const Values &x, const Values &y) -> Values {
        return {ir::binaryNode(op, x[0], y[0])};
    };
}

void combinePair(const ir::Block &block, Reduction &reduction, const Values &olds, const Values &values)
{
    for (const PairRule &rule : pairRules) {
        const Values identities = rule.identities(values[0].dtype(), values[1].dtype());
        if (!reduction.terms[0] || !reduction.terms[1] || !sameExprs(reduction.identities, identities)
            || !sameExprs(rule.combine(olds, reduction.terms), values))
            continue;
        reduction.combine = rule.combine;
        return;
    }
    unknown(block, "how it combines two values is not known");
}

} // namespace

Reduction reductionOf(const ir::Block &block)
{
    const std::vector<Update> updates = updatesOf(block);
    Reduction reduction;
    reduction.identities = initsOf(block, updates);
    reduction.indices = updates[0].indices;
    Values olds, values;
    for (const Update &update : updates) {
        olds.push_back(ir::load(update.buffer, update.indices));
        values.push_back(update.value);
        reduction.buffers.push_back(update.buffer);
        reduction.terms.push_back(termIn(values.back(), olds.back()));
    }
    if (updates.size() == 1)
        combineOne(block, reduction, values[0]);
    else if (updates.size() == 2)
        combinePair(block, reduction, olds, values);
    else
        unknown(block, "it combines " + std::to_string(updates.size()) + " values at once");
    for (const ir::Expr &term : reduction.terms) {
        if (std::ranges::any_of(reduction.buffers,
                                [&](const ir::Buffer &b) { return loadsFrom(term, b->data); }))
            unknown(block, "its new term depends on the result so far");
    }
    return reduction;
}

std::int64_t
longestReduction(const ir::PrimFunc &function,
                 const std::function<std::optional<std::int64_t>(const ir::Expr &extent)> &numberOf)
{
    double longest = 1;
    ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
        const auto *block = s.as<ir::Block>();
        double terms = 1;
        for (std::size_t i = 0; block && i < block->iterVars.size(); ++i) {
            if (block->iterVars[i].kind == ir::IterKind::Reduce)
                terms *= static_cast<double>(
                    std::max<std::int64_t>(1, numberOf(block->iterVars[i].domain.extent).value_or(1)));
        }
        longest = std::max(longest, terms);
        return true;
    });
    return static_cast<std::int64_t>(std::min(longest, 1e15));
}

} // namespace nestwright::analysis
