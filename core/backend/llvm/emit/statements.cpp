// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/repeated_reads.h"
#include "core/backend/link/runtime.h"
#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/emit/prefetch.h"
#include "core/backend/llvm/machine.h"
#include "core/codegen/loops.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/dispatch.h"
#include "core/ir/node/attributes.h"
#include "core/ir/node/block_marker.h"
#include "core/support/errors/errors.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace nestwright::backend {

using ir::Stmt;
using ir::StmtKind;
using llvm::BasicBlock;
using llvm::Value;

namespace {

/// Arrays up to this size lie on the stack, all of one function together up to the second.
constexpr std::uint64_t stackArrayBytes = std::uint64_t{32} * 1024;
constexpr std::uint64_t stackFrameBytes = std::uint64_t{256} * 1024;

} // namespace

void Emitter::stmt(const Stmt &s)
{
    switch (s.kind()) {
    case StmtKind::For: {
        const auto &node = *s.as<ir::For>();
        const ir::StmtId outer = m_location;
        setLocation(node.id ? node.id : outer);
        if (!productOfTiles(s))
            loop(node);
        setLocation(outer);
        return;
    }
    case StmtKind::Seq: return sequence(*s.as<ir::Seq>());
    case StmtKind::BufferStore: return store(*s.as<ir::BufferStore>());
    case StmtKind::IfThenElse: return branch(*s.as<ir::IfThenElse>());
    case StmtKind::Evaluate:
        if (!ir::isNoOp(s))
            value(s.as<ir::Evaluate>()->value);
        return;
    case StmtKind::LetStmt: {
        const auto &node = *s.as<ir::LetStmt>();
        return withVar(m_frame.values, node.var, value(node.value), [&] { stmt(node.body); });
    }
    case StmtKind::AttrStmt: return marked(*s.as<ir::AttrStmt>());
    case StmtKind::Allocate: return allocate(*s.as<ir::Allocate>());
    case StmtKind::DeclBuffer: return stmt(s.as<ir::DeclBuffer>()->body);
    case StmtKind::While: return whileLoop(*s.as<ir::While>());
    case StmtKind::AssertStmt: return assertion(*s.as<ir::AssertStmt>());
    case StmtKind::Block: break;
    }
    NW_ASSERT(false, "a block is left in a flat program");
}

/// Bytes of all registers of vectors.
std::int64_t Emitter::registerBytes() const
{
    const llvm::TargetTransformInfo info = m_machine.machine->getTargetTransformInfo(*m_frame.function);
    return std::int64_t{info.getNumberOfRegisters(info.getRegisterClassForType(true))}
           * (m_machine.vectorBits / 8);
}

/// A fence, which is no instruction, stands before what reads again more than there are registers: LLVM would
/// keep what was read first, put it on the stack, and read it from there.
void Emitter::sequence(const ir::Seq &node)
{
    std::vector<bool> isFenced(node.stmts.size());
    if (!m_isKernel)
        isFenced = analysis::repeatedReads(node.stmts, registerBytes());
    for (std::size_t i = 0; i < node.stmts.size(); ++i) {
        if (isFenced[i])
            m_builder.CreateFence(llvm::AtomicOrdering::AcquireRelease, llvm::SyncScope::SingleThread);
        if (i + 1 < node.stmts.size() && clearedProduct(node.stmts[i], node.stmts[i + 1]))
            ++i;
        else
            stmt(node.stmts[i]);
    }
}

void Emitter::marked(const ir::AttrStmt &node)
{
    const ir::StmtId outer = m_location;
    if (const ir::StmtId block = ir::markedBlock(node))
        setLocation(block);
    stmt(node.body);
    setLocation(outer);
}

void Emitter::withVar(ir::VarMap<Value *> &bound, const ir::Var &var, Value *value,
                      const std::function<void()> &body)
{
    const auto found = bound.find(var);
    Value *outer = found == bound.end() ? nullptr : found->second;
    bound.insert_or_assign(var, value);
    body();
    if (outer)
        bound.insert_or_assign(var, outer);
    else
        bound.erase(var);
}

void Emitter::loop(const ir::For &node)
{
    if (m_isKernel && node.forKind == ir::ForKind::ThreadBinding)
        return threadLoop(node);
    if (node.forKind == ir::ForKind::ThreadBinding)
        throw support::UserError(codegen::noSuchThreads(node));
    if (node.forKind == ir::ForKind::Parallel && !m_frame.inParallel) {
        parallelLoop(node);
        return;
    }
    const bool isFree = ir::numberAt(node.annotations, ir::reassociateKey) != 0;
    const bool outer = std::exchange(m_frame.reassociates, m_frame.reassociates || isFree);
    Value *begin = index(node.min);
    iterations(node, begin, m_builder.CreateNSWAdd(begin, index(node.extent)));
    m_frame.reassociates = outer;
}

void Emitter::iterations(const ir::For &node, Value *begin, Value *end)
{
    const auto forms = m_frame.tiles == Tiles::Unasked ? formsWithin(node.body) : std::nullopt;
    if (forms)
        withTiles(*forms, [&] { iterations(node, begin, end); });
    else if (ir::numberAt(node.annotations, ir::streamKey) != 0 && !m_isKernel && m_frame.streamed.empty())
        streamedLoop(node, begin, end);
    else
        loopBody(node, begin, end);
}

/// The end is asked for behind each iteration, and once before the first: LLVM would bring a loop into this
/// form, which takes it time that grows with the square of their number.
void Emitter::loopBody(const ir::For &node, Value *begin, Value *end)
{
    llvm::LLVMContext &context = m_builder.getContext();
    const std::string &name = node.var.name();
    auto *entry = BasicBlock::Create(context, "for." + name, m_frame.function);
    auto *body = BasicBlock::Create(context, "body." + name, m_frame.function);
    auto *leave = BasicBlock::Create(context, "left." + name, m_frame.function);
    auto *after = BasicBlock::Create(context, "end." + name, m_frame.function);
    const auto *first = llvm::dyn_cast<llvm::ConstantInt>(begin);
    const auto *last = llvm::dyn_cast<llvm::ConstantInt>(end);
    if (first && last && first->getSExtValue() < last->getSExtValue())
        m_builder.CreateBr(entry);
    else
        m_builder.CreateCondBr(m_builder.CreateICmpSLT(begin, end), entry, after);
    m_builder.SetInsertPoint(entry);
    m_builder.CreateBr(body);
    m_builder.SetInsertPoint(body);
    llvm::PHINode *counter = m_builder.CreatePHI(m_builder.getInt64Ty(), 2, name);
    counter->addIncoming(begin, entry);
    withVar(m_frame.wide, node.var, counter, [&] { stmt(node.body); });
    setLocation(m_location);
    const bool isNatural = first && !first->isNegative();
    Value *next = m_builder.CreateAdd(counter, m_builder.getInt64(1), name + ".next", isNatural, true);
    counter->addIncoming(next, m_builder.GetInsertBlock());
    llvm::BranchInst *back = m_builder.CreateCondBr(m_builder.CreateICmpSLT(next, end), body, leave);
    std::vector<llvm::Metadata *> hints{nullptr};
    // Loops that a pass made are left as they are: unrolled they would only make the listing long.
    const bool isUnrolled = node.forKind == ir::ForKind::Unrolled || isUnrolledInKernel(node);
    const bool isKept = m_keepsLoops || codegen::staysLoop(node);
    if (isUnrolled || !node.id || isKept) {
        const bool isWished = !isKept && (node.id || m_isKernel);
        const char *wish = isWished ? "llvm.loop.unroll.enable" : "llvm.loop.unroll.disable";
        hints.push_back(llvm::MDNode::get(context, llvm::MDString::get(context, wish)));
    }
    if (const std::int64_t ahead = ir::numberAt(node.annotations, ir::prefetchKey); ahead > 0 && !m_isKernel)
        hints.push_back(prefetchHint(context, ahead));
    if (hints.size() > 1) {
        auto *self = llvm::MDNode::getDistinct(context, hints);
        self->replaceOperandWith(0, self);
        back->setMetadata(llvm::LLVMContext::MD_loop, self);
    }
    m_builder.SetInsertPoint(leave);
    m_builder.CreateBr(after);
    m_builder.SetInsertPoint(after);
}

void Emitter::branch(const ir::IfThenElse &node)
{
    llvm::LLVMContext &context = m_builder.getContext();
    auto *yes = BasicBlock::Create(context, "then", m_frame.function);
    auto *join = BasicBlock::Create(context, "join", m_frame.function);
    auto *no = node.elseCase ? BasicBlock::Create(context, "else", m_frame.function) : join;
    m_builder.CreateCondBr(value(node.condition), yes, no);
    m_builder.SetInsertPoint(yes);
    stmt(node.thenCase);
    m_builder.CreateBr(join);
    if (node.elseCase) {
        m_builder.SetInsertPoint(no);
        stmt(node.elseCase);
        m_builder.CreateBr(join);
    }
    m_builder.SetInsertPoint(join);
}

void Emitter::whileLoop(const ir::While &node)
{
    llvm::LLVMContext &context = m_builder.getContext();
    auto *test = BasicBlock::Create(context, "while", m_frame.function);
    auto *body = BasicBlock::Create(context, "do", m_frame.function);
    auto *after = BasicBlock::Create(context, "done", m_frame.function);
    m_builder.CreateBr(test);
    m_builder.SetInsertPoint(test);
    m_builder.CreateCondBr(value(node.condition), body, after);
    m_builder.SetInsertPoint(body);
    stmt(node.body);
    m_builder.CreateBr(test);
    m_builder.SetInsertPoint(after);
}

/// Runs `body` only where `condition` holds, and records `code` otherwise.
void Emitter::guarded(Value *condition, int code, const Stmt &body)
{
    llvm::LLVMContext &context = m_builder.getContext();
    auto *good = BasicBlock::Create(context, "good", m_frame.function);
    auto *bad = BasicBlock::Create(context, "bad", m_frame.function);
    auto *join = BasicBlock::Create(context, "join", m_frame.function);
    m_builder.CreateCondBr(condition, good, bad);
    m_builder.SetInsertPoint(bad);
    recordError(m_builder.getInt32(static_cast<std::uint32_t>(code)));
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(good);
    stmt(body);
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(join);
}

void Emitter::assertion(const ir::AssertStmt &node)
{
    guarded(value(node.condition), static_cast<int>(KernelCode::AssertionFailed), node.body);
}

void Emitter::recordError(Value *code)
{
    m_recordsError = true;
    Value *old = m_builder.CreateLoad(m_builder.getInt32Ty(), m_frame.errorSlot);
    Value *isError = m_builder.CreateICmpNE(code, m_builder.getInt32(0));
    m_builder.CreateStore(m_builder.CreateSelect(isError, code, old), m_frame.errorSlot);
}

void Emitter::allocate(const ir::Allocate &node)
{
    if (m_isKernel)
        return kernelMemory(node);
    const std::uint64_t unit = static_cast<std::uint64_t>(node.dtype.bytes()) * node.dtype.lanes;
    Value *bytes = m_builder.getInt64(unit);
    for (const ir::Expr &extent : node.extents)
        bytes = m_builder.CreateMul(bytes, index(extent), "", true, true);
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(bytes);
    const std::uint64_t size = known ? known->getZExtValue() : stackArrayBytes + 1;
    if (!m_takesGiven && size <= stackArrayBytes && m_frame.stackBytes + size <= stackFrameBytes) {
        m_frame.stackBytes += size;
        llvm::IRBuilder<> entry(&m_frame.function->getEntryBlock(),
                                m_frame.function->getEntryBlock().begin());
        auto *memory = entry.CreateAlloca(
            memoryType(node.dtype), entry.getInt64(size / static_cast<std::uint64_t>(node.dtype.bytes())),
            node.data.name());
        memory->setAlignment(llvm::Align(64));
        withVar(m_frame.values, node.data, memory, [&] { stmt(node.body); });
        return;
    }
    llvm::LLVMContext &context = m_builder.getContext();
    auto *pointer = llvm::PointerType::getUnqual(context);
    auto alloc = m_unit.getOrInsertFunction("nestwright_alloc", pointer, m_builder.getInt64Ty());
    auto *function = llvm::cast<llvm::Function>(alloc.getCallee());
    function->setReturnDoesNotAlias();
    function->setDoesNotThrow();
    auto release = m_unit.getOrInsertFunction("nestwright_free", m_builder.getVoidTy(), pointer);
    Value *memory = m_builder.CreateCall(alloc, {bytes}, node.data.name());
    Value *isThere = m_builder.CreateICmpNE(memory, llvm::ConstantPointerNull::get(pointer));
    withVar(m_frame.values, node.data, memory,
            [&] { guarded(isThere, static_cast<int>(KernelCode::OutOfMemory), node.body); });
    m_builder.CreateCall(release, {memory}); // of null: does nothing
}

} // namespace nestwright::backend
