// SPDX-License-Identifier: Apache-2.0
/// Kernels of a GPU: what they have beside what a processor has. Names and meanings of LLVM's intrinsics are
/// those of its "User Guide for NVPTX Back-end".
#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/machine.h"
#include "core/codegen/codes.h"
#include "core/codegen/kernel_facts.h"
#include "core/codegen/loops.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/node/attributes.h"
#include "core/ir/shared_memory.h"
#include "core/ir/threads.h"
#include "core/support/errors/errors.h"
#include "core/target/multiprocessor.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>

namespace nestwright::backend {

using ir::DataType;
using llvm::Value;

namespace {

/// Address spaces of NVPTX.
enum Space : unsigned { Generic = 0, OfDevice = 1, OfBlock = 3 };

constexpr std::uint64_t alignment = target::accessBytes.front();
constexpr std::int64_t unrolledIterations = 16;

} // namespace

void Emitter::kernel(const ir::Module::Entry &entry)
{
    m_isKernel = true;
    // Whether it takes memory for an error is known when it is there.
    for (const bool tellsErrors : {true, false}) {
        m_recordsError = false;
        kernel(entry.name, *entry.function, tellsErrors);
        if (m_recordsError || !tellsErrors)
            break;
        m_frame.function->eraseFromParent();
        for (llvm::GlobalVariable &array : llvm::make_early_inc_range(m_unit.globals())) {
            array.removeDeadConstantUsers();
            if (array.use_empty())
                array.eraseFromParent();
        }
    }
    m_isKernel = false;
}

void Emitter::kernel(const std::string &name, const ir::PrimFunc &function, bool tellsErrors)
{
    setArithmetic(function);
    llvm::LLVMContext &context = m_builder.getContext();
    auto *pointer = llvm::PointerType::get(context, OfDevice);
    std::vector<llvm::Type *> types;
    for (const ir::Param &param : function.params)
        types.push_back(param.buffer || param.var.dtype().isHandle() ? pointer
                                                                     : memoryType(param.var.dtype()));
    if (tellsErrors)
        types.push_back(pointer);
    llvm::Function *made = makeFunction(name, m_builder.getVoidTy(), types, true);
    m_location = {};
    beginFrame(made);
    m_frame.inParallel = true; // loops that run side by side are bound to threads
    makeSharedPiece(function.body);
    const ir::VarSet written = codegen::writtenIn(function.body);
    for (unsigned i = 0; i < function.params.size(); ++i) {
        const ir::Param &param = function.params[i];
        llvm::Argument *argument = made->getArg(i);
        argument->setName(param.buffer ? param.buffer.name() : param.var.name());
        if (!param.buffer) {
            bindScalar(param.var, argument);
            continue;
        }
        argument->addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(alignment)));
        if (ir::isNoAlias(function, i))
            argument->addAttr(llvm::Attribute::NoAlias);
        if (!written.contains(param.buffer->data))
            argument->addAttr(llvm::Attribute::ReadOnly);
        m_frame.values[param.buffer->data] = argument;
    }
    stmt(function.body);
    if (tellsErrors)
        storeError(made->getArg(static_cast<unsigned>(function.params.size())));
    m_builder.CreateRetVoid();
    annotate(made, function.body);
}

/// One piece of memory for the shared arrays of a kernel, where some lie where others lay before, or where
/// they need so much that a launch gives it.
void Emitter::makeSharedPiece(const ir::Stmt &kernel)
{
    m_sharedLayout = analysis::sharedLayoutOf(kernel);
    m_sharedPiece = nullptr;
    if (!m_sharedLayout.isPiece(target::sharedOfKernel))
        return;
    const bool isGiven = m_sharedLayout.bytes > target::sharedOfKernel;
    auto *array = llvm::ArrayType::get(m_builder.getInt8Ty(),
                                       isGiven ? 0 : static_cast<std::uint64_t>(m_sharedLayout.bytes));
    m_sharedPiece = new llvm::GlobalVariable(m_unit, array, false,
                                             isGiven ? llvm::GlobalValue::ExternalLinkage
                                                     : llvm::GlobalValue::InternalLinkage,
                                             isGiven ? nullptr : llvm::UndefValue::get(array), "nw_shared",
                                             nullptr, llvm::GlobalValue::NotThreadLocal, OfBlock);
    m_sharedPiece->setAlignment(llvm::Align(alignment));
}

void Emitter::storeError(Value *place)
{
    llvm::LLVMContext &context = m_builder.getContext();
    auto *bad = llvm::BasicBlock::Create(context, "failed", m_frame.function);
    auto *end = llvm::BasicBlock::Create(context, "left", m_frame.function);
    Value *code = m_builder.CreateLoad(m_builder.getInt32Ty(), m_frame.errorSlot);
    m_builder.CreateCondBr(m_builder.CreateICmpNE(code, m_builder.getInt32(0)), bad, end);
    m_builder.SetInsertPoint(bad);
    m_builder.CreateStore(code, place);
    m_builder.CreateBr(end);
    m_builder.SetInsertPoint(end);
}

/// Says that a function is a kernel, and with how many threads it is launched at most.
void Emitter::annotate(llvm::Function *kernel, const ir::Stmt &body)
{
    llvm::LLVMContext &context = m_builder.getContext();
    llvm::NamedMDNode *annotations = m_unit.getOrInsertNamedMetadata("nvvm.annotations");
    const auto add = [&](const char *name, std::int64_t value) {
        annotations->addOperand(llvm::MDNode::get(
            context, {llvm::ValueAsMetadata::get(kernel), llvm::MDString::get(context, name),
                      llvm::ValueAsMetadata::get(m_builder.getInt32(static_cast<std::uint32_t>(value)))}));
    };
    add("kernel", 1);
    constexpr std::array names{"maxntidx", "maxntidy", "maxntidz"};
    const auto threads = codegen::threadsOf(body);
    for (std::size_t i = 0;
         i < names.size() && std::ranges::none_of(threads, [](auto n) { return n < 0; }); ++i)
        add(names[i], threads[i]);
}

void Emitter::threadLoop(const ir::For &node)
{
    const auto axis = ir::threadAxisOf(node);
    if (!axis || axis->rank == ir::ThreadRank::Virtual)
        throw support::UserError(codegen::noSuchThreads(node));
    using namespace llvm::Intrinsic;
    constexpr std::array ofBlocks{nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y,
                                  nvvm_read_ptx_sreg_ctaid_z};
    constexpr std::array ofThreads{nvvm_read_ptx_sreg_tid_x, nvvm_read_ptx_sreg_tid_y,
                                   nvvm_read_ptx_sreg_tid_z};
    const auto &numbers = axis->rank == ir::ThreadRank::Block ? ofBlocks : ofThreads;
    llvm::CallInst *number = m_builder.CreateIntrinsic(numbers[axis->dimension], {}, {});
    if (const std::int64_t *extent = ir::asInt(node.extent)) {
        llvm::MDBuilder ranges(m_builder.getContext());
        number->setMetadata(
            llvm::LLVMContext::MD_range,
            ranges.createRange(llvm::APInt(32, 0), llvm::APInt(32, static_cast<std::uint64_t>(*extent))));
    }
    Value *wide = m_builder.CreateZExt(number, m_builder.getInt64Ty(), node.var.name());
    withVar(m_frame.wide, node.var, wide, [&] { stmt(node.body); });
}

void Emitter::kernelMemory(const ir::Allocate &node)
{
    const auto bytes = analysis::constantBytes(node);
    if (!bytes)
        throw support::UserError(
            support::diagnostic(codegen::codes::unsupported,
                                "the size of '" + node.data.name() + "' is not known before the program runs")
                .withHint("a kernel's own memory has a constant size: make the extents of the loops around "
                          "it constant"));
    auto *array =
        llvm::ArrayType::get(memoryType(node.dtype), static_cast<std::uint64_t>(*bytes / node.dtype.bytes()));
    Value *memory = nullptr;
    if (ir::memoryRankOf(node.scope) == ir::MemoryRank::Block && m_sharedPiece) {
        const std::int64_t offset = m_sharedLayout.find(node.data)->offset;
        memory = m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), m_sharedPiece,
                                                      static_cast<std::uint64_t>(offset), node.data.name());
    } else if (ir::memoryRankOf(node.scope) == ir::MemoryRank::Block) {
        auto *shared = new llvm::GlobalVariable(m_unit, array, false, llvm::GlobalValue::InternalLinkage,
                                                llvm::UndefValue::get(array), node.data.name(), nullptr,
                                                llvm::GlobalValue::NotThreadLocal, OfBlock);
        shared->setAlignment(llvm::Align(alignment));
        memory = shared;
    } else {
        llvm::IRBuilder<> entry(&m_frame.function->getEntryBlock(),
                                m_frame.function->getEntryBlock().begin());
        auto *local = entry.CreateAlloca(array, nullptr, node.data.name());
        local->setAlignment(llvm::Align(alignment));
        memory = local;
    }
    withVar(m_frame.values, node.data, memory, [&] { stmt(node.body); });
}

/// Arrays of a thread are registers only where their indices are constants.
bool Emitter::isUnrolledInKernel(const ir::For &node) const
{
    const std::int64_t *extent = ir::asInt(node.extent);
    return m_isKernel && extent && *extent <= unrolledIterations;
}

/// A value of another thread of the warp; `exchange` is the intrinsic for 32 bits, `clamp` its last operand.
Value *Emitter::exchanged(const ir::Call &node, llvm::Intrinsic::ID exchange, Value *clamp)
{
    Value *mask = m_builder.CreateIntCast(value(node.args[0]), m_builder.getInt32Ty(), false);
    Value *given = value(node.args[1]);
    Value *lane = m_builder.CreateIntCast(value(node.args[2]), m_builder.getInt32Ty(), true);
    const unsigned bits = given->getType()->getScalarSizeInBits();
    if (given->getType()->isVectorTy() || bits > 64)
        unsupported("the exchange of " + node.args[1].dtype().str() + " between threads");
    Value *word = m_builder.CreateBitCast(given, m_builder.getIntNTy(bits));
    const auto move = [&](Value *part) {
        return m_builder.CreateIntrinsic(exchange, {}, {mask, part, lane, clamp});
    };
    if (bits <= 32) {
        Value *moved = move(m_builder.CreateZExt(word, m_builder.getInt32Ty()));
        return m_builder.CreateBitCast(m_builder.CreateTrunc(moved, word->getType()), given->getType());
    }
    Value *low = move(m_builder.CreateTrunc(word, m_builder.getInt32Ty()));
    Value *high = move(m_builder.CreateTrunc(m_builder.CreateLShr(word, 32), m_builder.getInt32Ty()));
    Value *both = m_builder.CreateOr(m_builder.CreateZExt(low, word->getType()),
                                     m_builder.CreateShl(m_builder.CreateZExt(high, word->getType()), 32));
    return m_builder.CreateBitCast(both, given->getType());
}

/// Barriers, exchanges within a warp, functions that the hardware approximates; null for what else there is.
Value *Emitter::ofKernel(const ir::Call &node)
{
    using namespace ir::intrinsics;
    if (node.callee == tvmStorageSync)
        return m_builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
    if (node.callee == tvmWarpActiveMask) {
        auto *type = llvm::FunctionType::get(m_builder.getInt32Ty(), false);
        Value *mask = m_builder.CreateCall(llvm::InlineAsm::get(type, "activemask.b32 $0;", "=r", true));
        return m_builder.CreateIntCast(mask, valueType(node.dtype), false);
    }
    // Parts of a warp of `width` lanes exchange among themselves: PTX ISA, "shfl.sync".
    constexpr std::uint32_t lastLane = 0x1f, segmentAt = 8, warp = 32;
    const auto clampOf = [&](std::uint32_t last) {
        Value *width = m_builder.CreateIntCast(value(node.args[3]), m_builder.getInt32Ty(), true);
        Value *segment = m_builder.CreateShl(m_builder.CreateSub(m_builder.getInt32(warp), width), segmentAt);
        return m_builder.CreateOr(segment, m_builder.getInt32(last));
    };
    if (node.callee == tvmWarpShuffle)
        return exchanged(node, llvm::Intrinsic::nvvm_shfl_sync_idx_i32, clampOf(lastLane));
    if (node.callee == tvmWarpShuffleUp)
        return exchanged(node, llvm::Intrinsic::nvvm_shfl_sync_up_i32, clampOf(0));
    if (node.callee == tvmWarpShuffleDown)
        return exchanged(node, llvm::Intrinsic::nvvm_shfl_sync_down_i32, clampOf(lastLane));
    if (node.dtype != DataType::float32() || node.args.size() != 1)
        return nullptr;
    constexpr double naturalPerBinary = 0.69314718055994530942; // ln 2
    if (node.callee == exp2)
        return m_builder.CreateIntrinsic(llvm::Intrinsic::nvvm_ex2_approx_f, {}, {value(node.args[0])});
    if (node.callee == log2 || node.callee == log) {
        Value *binary =
            m_builder.CreateIntrinsic(llvm::Intrinsic::nvvm_lg2_approx_f, {}, {value(node.args[0])});
        return node.callee == log2
                   ? binary
                   : m_builder.CreateFMul(binary, llvm::ConstantFP::get(binary->getType(), naturalPerBinary));
    }
    return nullptr;
}

} // namespace nestwright::backend
