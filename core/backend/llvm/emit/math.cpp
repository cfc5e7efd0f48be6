// SPDX-License-Identifier: Apache-2.0
/// Floating-point intrinsics: LLVM's own, our polynomials for float32, or the C library, lane by lane.
#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/emit/polynomials.h"
#include "core/backend/llvm/machine.h"
#include "core/codegen/codes.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/support/errors/errors.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>

namespace nestwright::backend {

using ir::DataType;
using llvm::Value;

namespace {

struct Direct {
    const ir::Intrinsic &function;
    llvm::Intrinsic::ID intrinsic;
};
/// Functions that processors compute themselves.
constexpr std::array direct{
    Direct{ir::intrinsics::sqrt, llvm::Intrinsic::sqrt},
    Direct{ir::intrinsics::floor, llvm::Intrinsic::floor},
    Direct{ir::intrinsics::ceil, llvm::Intrinsic::ceil},
    Direct{ir::intrinsics::trunc, llvm::Intrinsic::trunc},
    Direct{ir::intrinsics::round, llvm::Intrinsic::round},
    Direct{ir::intrinsics::nearbyint, llvm::Intrinsic::nearbyint},
    Direct{ir::intrinsics::fabs, llvm::Intrinsic::fabs},
    Direct{ir::intrinsics::abs, llvm::Intrinsic::fabs},
    Direct{ir::intrinsics::fma, llvm::Intrinsic::fma},
    Direct{ir::intrinsics::copysign, llvm::Intrinsic::copysign},
};

struct Polynomial {
    const ir::Intrinsic &function;
    Value *(*emit)(llvm::IRBuilderBase &, Value *, FloatUnit);
};
constexpr std::array polynomials{
    Polynomial{ir::intrinsics::exp, emitExp}, Polynomial{ir::intrinsics::tanh, emitTanh},
    Polynomial{ir::intrinsics::sigmoid, emitSigmoid},
    Polynomial{ir::intrinsics::erf,
               [](llvm::IRBuilderBase &builder, Value *x, FloatUnit) { return emitErf(builder, x); }}};

/// Functions that the C library has by the same name.
constexpr auto library = std::to_array<const ir::Intrinsic *>(
    {&ir::intrinsics::exp,      &ir::intrinsics::exp2,  &ir::intrinsics::exp10, &ir::intrinsics::log,
     &ir::intrinsics::log2,     &ir::intrinsics::log10, &ir::intrinsics::log1p, &ir::intrinsics::sin,
     &ir::intrinsics::cos,      &ir::intrinsics::tan,   &ir::intrinsics::asin,  &ir::intrinsics::acos,
     &ir::intrinsics::atan,     &ir::intrinsics::sinh,  &ir::intrinsics::cosh,  &ir::intrinsics::tanh,
     &ir::intrinsics::asinh,    &ir::intrinsics::acosh, &ir::intrinsics::atanh, &ir::intrinsics::atan2,
     &ir::intrinsics::pow,      &ir::intrinsics::erf,   &ir::intrinsics::hypot, &ir::intrinsics::fmod,
     &ir::intrinsics::nextafter});

/// x to the power of -1, 1, 2, 3 or 4 by products, each rounded once; null for other exponents.
Value *smallPower(llvm::IRBuilderBase &builder, Value *x, const Value *exponent)
{
    const auto *all = llvm::dyn_cast<llvm::Constant>(exponent);
    const auto *splat = all && all->getType()->isVectorTy() ? all->getSplatValue() : all;
    const auto *number = llvm::dyn_cast_or_null<llvm::ConstantFP>(splat);
    if (!number)
        return nullptr;
    const auto is = [&](double value) { return number->isExactlyValue(value); };
    if (is(1.0))
        return x;
    if (is(-1.0))
        return builder.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1.0), x);
    if (!is(2.0) && !is(3.0) && !is(4.0))
        return nullptr;
    Value *square = builder.CreateFMul(x, x);
    return is(2.0) ? square : builder.CreateFMul(square, is(3.0) ? x : square);
}

} // namespace

Value *Emitter::libraryCall(const ir::Intrinsic &intrinsic, DataType type, const std::vector<Value *> &args)
{
    if (m_isKernel)
        throw support::UserError(
            support::diagnostic(codegen::codes::unsupported, "LLVM has no '" + std::string(intrinsic.name)
                                                                 + "' for GPUs: it is in NVIDIA's library")
                .withHint("install NVRTC, which has it"));
    const std::string symbol = std::string(intrinsic.name) + (type.bits == 32 ? "f" : "");
    llvm::Type *scalar = valueType(type.element());
    auto *functionType =
        llvm::FunctionType::get(scalar, std::vector<llvm::Type *>(args.size(), scalar), false);
    auto callee = m_unit.getOrInsertFunction(symbol, functionType);
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    function->setWillReturn();
    if (type.lanes == 1)
        return m_builder.CreateCall(callee, args);
    Value *result = llvm::PoisonValue::get(valueType(type));
    for (int lane = 0; lane < type.lanes; ++lane) {
        std::vector<Value *> parts;
        parts.reserve(args.size());
        for (Value *arg : args)
            parts.push_back(m_builder.CreateExtractElement(arg, static_cast<std::uint64_t>(lane)));
        result = m_builder.CreateInsertElement(result, m_builder.CreateCall(callee, parts),
                                               static_cast<std::uint64_t>(lane));
    }
    return result;
}

/// Null when `node` is no mathematical function of floating-point numbers.
Value *Emitter::math(const ir::Call &node)
{
    const DataType type = node.dtype;
    const bool hasText = std::ranges::any_of(
        node.args, [](const ir::Expr &arg) { return arg.as<ir::StringImm>() != nullptr; });
    if (!type.isFloating() || node.args.empty() || hasText)
        return nullptr;
    // Half precision is computed in single precision.
    const DataType working = type.bits == 16 ? DataType::float_(32, type.lanes) : type;
    std::vector<Value *> args;
    args.reserve(node.args.size());
    for (const ir::Expr &arg : node.args)
        args.push_back(convert(value(arg), arg.dtype(), arg.dtype().isFloating() ? working : arg.dtype()));
    const auto finished = [&](Value *result) { return convert(result, working, type); };

    for (const Direct &row : direct) {
        if (node.callee == row.function)
            return finished(m_builder.CreateIntrinsic(args[0]->getType(), row.intrinsic, args));
    }
    if (working.bits == 32) {
        // Their terms are in the order that keeps them exact, whatever the kernel allows its own.
        const llvm::IRBuilderBase::FastMathFlagGuard guard(m_builder);
        llvm::FastMathFlags flags;
        flags.setAllowContract(true);
        m_builder.setFastMathFlags(flags);
        for (const Polynomial &row : polynomials) {
            if (node.callee == row.function)
                return finished(row.emit(m_builder, args[0], m_machine.floats));
        }
    }
    Value *one = llvm::ConstantFP::get(args[0]->getType(), 1.0);
    if (node.callee == ir::intrinsics::rsqrt)
        return finished(
            m_builder.CreateFDiv(one, m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, args[0])));
    if (node.callee == ir::intrinsics::sigmoid) {
        Value *power = libraryCall(ir::intrinsics::exp, working, {m_builder.CreateFNeg(args[0])});
        return finished(m_builder.CreateFDiv(one, m_builder.CreateFAdd(one, power)));
    }
    if (node.callee == ir::intrinsics::ldexp) {
        Value *exponent = convert(args[1], node.args[1].dtype(), DataType::int_(32, type.lanes));
        return finished(m_builder.CreateIntrinsic(
            llvm::Intrinsic::ldexp, {args[0]->getType(), exponent->getType()}, {args[0], exponent}));
    }
    if (node.callee == ir::intrinsics::pow) {
        if (Value *power = smallPower(m_builder, args[0], args[1]))
            return finished(power);
    }
    for (const ir::Intrinsic *function : library) {
        if (node.callee == *function)
            return finished(libraryCall(*function, working, args));
    }
    return nullptr;
}

} // namespace nestwright::backend
