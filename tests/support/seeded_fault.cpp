// SPDX-License-Identifier: Apache-2.0
#include "tests/support/seeded_fault.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"

#include <format>

namespace nestwright::tests {

using ir::BinaryOp;
using ir::Expr;
using ir::Stmt;

namespace {

/// Counts the places for faults, and changes the one whose number it is given.
class Mutator final : public ir::Rewriter {
public:
    explicit Mutator(std::int64_t chosen) : m_chosen(chosen) {}

    std::int64_t places = 0;
    std::string about;

    Expr expr(const Expr &e) override
    {
        const Expr rebuilt = children(e);
        if (const auto *imm = e.as<ir::FloatImm>(); imm && isHere("another constant"))
            return ir::floatImm(imm->value == 0 ? 0.25 : imm->value * 1.5, e.dtype());
        if (const auto *imm = e.as<ir::IntImm>(); imm && !e.dtype().isBool() && isHere("an integer more"))
            return ir::intImm(imm->value + 1, e.dtype());
        if (const auto *load = rebuilt.as<ir::BufferLoad>(); load && !load->indices.empty()
                                                             && !load->indices.back().dtype().isVector()
                                                             && isHere("an index more"))
            return moved(*load);
        const auto *binary = rebuilt.as<ir::Binary>();
        return binary ? operation(rebuilt, *binary) : rebuilt;
    }

    Stmt stmt(const Stmt &s) override
    {
        Stmt rebuilt = children(s);
        if (const auto *loop = rebuilt.as<ir::For>(); loop && isHere("an iteration less")) {
            ir::For changed = *loop;
            changed.extent = ir::binary(BinaryOp::Sub, loop->extent, ir::constant(1, loop->extent.dtype()));
            return ir::make(std::move(changed));
        }
        if (const auto *block = rebuilt.as<ir::Block>(); block && block->init && isHere("no init")) {
            ir::Block changed = *block;
            changed.init = {};
            return ir::make(std::move(changed));
        }
        if (rebuilt.as<ir::BufferStore>() && isHere("no store"))
            return ir::evaluate(ir::intImm(0, ir::DataType::int32()));
        return rebuilt;
    }

private:
    bool isHere(std::string_view what)
    {
        if (places++ != m_chosen)
            return false;
        about = what;
        return true;
    }

    static Expr moved(const ir::BufferLoad &load)
    {
        ir::BufferLoad changed = load;
        changed.indices.back() = changed.indices.back() + ir::constant(1, changed.indices.back().dtype());
        return ir::make(std::move(changed));
    }

    Expr operation(const Expr &e, const ir::Binary &binary)
    {
        const auto instead = [&](BinaryOp op) { return ir::binary(op, binary.a, binary.b); };
        switch (binary.op) {
        case BinaryOp::Sub:
        case BinaryOp::Div:
        case BinaryOp::FloorDiv:
            return isHere("swapped operands") ? ir::binary(binary.op, binary.b, binary.a) : e;
        case BinaryOp::Add: return isHere("a difference for a sum") ? instead(BinaryOp::Sub) : e;
        case BinaryOp::Mul: return isHere("a sum for a product") ? instead(BinaryOp::Add) : e;
        case BinaryOp::Max: return isHere("a minimum for a maximum") ? instead(BinaryOp::Min) : e;
        case BinaryOp::LT: return isHere("<= for <") ? instead(BinaryOp::LE) : e;
        default: return e;
        }
    }

    std::int64_t m_chosen;
};

} // namespace

SeededFault withFault(const ir::Module &module, Random &random)
{
    const ir::Module::Entry *entry = module.mainEntry();
    if (!entry)
        return {module, {}};
    Mutator counter(-1);
    (void)counter.function(entry->function);
    if (counter.places == 0)
        return {module, {}};
    Mutator mutator(random.below(counter.places));
    ir::Function changed = mutator.function(entry->function);
    return {module.with(entry->name, std::move(changed)), mutator.about};
}

} // namespace nestwright::tests
