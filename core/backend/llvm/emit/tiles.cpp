// SPDX-License-Identifier: Apache-2.0
// Nests that sum up products of matrices, in registers of the processor that hold tiles of them.
#include "core/analysis/kernel/tile_product.h"
#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/isa/processor_family.h"
#include "core/backend/llvm/machine.h"
#include "core/ir/node/attributes.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

namespace nestwright::backend {

using analysis::TileProduct;
using llvm::BasicBlock;
using llvm::Value;

/// The product that a nest computes, where the processor has the instructions for it.
std::optional<TileProduct> Emitter::tileProduct(const ir::Stmt &nest) const
{
    const auto *node = nest.as<ir::For>();
    const TileUnit *unit = m_machine.family->tiles();
    if (!unit || !node || ir::numberAt(node->annotations, ir::tileKey) == 0 || m_isKernel || !m_noalias)
        return {};
    auto product = analysis::tileProductOf(nest);
    if (!product || !unit->has(*m_machine.machine, *product))
        return {};
    return product;
}

bool Emitter::isCleared(const ir::Stmt &before, const ir::Stmt &nest) const
{
    const auto product = tileProduct(nest);
    return product && analysis::clearsResult(before, *product);
}

std::optional<TileForms> Emitter::formsWithin(const ir::Stmt &s) const
{
    if (const auto *loop = s.as<ir::For>()) {
        if (const auto product = tileProduct(s))
            return m_machine.family->tiles()->formsOf(*product);
        const bool isOutlined = loop->forKind == ir::ForKind::Parallel && !m_frame.inParallel;
        return isOutlined ? std::nullopt : formsWithin(loop->body); // threads have registers of their own
    }
    if (const auto *mark = s.as<ir::AttrStmt>())
        return formsWithin(mark->body);
    if (const auto *let = s.as<ir::LetStmt>())
        return formsWithin(let->body);
    const auto *parts = s.as<ir::Seq>();
    std::optional<TileForms> common;
    for (std::size_t i = 0; parts && i < parts->stmts.size(); ++i) {
        if (i + 1 < parts->stmts.size() && isCleared(parts->stmts[i], parts->stmts[i + 1]))
            continue;
        const auto forms = formsWithin(parts->stmts[i]);
        if (!forms || (common && *common != *forms))
            return {};
        common = forms;
    }
    return common;
}

/// Setting the forms takes as long as some ten products.
void Emitter::withTiles(const TileForms &forms, const std::function<void()> &body)
{
    llvm::LLVMContext &context = m_builder.getContext();
    const TileUnit &unit = *m_machine.family->tiles();
    auto *tiles = BasicBlock::Create(context, "tiles", m_frame.function);
    auto *plain = BasicBlock::Create(context, "plain", m_frame.function);
    auto *join = BasicBlock::Create(context, "join", m_frame.function);
    auto ask = m_unit.getOrInsertFunction(unit.question(), m_builder.getInt32Ty());
    auto *asked = llvm::cast<llvm::Function>(ask.getCallee());
    asked->setDoesNotThrow();
    asked->setOnlyAccessesInaccessibleMemory();
    m_builder.CreateCondBr(m_builder.CreateIsNotNull(m_builder.CreateCall(ask)), tiles, plain,
                           llvm::MDBuilder(context).createBranchWeights(1000, 1));
    m_builder.SetInsertPoint(tiles);
    unit.setForms(m_builder, m_unit, forms);
    m_frame.tiles = Tiles::Ready;
    body();
    unit.release(m_builder);
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(plain);
    m_frame.tiles = Tiles::Absent;
    body();
    m_frame.tiles = Tiles::Unasked;
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(join);
}

bool Emitter::productOfTiles(const ir::Stmt &nest, const ir::Stmt &before)
{
    const auto product = tileProduct(nest);
    if (!product || m_frame.tiles == Tiles::Absent)
        return false;
    const TileUnit &unit = *m_machine.family->tiles();
    const auto emit = [&] {
        const TilePlaces first{index(product->a.first), index(product->b.first), index(product->c.first)};
        unit.product(m_builder, *product, first, before ? TileBegin::AtZero : TileBegin::AsInMemory,
                     [&](const ir::Buffer &buffer, Value *place) { return address(buffer, place); });
    };
    if (m_frame.tiles == Tiles::Ready) {
        emit();
        return true;
    }
    withTiles(unit.formsOf(*product), [&] {
        if (m_frame.tiles == Tiles::Ready)
            return emit();
        if (before)
            stmt(before);
        stmt(nest);
    });
    return true;
}

bool Emitter::clearedProduct(const ir::Stmt &before, const ir::Stmt &nest)
{
    if (!isCleared(before, nest))
        return false;
    const ir::StmtId outer = m_location, own = nest.as<ir::For>()->id;
    setLocation(own ? own : outer);
    const bool isDone = productOfTiles(nest, before);
    setLocation(outer);
    return isDone;
}

} // namespace nestwright::backend
