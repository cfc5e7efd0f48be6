// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/emitter.h"
#include "core/support/errors.h"

#include <llvm/IR/IRBuilder.h>

namespace nestwright::backend {

using ir::DataType;
using ir::TypeCode;
using llvm::Type;
using llvm::Value;

void unsupported(const std::string &what)
{
    throw support::ScheduleError(
        support::diagnostic("backend.unsupported", what + " cannot be compiled for a processor"));
}

namespace {

Type *scalarType(llvm::LLVMContext &context, DataType type)
{
    switch (type.code) {
    case TypeCode::Int:
    case TypeCode::UInt: return Type::getIntNTy(context, type.bits);
    case TypeCode::Bool: return Type::getInt1Ty(context);
    case TypeCode::BFloat: return Type::getBFloatTy(context);
    case TypeCode::Handle: return llvm::PointerType::getUnqual(context);
    case TypeCode::Void: return Type::getVoidTy(context);
    case TypeCode::Float:
        switch (type.bits) {
        case 16: return Type::getHalfTy(context);
        case 32: return Type::getFloatTy(context);
        case 64: return Type::getDoubleTy(context);
        default: break;
        }
        break;
    case TypeCode::Narrow: break;
    }
    unsupported("the type " + type.str());
}

} // namespace

Type *Emitter::valueType(DataType type)
{
    Type *scalar = scalarType(m_builder.getContext(), type.element());
    return type.lanes > 1 ? llvm::FixedVectorType::get(scalar, type.lanes) : scalar;
}

Type *Emitter::memoryType(DataType type)
{
    return type.isBool() ? m_builder.getInt8Ty() : scalarType(m_builder.getContext(), type.element());
}

Value *Emitter::convert(Value *value, DataType from, DataType to)
{
    Type *type = valueType(to);
    if (value->getType() == type && from.isBool() == to.isBool() && from.isFloating() == to.isFloating())
        return value;
    if (to.isHandle() || from.isHandle())
        unsupported("a cast from " + from.str() + " to " + to.str());
    if (to.isBool()) {
        if (from.isFloating())
            return m_builder.CreateFCmpUNE(value, llvm::Constant::getNullValue(value->getType()));
        return m_builder.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
    }
    if (from.isFloating())
        return to.isFloating() ? m_builder.CreateFPCast(value, type)
               : to.isUInt()   ? m_builder.CreateFPToUI(value, type)
                               : m_builder.CreateFPToSI(value, type);
    const bool isSigned = from.isInt();
    if (to.isFloating())
        return isSigned ? m_builder.CreateSIToFP(value, type) : m_builder.CreateUIToFP(value, type);
    return m_builder.CreateIntCast(value, type, isSigned);
}

Value *Emitter::splat(Value *value, int lanes)
{
    return lanes > 1 && !value->getType()->isVectorTy() ? m_builder.CreateVectorSplat(lanes, value) : value;
}

} // namespace nestwright::backend
