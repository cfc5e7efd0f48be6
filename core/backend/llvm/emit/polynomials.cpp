// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/emit/polynomials.h"

#include "core/backend/llvm/emit/vector_parts.h"

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <span>

namespace nestwright::backend {

using llvm::IRBuilderBase;
using llvm::Value;

namespace {

// Fits of the least greatest error, lowest power first.
/// eˣ for |x| ≤ ln 2 / 2, to 1.5 units in the last place.
constexpr double expTerms[] = {
    1.0, 9.999997063e-01, 4.999914784e-01, 1.666763813e-01, 4.189816025e-02, 8.290272146e-03};
constexpr double expRange = 0.35;
/// (tanh x / x − 1) / x² in x², for |x| ≤ 0.64.
constexpr double tanhTail[] = {-3.333332807e-01, 1.333267897e-01, -5.383701382e-02, 2.093141541e-02,
                               -6.001791165e-03};
/// erf x / x in 2 x² / 3.92² − 1, for |x| ≤ 3.92, where erf is 1 to the last place.
constexpr double erfRatio[] = {3.607368285e-01, -1.801092521e-01, 1.340827356e-01, -1.091548216e-01,
                               9.062793793e-02, -7.429395124e-02, 5.820060623e-02, -4.208699607e-02,
                               3.027957051e-02, -2.339094949e-02, 1.332598721e-02, -3.102974652e-03,
                               2.582223460e-03, -4.499538788e-03, 1.904658389e-03};
constexpr double erfRange = 3.92;

/// Shorthand for emitting float32 arithmetic of the width of one operand.
class Floats {
public:
    Floats(IRBuilderBase &builder, Value *like) : b(builder), m_type(like->getType()) {}

    Value *number(double value) const { return llvm::ConstantFP::get(m_type, value); }
    Value *fma(Value *x, Value *y, Value *z) const
    {
        return b.CreateIntrinsic(m_type, llvm::Intrinsic::fma, {x, y, z});
    }
    Value *abs(Value *x) const { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
    Value *least(Value *x, double bound) const { return b.CreateMaxNum(x, number(bound)); }
    Value *most(Value *x, double bound) const { return b.CreateMinNum(x, number(bound)); }
    /// The bound where x is beyond it, else x, NaN as well.
    Value *below(Value *x, double bound) const
    {
        return b.CreateSelect(b.CreateFCmpOLT(number(bound), x), number(bound), x);
    }
    Value *above(Value *x, double bound) const
    {
        return b.CreateSelect(b.CreateFCmpOGT(number(bound), x), number(bound), x);
    }
    Value *polynomial(std::span<const double> coefficients, Value *x) const
    {
        Value *sum = number(coefficients.back());
        for (std::size_t i = coefficients.size() - 1; i-- > 0;)
            sum = fma(sum, x, number(coefficients[i]));
        return sum;
    }
    llvm::Type *integers() const { return m_type->getWithNewType(b.getInt32Ty()); }
    /// 2ⁿ for an integral float n of −126 … 127.
    Value *powerOfTwo(Value *n) const
    {
        Value *exponent = b.CreateAdd(b.CreateFPToSI(n, integers()), llvm::ConstantInt::get(integers(), 127));
        return b.CreateBitCast(b.CreateShl(exponent, llvm::ConstantInt::get(integers(), 23)), m_type);
    }

    IRBuilderBase &b;

private:
    llvm::Type *m_type;
};

} // namespace

namespace {

/// Applies `emit` to operands of as many lanes at a time as the unit has.
Value *byUnit(IRBuilderBase &builder, Value *x, Value *y, FloatUnit unit,
              Value *(*emit)(IRBuilderBase &, Value *, Value *))
{
    return byParts(builder, std::array{x, y}, static_cast<unsigned>(unit.lanes),
                   [&](Parts part) { return emit(builder, part[0], part[1]); });
}

bool isScaled(const Value *x, FloatUnit unit)
{
    const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    return type && unit.lanes > 0 && type->getNumElements() % static_cast<unsigned>(unit.lanes) == 0;
}

/// The rest of x without the multiple n of ln 2, which is in two parts, the first exact in few bits.
Value *restOf(const Floats &f, Value *x, Value *n)
{
    Value *r = f.fma(n, f.number(-0.693145751953125), x);
    return f.fma(n, f.number(-1.42860682030941723e-6), r);
}

Value *multipleOf(const Floats &f, Value *x)
{
    return f.b.CreateUnaryIntrinsic(llvm::Intrinsic::rint, f.b.CreateFMul(x, f.number(1.44269504088896341)));
}

/// For NaN and out-of-range x, n alone decides the result: the remainder only has to stay finite.
Value *expByUnit(const Floats &f, Value *x, FloatUnit unit)
{
    Value *n = multipleOf(f, x);
    Value *r = byUnit(f.b, restOf(f, x, n), f.number(expRange), unit, unit.bounded);
    return byUnit(f.b, f.polynomial(expTerms, r), n, unit, unit.scaled);
}

} // namespace

/// eˣ = 2ⁿ · eʳ with n = round(x / ln 2), within 2.1 units in the last place; where no instruction does it 2ⁿ
/// in two factors, so that n may leave the range of exponents.
Value *emitExp(IRBuilderBase &builder, Value *x, FloatUnit unit)
{
    const Floats f(builder, x);
    if (isScaled(x, unit))
        return expByUnit(f, x, unit);
    Value *bounded = f.most(f.least(x, -104.0), 89.0); // lets NaN through or not, as the machine has it
    Value *n = multipleOf(f, bounded);
    Value *power = f.polynomial(expTerms, restOf(f, bounded, n));
    Value *half = builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, builder.CreateFMul(n, f.number(0.5)));
    Value *scaled = builder.CreateFMul(power, f.powerOfTwo(half));
    Value *result = builder.CreateFMul(scaled, f.powerOfTwo(builder.CreateFSub(n, half)));
    return builder.CreateSelect(builder.CreateFCmpUNO(x, x), x, result);
}

/// 1 / (1 + e⁻ˣ).
Value *emitSigmoid(IRBuilderBase &builder, Value *x, FloatUnit unit)
{
    const Floats f(builder, x);
    Value *power = emitExp(builder, builder.CreateFNeg(x), unit);
    return builder.CreateFDiv(f.number(1.0), builder.CreateFAdd(f.number(1.0), power));
}

/// Near 0 a polynomial; elsewhere 1 − 2 / (e²ˣ + 1), which loses nothing there.
Value *emitTanh(IRBuilderBase &builder, Value *x, FloatUnit unit)
{
    const Floats f(builder, x);
    Value *size = f.abs(x);
    Value *square = builder.CreateFMul(x, x);
    Value *cube = builder.CreateFMul(size, square);
    Value *near = f.fma(cube, f.polynomial(tanhTail, square), size);
    Value *power = emitExp(builder, builder.CreateFAdd(size, size), unit);
    Value *far = builder.CreateFSub(
        f.number(1.0), builder.CreateFDiv(f.number(2.0), builder.CreateFAdd(power, f.number(1.0))));
    Value *chosen = builder.CreateSelect(builder.CreateFCmpOLT(size, f.number(0.625)), near, far);
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, chosen, x);
}

Value *emitErf(IRBuilderBase &builder, Value *x)
{
    const Floats f(builder, x);
    Value *bounded = f.above(f.below(x, erfRange), -erfRange);
    Value *place =
        f.fma(builder.CreateFMul(bounded, bounded), f.number(2 / (erfRange * erfRange)), f.number(-1.0));
    Value *within = builder.CreateFMul(bounded, f.polynomial(erfRatio, place));
    // Exactly 1 beyond, where x (1 + erf x) is to vanish however large x is.
    Value *one = builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, f.number(1), x);
    return builder.CreateSelect(builder.CreateFCmpOGT(f.abs(x), f.number(erfRange)), one, within);
}

} // namespace nestwright::backend
