// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/emit/prefetch.h"

#include "core/backend/llvm/machine.h"
#include "core/target/machine.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

namespace nestwright::backend {

namespace {

constexpr llvm::StringLiteral hintName = "nestwright.prefetch";
/// More in an iteration would take longer than what they fetch is worth.
constexpr std::int64_t mostPrefetches = 64;

/// The bytes of the hint of a loop; 0 where it has none.
std::int64_t hintedBytes(const llvm::Loop &loop)
{
    const llvm::MDNode *hints = loop.getLoopID();
    for (unsigned i = 1; hints && i < hints->getNumOperands(); ++i) {
        const auto *hint = llvm::dyn_cast<llvm::MDNode>(hints->getOperand(i));
        const auto *name = hint && hint->getNumOperands() == 2
                               ? llvm::dyn_cast<llvm::MDString>(hint->getOperand(0))
                               : nullptr;
        if (name && name->getString() == hintName)
            return llvm::mdconst::extract<llvm::ConstantInt>(hint->getOperand(1))->getSExtValue();
    }
    return 0;
}

/// Memory that one load reads in the iterations of a loop.
struct Stream {
    llvm::LoadInst *load = nullptr;
    const llvm::SCEV *start = nullptr;
    std::int64_t step = 0;  ///< bytes from one iteration to the next
    std::int64_t bytes = 0; ///< of the load
};

std::optional<Stream> streamOf(llvm::LoadInst &load, llvm::Loop &loop, llvm::ScalarEvolution &evolution)
{
    const auto *place = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(load.getPointerOperand()));
    if (!place || place->getLoop() != &loop || !place->isAffine())
        return std::nullopt;
    const llvm::Loop *outer = loop.getParentLoop();
    if (outer && evolution.isLoopInvariant(place->getStart(), outer))
        return std::nullopt; // read by each run of the loop: it is in a cache
    const auto *step = llvm::dyn_cast<llvm::SCEVConstant>(place->getStepRecurrence(evolution));
    if (!step || step->getValue()->isZero() || load.getType()->isScalableTy())
        return std::nullopt;
    const auto size = load.getModule()->getDataLayout().getTypeStoreSize(load.getType());
    return Stream{&load, place->getStart(), step->getAPInt().getSExtValue(),
                  static_cast<std::int64_t>(size.getFixedValue())};
}

/// Whether a stream's lines are among those of one that was taken.
bool isCovered(const Stream &stream, const std::vector<Stream> &taken, llvm::ScalarEvolution &evolution)
{
    return std::ranges::any_of(taken, [&](const Stream &other) {
        const auto *apart =
            llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(stream.start, other.start));
        if (!apart || stream.step != other.step)
            return false;
        const std::int64_t distance = apart->getAPInt().getSExtValue();
        return distance > -target::lineBytes && distance + stream.bytes < other.bytes + target::lineBytes;
    });
}

bool prefetchIn(llvm::Loop &loop, std::int64_t ahead, llvm::ScalarEvolution &evolution)
{
    std::vector<Stream> streams;
    std::int64_t prefetches = 0;
    for (llvm::BasicBlock *block : loop.blocks()) {
        for (llvm::Instruction &instruction : *block) {
            auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            const auto stream = load ? streamOf(*load, loop, evolution) : std::nullopt;
            if (!stream || isCovered(*stream, streams, evolution))
                continue;
            prefetches += (stream->bytes + target::lineBytes - 1) / target::lineBytes;
            if (prefetches > mostPrefetches)
                return !streams.empty();
            streams.push_back(*stream);
        }
    }
    // If a stream consumes half a line or more per iteration, the hardware prefetches the others.
    const auto isFast = [](const Stream &stream) { return 2 * std::abs(stream.step) >= target::lineBytes; };
    if (std::ranges::any_of(streams, isFast))
        std::erase_if(streams, std::not_fn(isFast));
    for (const Stream &stream : streams) {
        llvm::IRBuilder<> builder(stream.load);
        for (std::int64_t line = 0; line < stream.bytes; line += target::lineBytes) {
            const std::int64_t offset = (stream.step < 0 ? -ahead : ahead) + line;
            llvm::Value *place = builder.CreateGEP(builder.getInt8Ty(), stream.load->getPointerOperand(),
                                                   builder.getInt64(static_cast<std::uint64_t>(offset)));
            constexpr unsigned forReading = 0, keptClose = 3, data = 1;
            builder.CreateIntrinsic(
                llvm::Intrinsic::prefetch, {place->getType()},
                {place, builder.getInt32(forReading), builder.getInt32(keptClose), builder.getInt32(data)});
        }
    }
    return !streams.empty();
}

struct PrefetchPass : llvm::PassInfoMixin<PrefetchPass> {
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
    {
        bool hasChanged = false;
        for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
            if (const std::int64_t ahead = hintedBytes(*loop); ahead > 0)
                hasChanged =
                    prefetchIn(*loop, ahead, analyses.getResult<llvm::ScalarEvolutionAnalysis>(function))
                    || hasChanged;
        }
        if (!hasChanged)
            return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }
};

} // namespace

llvm::MDNode *prefetchHint(llvm::LLVMContext &context, std::int64_t bytes)
{
    auto *amount = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), static_cast<std::uint64_t>(bytes));
    return llvm::MDNode::get(context,
                             {llvm::MDString::get(context, hintName), llvm::ConstantAsMetadata::get(amount)});
}

void addPrefetching(llvm::PassBuilder &builder)
{
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(PrefetchPass()));
    });
}

} // namespace nestwright::backend
