// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/emit/emitter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/intrinsic_meaning.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace nestwright::backend {

using llvm::Value;

Value *Emitter::call(const ir::Call &node)
{
    if (node.callee == ir::intrinsics::ifThenElse)
        return choose(node.args[0], node.args[1], node.args[2], true);
    if (node.callee == ir::intrinsics::likely || node.callee == ir::intrinsics::ignoreLoopPartition)
        return value(node.args[0]);
    if (node.callee == ir::intrinsics::infinity)
        return llvm::ConstantFP::getInfinity(valueType(node.dtype));
    if (Value *result = m_isKernel ? ofKernel(node) : ofProcessor(node))
        return result;
    if (const ir::Expr simple = ir::meaningOf(node))
        return value(simple);
    if (ir::isLlvmCall(node))
        unsupported("the intrinsic '" + ir::llvmIntrinsicName(node) + "' of LLVM");
    if (node.callee == ir::intrinsics::reinterpret)
        return m_builder.CreateBitOrPointerCast(value(node.args[0]), valueType(node.dtype));
    if (node.callee == ir::intrinsics::isNan || node.callee == ir::intrinsics::isInf
        || node.callee == ir::intrinsics::isFinite)
        return floatTest(node);
    if (node.callee == ir::intrinsics::isNullptr)
        return m_builder.CreateIsNull(value(node.args[0]));
    if (node.callee == ir::intrinsics::addressOf) {
        const auto *load = node.args[0].as<ir::BufferLoad>();
        if (load && load->indices.size() == 1)
            return address(load->buffer, index(load->indices.front()));
        unsupported("the address of something that is no element of a buffer");
    }
    if (node.callee == ir::intrinsics::callExtern || node.callee == ir::intrinsics::callPureExtern)
        return externCall(node);
    if (Value *result = bitwise(node))
        return result;
    if (Value *result = math(node))
        return result;
    unsupported("the intrinsic '" + node.callee.name() + "'");
}

Value *Emitter::floatTest(const ir::Call &node)
{
    Value *x = value(node.args[0]);
    if (!node.args[0].dtype().isFloating())
        return llvm::ConstantInt::get(valueType(node.dtype), node.callee == ir::intrinsics::isFinite ? 1 : 0);
    if (node.callee == ir::intrinsics::isNan)
        return m_builder.CreateFCmpUNO(x, x);
    Value *size = m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value *infinity = llvm::ConstantFP::getInfinity(x->getType());
    return node.callee == ir::intrinsics::isInf ? m_builder.CreateFCmpOEQ(size, infinity)
                                                : m_builder.CreateFCmpOLT(size, infinity);
}

Value *Emitter::externCall(const ir::Call &node)
{
    const auto *name = node.args[0].as<ir::StringImm>();
    if (!name)
        unsupported("a call of an external function without a constant name");
    std::vector<llvm::Type *> types;
    std::vector<Value *> values;
    for (std::size_t i = 1; i < node.args.size(); ++i) {
        values.push_back(value(node.args[i]));
        types.push_back(values.back()->getType());
    }
    auto *type = llvm::FunctionType::get(valueType(node.dtype), types, false);
    return m_builder.CreateCall(m_unit.getOrInsertFunction(name->value, type), values);
}

/// Shifts as ir::shiftLeft and ir::shiftRight define them; the processor takes amounts below the width only.
Value *Emitter::shift(const ir::Call &node)
{
    const ir::DataType type = node.args[0].dtype();
    const bool toLeft = node.callee == ir::intrinsics::shiftLeft, keepsSign = !toLeft && type.isInt();
    Value *x = value(node.args[0]), *given = value(node.args[1]);
    Value *width = llvm::ConstantInt::get(given->getType(), type.bits);
    Value *isOut = m_builder.CreateICmpUGE(given, width); // negative ones too
    Value *by = m_builder.CreateIntCast(given, x->getType(), false);
    if (keepsSign) {
        Value *most = llvm::ConstantInt::get(x->getType(), type.bits - 1U);
        return m_builder.CreateAShr(x, m_builder.CreateSelect(isOut, most, by));
    }
    Value *shifted = toLeft ? m_builder.CreateShl(x, by) : m_builder.CreateLShr(x, by);
    return m_builder.CreateSelect(isOut, llvm::Constant::getNullValue(x->getType()), shifted);
}

/// Integer operations; null when `node` is none of them.
Value *Emitter::bitwise(const ir::Call &node)
{
    if (node.args.empty() || !node.args[0].dtype().isIntegral())
        return nullptr;
    const bool isSigned = node.args[0].dtype().isInt();
    const auto arg = [&](std::size_t i) { return value(node.args[i]); };
    if (node.callee == ir::intrinsics::bitwiseAnd || node.callee == ir::intrinsics::bitwiseOr
        || node.callee == ir::intrinsics::bitwiseXor) {
        Value *a = arg(0);
        Value *b = arg(1);
        return node.callee == ir::intrinsics::bitwiseAnd  ? m_builder.CreateAnd(a, b)
               : node.callee == ir::intrinsics::bitwiseOr ? m_builder.CreateOr(a, b)
                                                          : m_builder.CreateXor(a, b);
    }
    if (node.callee == ir::intrinsics::bitwiseNot)
        return m_builder.CreateNot(arg(0));
    if (node.callee == ir::intrinsics::shiftLeft || node.callee == ir::intrinsics::shiftRight)
        return shift(node);
    if (node.callee == ir::intrinsics::popcount)
        return m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, arg(0));
    if (node.callee == ir::intrinsics::clz)
        return m_builder.CreateZExtOrTrunc(
            m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, arg(0), m_builder.getFalse()),
            valueType(node.dtype));
    if (node.callee == ir::intrinsics::abs || node.callee == ir::intrinsics::fabs) {
        Value *x = arg(0);
        return isSigned ? m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, m_builder.getFalse()) : x;
    }
    return nullptr;
}

} // namespace nestwright::backend
