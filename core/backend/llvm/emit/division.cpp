// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/runtime.h"
#include "core/backend/llvm/emit/emitter.h"

#include <llvm/IR/IRBuilder.h>

#include <utility>

namespace nestwright::backend {

using ir::BinaryOp;
using llvm::Value;

/// A divisor that the processor takes: where it is 0 the error slot is set and 1 stands in. −1 is also
/// replaced (the most negative number divided by it traps), which `divide` makes good.
Value *Emitter::checkedDivisor(Value *divisor, bool isSigned)
{
    llvm::Type *type = divisor->getType();
    Value *one = llvm::ConstantInt::get(type, 1);
    Value *isZero = m_builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
    const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (Value *running = runningLanes(vector ? static_cast<int>(vector->getNumElements()) : 1)) {
        // A lane that does not run divides by 1 and has no error.
        divisor = m_builder.CreateSelect(running, divisor, one);
        isZero = m_builder.CreateAnd(isZero, running);
    }
    Value *anyZero = type->isVectorTy() ? m_builder.CreateOrReduce(isZero) : isZero;
    const int code = static_cast<int>(KernelCode::DivisionByZero);
    recordError(m_builder.CreateSelect(anyZero, m_builder.getInt32(code), m_builder.getInt32(0)));
    Value *replaced = isZero;
    if (isSigned)
        replaced = m_builder.CreateOr(isZero,
                                      m_builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)));
    return m_builder.CreateSelect(replaced, one, divisor);
}

Value *Emitter::divide(BinaryOp op, Value *a, Value *b, bool isSigned)
{
    const bool isQuotient = op == BinaryOp::Div || op == BinaryOp::FloorDiv;
    const bool isFloor = op == BinaryOp::FloorDiv || op == BinaryOp::FloorMod;
    llvm::Value *zero = llvm::Constant::getNullValue(a->getType());
    auto *constant = llvm::dyn_cast<llvm::Constant>(b);
    const bool isPlain =
        constant && constant->isNotOneValue() && !constant->isNullValue() && !constant->isAllOnesValue();
    Value *divisor = isPlain || (constant && constant->isOneValue()) ? b : checkedDivisor(b, isSigned);
    if (!isSigned)
        return isQuotient ? m_builder.CreateUDiv(a, divisor) : m_builder.CreateURem(a, divisor);

    Value *quotient = m_builder.CreateSDiv(a, divisor);
    Value *remainder = m_builder.CreateSRem(a, divisor);
    if (divisor != b) { // a / −1 = −a, wrapping
        Value *isMinusOne = m_builder.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(b->getType()));
        quotient = m_builder.CreateSelect(isMinusOne, m_builder.CreateNeg(a), quotient);
    }
    if (!isFloor)
        return isQuotient ? quotient : remainder;
    // Truncation and floor differ where the remainder is not 0 and its sign is not the divisor's.
    Value *isInexact = m_builder.CreateICmpNE(remainder, zero);
    Value *hasOtherSign = m_builder.CreateICmpSLT(m_builder.CreateXor(remainder, divisor), zero);
    Value *differs = m_builder.CreateAnd(isInexact, hasOtherSign);
    if (isQuotient)
        return m_builder.CreateAdd(quotient, m_builder.CreateSExt(differs, a->getType()));
    return m_builder.CreateSelect(differs, m_builder.CreateAdd(remainder, divisor), remainder);
}

} // namespace nestwright::backend
