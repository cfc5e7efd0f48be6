// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/emit/emitter.h"
#include "core/codegen/codes.h"
#include "core/support/errors/errors.h"

#include <llvm/IR/IRBuilder.h>

#include <cmath>

namespace nestwright::backend {

using ir::DataType;
using ir::TypeCode;
using llvm::Type;
using llvm::Value;

void unsupported(const std::string &what)
{
    throw support::UserError(
        support::diagnostic(codegen::codes::unsupported, what + " cannot be compiled for a processor"));
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
    if (from.isFloating() && to.isFloating()) {
        if (from.bits == to.bits) // the two kinds of 16 bits: neither holds the other
            value = m_builder.CreateFPExt(value, valueType(DataType::float_(32, from.lanes)));
        return m_builder.CreateFPCast(value, type);
    }
    if (from.isFloating())
        return toInteger(value, from, to);
    const bool isSigned = from.isInt();
    if (to.isFloating())
        return isSigned ? m_builder.CreateSIToFP(value, type) : m_builder.CreateUIToFP(value, type);
    return m_builder.CreateIntCast(value, type, isSigned);
}

/// Conversion as ir::integerOf defines it. Operands of the selections are ordered as in the processors'
/// minimum and maximum instructions.
Value *Emitter::toInteger(Value *value, DataType from, DataType to)
{
    if (from.bits == 16) {
        value = m_builder.CreateFPExt(value, valueType(DataType::float_(32, from.lanes)));
        from = DataType::float_(32, from.lanes);
    }
    const bool isSigned = to.isInt();
    const int digits = isSigned ? to.bits - 1 : to.bits, precision = from.bits == 64 ? 53 : 24;
    const double limit = std::ldexp(1.0, digits); // the first that is too large
    const bool isExact = digits <= precision;     // so that the greatest integer is a number of `from`
    const double greatest = isExact ? limit - 1 : limit - std::ldexp(1.0, digits - precision);
    llvm::Type *type = valueType(to);
    const auto number = [&](double x) { return llvm::ConstantFP::get(value->getType(), x); };
    Value *low = number(isSigned ? -limit : 0.0), *high = number(greatest);
    Value *kept = m_builder.CreateSelect(m_builder.CreateFCmpOGT(value, low), value, low);
    kept = m_builder.CreateSelect(m_builder.CreateFCmpOLT(kept, high), kept, high);
    Value *result = isSigned ? m_builder.CreateFPToSI(kept, type) : m_builder.CreateFPToUI(kept, type);
    if (!isExact) {
        llvm::APInt most =
            isSigned ? llvm::APInt::getSignedMaxValue(to.bits) : llvm::APInt::getMaxValue(to.bits);
        result = m_builder.CreateSelect(m_builder.CreateFCmpOGE(value, number(limit)),
                                        llvm::ConstantInt::get(type, most), result);
    }
    if (!isSigned) // NaN has become 0 already
        return result;
    return m_builder.CreateSelect(m_builder.CreateFCmpUNO(value, value), llvm::Constant::getNullValue(type),
                                  result);
}

Value *Emitter::splat(Value *value, int lanes)
{
    return lanes > 1 && !value->getType()->isVectorTy() ? m_builder.CreateVectorSplat(lanes, value) : value;
}

} // namespace nestwright::backend
