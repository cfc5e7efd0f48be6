// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/emit/lane_loads.h"

#include <algorithm>
#include <span>
#include <vector>

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

namespace nestwright::backend {

namespace {

/// A load of one number that is broadcast.
struct LaneLoad {
    llvm::LoadInst *load = nullptr;
    std::int64_t offset = 0; ///< bytes behind the first load of its row
};

/// Loads of one type whose places are known bytes apart, between two writes to memory.
struct Row {
    const llvm::SCEV *start = nullptr;
    llvm::Type *type = nullptr;
    std::vector<LaneLoad> loads;
};

/// Whether `value` becomes all lanes of a vector and nothing else: insertelement, then shuffles.
bool isBroadcastAlone(const llvm::Value &value)
{
    const auto isAllLanes = [](const llvm::User *user) {
        const auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(user);
        return shuffle && shuffle->isZeroEltSplat();
    };
    return !value.use_empty() && std::ranges::all_of(value.users(), [&](const llvm::User *user) {
        const auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(user);
        return insert && insert->getOperand(1) == &value && llvm::isa<llvm::UndefValue>(insert->getOperand(0))
               && llvm::cast<llvm::Constant>(insert->getOperand(2))->isNullValue()
               && !insert->getType()->isScalableTy() && std::ranges::all_of(insert->users(), isAllLanes);
    });
}

/// Adds the load to a row that it belongs to, or begins one.
void addTo(std::vector<Row> &rows, llvm::LoadInst &load, llvm::ScalarEvolution &evolution)
{
    const llvm::SCEV *place = evolution.getSCEV(load.getPointerOperand());
    for (Row &row : rows) {
        if (row.type != load.getType())
            continue;
        if (const auto *apart =
                llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(place, row.start))) {
            row.loads.push_back({&load, apart->getAPInt().getSExtValue()});
            return;
        }
    }
    rows.push_back({place, load.getType(), {{&load, 0}}});
}

/// Replaces loads of neighbours, in the order of their places, by one of them all, where the first stands.
void join(std::span<const LaneLoad> neighbours)
{
    const auto first = std::ranges::min_element(
        neighbours, [](const LaneLoad &a, const LaneLoad &b) { return a.load->comesBefore(b.load); });
    llvm::IRBuilder<> builder(first->load);
    auto *type = llvm::FixedVectorType::get(first->load->getType(), static_cast<unsigned>(neighbours.size()));
    llvm::Value *place = builder.CreateGEP(
        builder.getInt8Ty(), first->load->getPointerOperand(),
        builder.getInt64(static_cast<std::uint64_t>(neighbours.front().offset - first->offset)));
    llvm::Value *all = builder.CreateAlignedLoad(type, place, neighbours.front().load->getAlign());
    for (std::size_t lane = 0; lane < neighbours.size(); ++lane) {
        llvm::LoadInst *load = neighbours[lane].load;
        for (llvm::User *insert : llvm::make_early_inc_range(load->users())) {
            for (llvm::User *user : llvm::make_early_inc_range(insert->users())) {
                auto *shuffle = llvm::cast<llvm::ShuffleVectorInst>(user);
                const std::vector<int> mask(shuffle->getShuffleMask().size(), static_cast<int>(lane));
                builder.SetInsertPoint(shuffle);
                shuffle->replaceAllUsesWith(builder.CreateShuffleVector(all, mask));
                shuffle->eraseFromParent();
            }
            llvm::cast<llvm::Instruction>(insert)->eraseFromParent();
        }
        load->eraseFromParent();
    }
}

/// Whether any were joined.
bool joinIn(Row &row, std::int64_t vectorBytes)
{
    std::ranges::sort(row.loads, {}, &LaneLoad::offset);
    const auto bytes = std::max<std::int64_t>(1, row.type->getPrimitiveSizeInBits().getFixedValue() / 8);
    bool hasChanged = false;
    for (std::size_t begin = 0; begin < row.loads.size();) {
        std::size_t end = begin + 1;
        while (end < row.loads.size() && row.loads[end].offset == row.loads[end - 1].offset + bytes)
            ++end;
        for (std::int64_t size = vectorBytes; size >= 2 * bytes; size /= 2) {
            const auto lanes = static_cast<std::size_t>(size / bytes);
            for (; begin + lanes <= end; begin += lanes, hasChanged = true)
                join(std::span(row.loads).subspan(begin, lanes));
        }
        begin = end;
    }
    return hasChanged;
}

bool joinIn(llvm::BasicBlock &block, llvm::ScalarEvolution &evolution, std::int64_t vectorBytes)
{
    bool hasChanged = false;
    std::vector<Row> rows;
    const auto finish = [&] {
        for (Row &row : rows)
            hasChanged = joinIn(row, vectorBytes) || hasChanged;
        rows.clear();
    };
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
        auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load && load->isSimple() && load->getType()->isFloatingPointTy() && isBroadcastAlone(*load))
            addTo(rows, *load, evolution);
        else if (instruction.mayWriteToMemory()
                 || !llvm::isGuaranteedToTransferExecutionToSuccessor(&instruction))
            finish();
    }
    finish();
    return hasChanged;
}

struct LaneLoadPass : llvm::PassInfoMixin<LaneLoadPass> {
    explicit LaneLoadPass(int vectorBits) : vectorBytes(vectorBits / 8) {}

    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
    {
        auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
        bool hasChanged = false;
        for (llvm::BasicBlock &block : function)
            hasChanged = joinIn(block, evolution, vectorBytes) || hasChanged;
        if (!hasChanged)
            return llvm::PreservedAnalyses::all();
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }

    std::int64_t vectorBytes;
};

} // namespace

void addLaneLoads(llvm::PassBuilder &builder, int vectorBits)
{
    builder.registerOptimizerLastEPCallback(
        [vectorBits](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
            passes.addPass(llvm::createModuleToFunctionPassAdaptor(LaneLoadPass(vectorBits)));
        });
}

} // namespace nestwright::backend
