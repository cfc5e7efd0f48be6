// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/emit/vector_parts.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace nestwright::backend {

using llvm::Value;

unsigned lanesOf(const Value *value)
{
    const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    return type ? type->getNumElements() : 1;
}

bool areVectors(Parts values, std::size_t count, unsigned bits)
{
    return values.size() == count && std::ranges::all_of(values, [&](const Value *value) {
               const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
               return type && type->getElementType()->isIntegerTy(bits);
           });
}

Value *byParts(llvm::IRBuilderBase &builder, Parts operands, unsigned lanes,
               const std::function<Value *(Parts)> &make)
{
    const unsigned all = lanesOf(operands.front());
    if (all % lanes != 0)
        return nullptr;
    llvm::SmallVector<Value *, 4> made;
    for (unsigned from = 0; from < all; from += lanes) {
        llvm::SmallVector<Value *, 3> part;
        for (Value *operand : operands)
            part.push_back(builder.CreateShuffleVector(operand, llvm::createSequentialMask(from, lanes, 0)));
        made.push_back(make(part));
    }
    return llvm::concatenateVectors(builder, made);
}

} // namespace nestwright::backend
