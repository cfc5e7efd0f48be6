// SPDX-License-Identifier: Apache-2.0
/// Loops whose results go to memory past the caches.
#include "core/arith/analyzer.h"
#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/isa/processor_family.h"
#include "core/backend/llvm/machine.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/target/machine.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

namespace nestwright::backend {

using llvm::BasicBlock;
using llvm::Value;

namespace {

/// Buffers that vectors are stored to.
class StoredVectors final : public ir::Visitor {
public:
    explicit StoredVectors(const ir::Stmt &body) { stmt(body); }
    std::vector<ir::Buffer> buffers;

    void stmt(const ir::Stmt &s) override
    {
        const auto *store = s.as<ir::BufferStore>();
        if (store && fillsLines(store->buffer, store->indices.front())
            && std::ranges::find(buffers, store->buffer) == buffers.end())
            buffers.push_back(store->buffer);
        children(s);
    }
};

} // namespace

bool fillsLines(const ir::Buffer &buffer, const ir::Expr &index)
{
    const auto *steps = index.as<ir::Ramp>();
    const std::int64_t bytes = buffer.dtype().bytes();
    if (!steps || !ir::isConstInt(steps->stride, 1) || index.dtype().lanes * bytes % target::lineBytes != 0
        || (buffer->elemOffset && !ir::isConstInt(buffer->elemOffset, 0)))
        return false;
    const std::int64_t elements = target::lineBytes / bytes;
    const arith::ModularSet set = arith::Analyzer().modularSet(steps->base);
    return set.coeff % elements == 0 && set.base % elements == 0;
}

void Emitter::storeLine(Value *lanes, Value *place)
{
    llvm::StoreInst *store = m_builder.CreateAlignedStore(lanes, place, llvm::Align(target::lineBytes));
    auto *one = llvm::ConstantAsMetadata::get(m_builder.getInt32(1));
    store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(m_builder.getContext(), {one}));
}

/// Streams if all buffers begin at a cache line; otherwise the same loop uses ordinary stores. Memory that
/// is allocated in the loop stays in the cache.
void Emitter::streamedLoop(const ir::For &node, Value *begin, Value *end)
{
    std::vector<ir::Buffer> buffers = StoredVectors(node.body).buffers;
    std::erase_if(buffers, [&](const ir::Buffer &each) { return !m_frame.values.contains(each->data); });
    if (buffers.empty())
        return loopBody(node, begin, end);
    Value *areAligned = m_builder.getTrue();
    for (const ir::Buffer &buffer : buffers) {
        Value *place = m_builder.CreatePtrToInt(m_frame.values.at(buffer->data), m_builder.getInt64Ty());
        areAligned = m_builder.CreateAnd(
            areAligned, m_builder.CreateIsNull(m_builder.CreateAnd(place, target::lineBytes - 1)));
    }
    llvm::LLVMContext &context = m_builder.getContext();
    auto *streamed = BasicBlock::Create(context, "streamed", m_frame.function);
    auto *plain = BasicBlock::Create(context, "plain", m_frame.function);
    auto *join = BasicBlock::Create(context, "join", m_frame.function);
    m_builder.CreateCondBr(areAligned, streamed, plain);
    m_builder.SetInsertPoint(streamed);
    m_frame.streamed = std::move(buffers);
    loopBody(node, begin, end);
    m_frame.streamed.clear();
    m_machine.family->orderStreamedStores(m_builder);
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(plain);
    loopBody(node, begin, end);
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(join);
}

} // namespace nestwright::backend
