// SPDX-License-Identifier: Apache-2.0
/// Floating-point intrinsics: LLVM's own, our polynomials for float32, or the C library, lane by lane.
#include "core/backend/llvm/emitter.h"
#include "core/backend/llvm/polynomials.h"
#include "core/ir/builder.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>

namespace nestwright::backend {

using ir::DataType;
using llvm::Value;

namespace {

struct Direct {
    std::string_view name;
    llvm::Intrinsic::ID intrinsic;
};
/// Functions that processors compute themselves.
constexpr std::array direct{
    Direct{"sqrt", llvm::Intrinsic::sqrt},   Direct{"floor", llvm::Intrinsic::floor},
    Direct{"ceil", llvm::Intrinsic::ceil},   Direct{"trunc", llvm::Intrinsic::trunc},
    Direct{"round", llvm::Intrinsic::round}, Direct{"nearbyint", llvm::Intrinsic::nearbyint},
    Direct{"fabs", llvm::Intrinsic::fabs},   Direct{"abs", llvm::Intrinsic::fabs},
    Direct{"fma", llvm::Intrinsic::fma},     Direct{"copysign", llvm::Intrinsic::copysign},
};

struct Polynomial {
    std::string_view name;
    Value *(*emit)(llvm::IRBuilderBase &, Value *);
};
constexpr std::array polynomials{Polynomial{"exp", emitExp}, Polynomial{"tanh", emitTanh},
                                 Polynomial{"sigmoid", emitSigmoid}, Polynomial{"erf", emitErf}};

/// Functions of the C library by the same name.
constexpr std::array<std::string_view, 25> library{
    "exp",   "exp2",  "exp10", "log",  "log2",  "log10", "log1p",    "sin",   "cos",
    "tan",   "asin",  "acos",  "atan", "sinh",  "cosh",  "tanh",     "asinh", "acosh",
    "atanh", "atan2", "pow",   "erf",  "hypot", "fmod",  "nextafter"};

} // namespace

Value *Emitter::libraryCall(const std::string &name, DataType type, const std::vector<Value *> &args)
{
    const std::string symbol = type.bits == 32 ? name + 'f' : name;
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
        if (row.name == node.name)
            return finished(m_builder.CreateIntrinsic(args[0]->getType(), row.intrinsic, args));
    }
    if (working.bits == 32) {
        for (const Polynomial &row : polynomials) {
            if (row.name == node.name)
                return finished(row.emit(m_builder, args[0]));
        }
    }
    Value *one = llvm::ConstantFP::get(args[0]->getType(), 1.0);
    if (node.name == "rsqrt")
        return finished(
            m_builder.CreateFDiv(one, m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, args[0])));
    if (node.name == "sigmoid") {
        Value *power = libraryCall("exp", working, {m_builder.CreateFNeg(args[0])});
        return finished(m_builder.CreateFDiv(one, m_builder.CreateFAdd(one, power)));
    }
    if (node.name == "ldexp") {
        Value *exponent = convert(args[1], node.args[1].dtype(), DataType::int_(32, type.lanes));
        return finished(m_builder.CreateIntrinsic(
            llvm::Intrinsic::ldexp, {args[0]->getType(), exponent->getType()}, {args[0], exponent}));
    }
    for (const std::string_view name : library) {
        if (name == node.name)
            return finished(libraryCall(node.name, working, args));
    }
    return nullptr;
}

} // namespace nestwright::backend
