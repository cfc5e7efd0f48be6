// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/emit/emitter.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/dispatch.h"
#include "core/ir/build/walk.h"
#include "core/ir/conditions.h"
#include "core/ir/node/equality.h"
#include "core/support/errors/errors.h"

#include <llvm/IR/IRBuilder.h>

namespace nestwright::backend {

using ir::BinaryOp;
using ir::DataType;
using ir::Expr;
using llvm::Value;

namespace {

template <class... F> struct Overloaded : F... {
    using F::operator()...;
};

} // namespace

Value *Emitter::value(const Expr &e)
{
    const auto emit = Overloaded{
        [&](const ir::IntImm &node) -> Value * {
            return llvm::ConstantInt::get(valueType(node.dtype), static_cast<std::uint64_t>(node.value),
                                          /*IsSigned=*/true);
        },
        [&](const ir::FloatImm &node) -> Value * {
            return llvm::ConstantFP::get(valueType(node.dtype), node.value);
        },
        [&](const ir::StringImm &node) -> Value * { return m_builder.CreateGlobalString(node.value); },
        [&](const ir::VarNode &) -> Value * { return variable(e); },
        [&](const ir::Cast &node) -> Value * {
            return convert(value(node.value), node.value.dtype(), node.dtype);
        },
        [&](const ir::Binary &node) -> Value * { return binary(node); },
        [&](const ir::Not &node) -> Value * { return m_builder.CreateNot(value(node.a)); },
        [&](const ir::Select &node) -> Value * {
            return choose(node.condition, node.trueValue, node.falseValue, false);
        },
        [&](const ir::Let &node) -> Value * {
            Value *result = nullptr;
            withVar(m_frame.values, node.var, value(node.value), [&] { result = value(node.body); });
            return result;
        },
        [&](const ir::BufferLoad &node) -> Value * { return load(node); },
        [&](const ir::Ramp &node) -> Value * {
            Value *base = value(node.base);
            return ramp(node, base, value(node.stride));
        },
        [&](const ir::Broadcast &node) -> Value * {
            return m_builder.CreateVectorSplat(node.lanes, value(node.value));
        },
        [&](const ir::Call &node) -> Value * { return call(node); },
    };
    return ir::dispatch(*e.get(), emit);
}

Value *Emitter::variable(const Expr &e)
{
    const ir::Var var = ir::Var::from(e);
    if (const auto found = m_frame.values.find(var); found != m_frame.values.end())
        return found->second;
    if (const auto found = m_frame.wide.find(var); found != m_frame.wide.end())
        return m_builder.CreateIntCast(found->second, valueType(e.dtype()), true);
    NW_ASSERT(false, "the variable '" + var.name() + "' is used before it is defined");
    return nullptr;
}

Value *Emitter::ramp(const ir::Ramp &node, Value *base, Value *stride)
{
    if (node.base.dtype().isVector())
        unsupported("a ramp of vectors");
    llvm::Type *type = base->getType();
    std::vector<llvm::Constant *> steps;
    steps.reserve(static_cast<std::size_t>(node.lanes));
    for (int lane = 0; lane < node.lanes; ++lane)
        steps.push_back(llvm::ConstantInt::get(type, static_cast<std::uint64_t>(lane)));
    Value *first = splat(base, node.lanes);
    Value *distance = m_builder.CreateMul(llvm::ConstantVector::get(steps), splat(stride, node.lanes));
    return m_builder.CreateAdd(first, distance);
}

/// The lanes of the present expression; null where all run. One value stands for all lanes: it is needed
/// where any runs.
Value *Emitter::runningLanes(int lanes)
{
    if (!m_frame.lanes)
        return nullptr;
    if (lanes == 1)
        return m_builder.CreateOrReduce(m_frame.lanes);
    const auto *type = llvm::cast<llvm::FixedVectorType>(m_frame.lanes->getType());
    if (static_cast<int>(type->getNumElements()) != lanes)
        unsupported("a condition of " + std::to_string(type->getNumElements()) + " lanes on "
                    + std::to_string(lanes));
    return m_frame.lanes;
}

/// `e`, computed for those lanes only.
Value *Emitter::underLanes(Value *lanes, const Expr &e)
{
    Value *outer = m_frame.lanes;
    m_frame.lanes = outer ? m_builder.CreateAnd(outer, lanes) : lanes;
    Value *result = value(e);
    m_frame.lanes = outer;
    return result;
}

/// The second half is computed only where the first has not decided, if that could go wrong otherwise.
Value *Emitter::logical(const ir::Binary &node)
{
    const bool isAnd = node.op == BinaryOp::And;
    const auto both = [&](Value *a, Value *b) {
        return isAnd ? m_builder.CreateAnd(a, b) : m_builder.CreateOr(a, b);
    };
    Value *a = value(node.a);
    if (!ir::mayFault(node.b))
        return both(a, value(node.b));
    if (node.dtype.isVector())
        return both(a, underLanes(isAnd ? a : m_builder.CreateNot(a), node.b));
    llvm::LLVMContext &context = m_builder.getContext();
    auto *more = llvm::BasicBlock::Create(context, isAnd ? "and" : "or", m_frame.function);
    auto *join = llvm::BasicBlock::Create(context, "join", m_frame.function);
    llvm::BasicBlock *decided = m_builder.GetInsertBlock();
    m_builder.CreateCondBr(a, isAnd ? more : join, isAnd ? join : more);
    m_builder.SetInsertPoint(more);
    Value *b = value(node.b);
    more = m_builder.GetInsertBlock();
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(join);
    llvm::PHINode *phi = m_builder.CreatePHI(b->getType(), 2);
    phi->addIncoming(m_builder.getInt1(!isAnd), decided);
    phi->addIncoming(b, more);
    return phi;
}

Value *Emitter::binary(const ir::Binary &node)
{
    if (ir::isLogical(node.op))
        return logical(node);
    const DataType type = node.a.dtype();
    const bool isFloat = type.isFloating();
    Value *a = value(node.a);
    Value *b = value(node.b);
    if (type.isBool()) { // the number that comes out is true where it is not 0
        if (node.op == BinaryOp::Add)
            return m_builder.CreateOr(a, b);
        if (node.op == BinaryOp::Sub)
            return m_builder.CreateXor(a, b);
    }
    switch (node.op) {
    case BinaryOp::Add: return isFloat ? m_builder.CreateFAdd(a, b) : m_builder.CreateAdd(a, b);
    case BinaryOp::Sub: return isFloat ? m_builder.CreateFSub(a, b) : m_builder.CreateSub(a, b);
    case BinaryOp::Mul: return isFloat ? m_builder.CreateFMul(a, b) : m_builder.CreateMul(a, b);
    case BinaryOp::Div: return isFloat ? m_builder.CreateFDiv(a, b) : divide(node.op, a, b, type.isInt());
    case BinaryOp::Mod: return isFloat ? m_builder.CreateFRem(a, b) : divide(node.op, a, b, type.isInt());
    case BinaryOp::FloorDiv:
        return isFloat ? m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, m_builder.CreateFDiv(a, b))
                       : divide(node.op, a, b, type.isInt());
    case BinaryOp::FloorMod:
        if (isFloat) {
            Value *whole = m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, m_builder.CreateFDiv(a, b));
            return m_builder.CreateFSub(a, m_builder.CreateFMul(whole, b));
        }
        return divide(node.op, a, b, type.isInt());
    case BinaryOp::Min:
    case BinaryOp::Max: {
        const BinaryOp order = node.op == BinaryOp::Min ? BinaryOp::LT : BinaryOp::GT;
        return m_builder.CreateSelect(comparison(order, type, a, b), a, b);
    }
    case BinaryOp::And:
    case BinaryOp::Or: break;
    case BinaryOp::EQ:
    case BinaryOp::NE:
    case BinaryOp::LT:
    case BinaryOp::LE:
    case BinaryOp::GT:
    case BinaryOp::GE: return comparison(node.op, type, a, b);
    }
    std::unreachable();
}

/// The new value of an element that is combined with a term, in a way that LLVM may do in any order; null
/// where the store is none of that kind.
Value *Emitter::reassociated(const ir::BufferStore &node)
{
    const auto *sum = node.value.as<ir::Binary>();
    const DataType type = node.value.dtype();
    if (!sum || !(type.element() == DataType::float32() || type.element() == DataType::float_(64)))
        return nullptr;
    using enum BinaryOp;
    if (sum->op != Add && sum->op != Mul && sum->op != Min && sum->op != Max)
        return nullptr;
    const auto isElement = [&](const Expr &e) {
        const auto *load = e.as<ir::BufferLoad>();
        return load && load->buffer == node.buffer && !load->predicate
               && std::ranges::equal(load->indices, node.indices, [](const Expr &x, const Expr &y) {
                      return ir::structurallyEqual(x, y);
                  });
    };
    if (!isElement(sum->a) && !isElement(sum->b))
        return nullptr;
    Value *a = value(sum->a), *b = value(sum->b);
    const llvm::IRBuilderBase::FastMathFlagGuard guard(m_builder);
    llvm::FastMathFlags flags = m_isFast ? m_builder.getFastMathFlags() : llvm::FastMathFlags();
    flags.setAllowReassoc();
    flags.setNoSignedZeros(m_isFast || sum->op == Min || sum->op == Max); // the sign of zero says nothing
    m_builder.setFastMathFlags(flags);
    if (sum->op == Add)
        return m_builder.CreateFAdd(a, b);
    if (sum->op == Mul)
        return m_builder.CreateFMul(a, b);
    // A comparison would lose NaN or keep it, as the order is.
    const auto function = sum->op == Min ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum;
    return m_builder.CreateBinaryIntrinsic(function, a, b);
}

Value *Emitter::comparison(BinaryOp op, DataType type, Value *a, Value *b)
{
    using P = llvm::CmpInst::Predicate;
    const auto pick = [&](P floating, P isSigned, P isUnsigned) {
        return type.isFloating() ? floating : type.isInt() ? isSigned : isUnsigned;
    };
    P predicate = P::ICMP_EQ;
    switch (op) {
    case BinaryOp::EQ: predicate = pick(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ); break;
    case BinaryOp::NE: predicate = pick(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE); break;
    case BinaryOp::LT: predicate = pick(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT); break;
    case BinaryOp::LE: predicate = pick(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE); break;
    case BinaryOp::GT: predicate = pick(P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT); break;
    case BinaryOp::GE: predicate = pick(P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE); break;
    default: NW_ASSERT(false, "not a comparison");
    }
    return m_builder.CreateCmp(predicate, a, b);
}

Value *Emitter::choose(const Expr &condition, const Expr &whenTrue, const Expr &whenFalse, bool lazily)
{
    if (lazily && condition.dtype().isVector()) {
        Value *test = value(condition);
        Value *a = ir::mayFault(whenTrue) ? underLanes(test, whenTrue) : value(whenTrue);
        Value *b =
            ir::mayFault(whenFalse) ? underLanes(m_builder.CreateNot(test), whenFalse) : value(whenFalse);
        return m_builder.CreateSelect(test, a, b);
    }
    if (!lazily) {
        Value *test = value(condition);
        Value *a = value(whenTrue);
        return m_builder.CreateSelect(test, a, value(whenFalse));
    }
    llvm::LLVMContext &context = m_builder.getContext();
    Value *test = value(condition);
    auto *yes = llvm::BasicBlock::Create(context, "then", m_frame.function);
    auto *no = llvm::BasicBlock::Create(context, "else", m_frame.function);
    auto *join = llvm::BasicBlock::Create(context, "join", m_frame.function);
    m_builder.CreateCondBr(test, yes, no);
    m_builder.SetInsertPoint(yes);
    Value *a = value(whenTrue);
    yes = m_builder.GetInsertBlock();
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(no);
    Value *b = value(whenFalse);
    no = m_builder.GetInsertBlock();
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(join);
    llvm::PHINode *phi = m_builder.CreatePHI(a->getType(), 2);
    phi->addIncoming(a, yes);
    phi->addIncoming(b, no);
    return phi;
}

// Addresses: a 32-bit index expression of a program does not overflow, so it may be computed in 64 bits. An
// expression of data may: where more than its low bits count, it is computed in its own type.

namespace {

bool readsData(const Expr &e)
{
    bool found = false;
    ir::forEachExpr(e, [&](const Expr &part) {
        found = found || part.as<ir::BufferLoad>();
        return !found;
    });
    return found;
}

} // namespace

Value *Emitter::index(const Expr &e)
{
    const DataType type = e.dtype();
    if (!type.element().isIndex()) {
        llvm::Type *wide = valueType(DataType::int_(64, type.lanes));
        return m_builder.CreateIntCast(value(e), wide, type.isInt());
    }
    if (const auto *node = e.as<ir::IntImm>())
        return m_builder.getInt64(static_cast<std::uint64_t>(node->value));
    if (e.as<ir::VarNode>()) {
        if (const auto found = m_frame.wide.find(ir::Var::from(e)); found != m_frame.wide.end())
            return found->second;
    }
    if (const auto *node = e.as<ir::Ramp>()) {
        Value *base = index(node->base);
        return ramp(*node, base, index(node->stride));
    }
    if (const auto *node = e.as<ir::Broadcast>())
        return m_builder.CreateVectorSplat(node->lanes, index(node->value));
    if (const auto *node = e.as<ir::Cast>(); node && node->value.dtype().element().isIndex())
        return index(node->value);
    if (const auto *node = e.as<ir::Binary>()) {
        const bool isSum =
            node->op == BinaryOp::Add || node->op == BinaryOp::Sub || node->op == BinaryOp::Mul;
        if (isSum || !readsData(e))
            return indexBinary(*node);
    }
    return m_builder.CreateIntCast(value(e), valueType(DataType::int_(64, type.lanes)), true);
}

Value *Emitter::indexBinary(const ir::Binary &node)
{
    Value *a = index(node.a);
    Value *b = index(node.b);
    switch (node.op) {
    case BinaryOp::Add: return m_builder.CreateNSWAdd(a, b);
    case BinaryOp::Sub: return m_builder.CreateNSWSub(a, b);
    case BinaryOp::Mul: return m_builder.CreateNSWMul(a, b);
    case BinaryOp::Min: return m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
    case BinaryOp::Max: return m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
    default: return divide(node.op, a, b, true);
    }
}

} // namespace nestwright::backend
