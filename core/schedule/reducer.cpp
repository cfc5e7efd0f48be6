// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/reducer.h"

#include "core/ir/builder.h"
#include "core/ir/equality.h"

#include <algorithm>

namespace nestwright::schedule {

using support::diagnostic;

ir::Expr Reduction::combine(const ir::Expr &a, const ir::Expr &b) const { return ir::binaryNode(op, a, b); }

namespace {

[[noreturn]] void unknown(const ir::Block &block, const std::string &why)
{
    refuse(diagnostic("schedule.unknown-reducer", "the reduction of block '" + block.name
                                                      + "' is not one that can be taken apart: " + why)
               .at(block.id)
               .withHint("a single sum, product, minimum or maximum can be"));
}

bool isLoadOf(const ir::Expr &e, const ir::BufferStore &store)
{
    const auto *load = e.as<ir::BufferLoad>();
    return load && load->buffer == store.buffer
           && std::ranges::equal(load->indices, store.indices, [](const ir::Expr &a, const ir::Expr &b) {
                  return ir::structurallyEqual(a, b);
              });
}

/// Whether combining with `init` changes nothing. For min and max any start may be taken again in each part.
bool isNeutral(ir::BinaryOp op, const ir::Expr &init)
{
    const auto *number = init.as<ir::FloatImm>();
    const auto is = [&](double value) {
        return number ? number->value == value : ir::isConstInt(init, static_cast<std::int64_t>(value));
    };
    switch (op) {
    case ir::BinaryOp::Add: return is(0);
    case ir::BinaryOp::Mul: return is(1);
    default: return number || ir::asInt(init);
    }
}

} // namespace

Reduction reductionOf(const ir::Block &block)
{
    const auto *init = block.init.as<ir::BufferStore>();
    const auto *update = block.body.as<ir::BufferStore>();
    if (!init || !update || !(init->buffer == update->buffer))
        unknown(block, "its init and its body are not one store each");
    const auto *combined = update->value.as<ir::Binary>();
    using ir::BinaryOp;
    constexpr BinaryOp known[] = {BinaryOp::Add, BinaryOp::Mul, BinaryOp::Min, BinaryOp::Max};
    if (!combined || std::ranges::find(known, combined->op) == std::end(known))
        unknown(block, "its value is not a sum, product, minimum or maximum");
    const bool first = isLoadOf(combined->a, *update);
    if (!first && !isLoadOf(combined->b, *update))
        unknown(block, "it does not combine an element with a new term");
    if (!isNeutral(combined->op, init->value))
        unknown(block, "it does not begin with the neutral element");
    return {.buffer = update->buffer,
            .indices = update->indices,
            .op = combined->op,
            .identity = init->value,
            .term = first ? combined->b : combined->a};
}

} // namespace nestwright::schedule
