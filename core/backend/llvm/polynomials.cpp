// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/polynomials.h"

#include <llvm/IR/IRBuilder.h>

#include <span>

namespace nestwright::backend {

using llvm::IRBuilderBase;
using llvm::Value;

namespace {

// Chebyshev fits, lowest power first.
/// (eˣ − 1 − x) / x² for |x| ≤ ln 2 / 2.
constexpr double expTail[] = {5.000000014e-01, 1.666657336e-01, 4.166645678e-02, 8.363776467e-03,
                              1.393454452e-03};
/// (tanh x / x − 1) / x² in x², for |x| ≤ 0.64.
constexpr double tanhTail[] = {-3.333332807e-01, 1.333267897e-01, -5.383701382e-02, 2.093141541e-02,
                               -6.001791165e-03};
/// erf x / x in x², for |x| ≤ 1.
constexpr double erfCore[] = {1.128379166e+00, -3.761262690e-01, 1.128359746e-01, -2.685432880e-02,
                              5.189311943e-03, -8.018854999e-04, 7.882497133e-05};
/// ln(1 − erf x) for 1 ≤ x ≤ 4.
constexpr double erfTail[] = {3.032129641e-04,  -1.130166675e+00, -6.319370937e-01,
                              -1.099782451e-01, 2.636471735e-02,  -4.740222336e-03,
                              5.927695367e-04,  -4.559062232e-05, 1.614061597e-06};

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

/// eˣ = 2ⁿ · eʳ with n = round(x / ln 2); 2ⁿ in two factors, so that n may leave the range of exponents.
Value *emitExp(IRBuilderBase &builder, Value *x)
{
    const Floats f(builder, x);
    Value *bounded = f.most(f.least(x, -104.0), 89.0);
    Value *n = builder.CreateUnaryIntrinsic(llvm::Intrinsic::rint,
                                            builder.CreateFMul(bounded, f.number(1.44269504088896341)));
    // ln 2 in two parts, the first exact in few bits.
    Value *r = f.fma(n, f.number(-0.693145751953125), bounded);
    r = f.fma(n, f.number(-1.42860682030941723e-6), r);
    Value *square = builder.CreateFMul(r, r);
    Value *tail = f.polynomial(expTail, r);
    Value *power = f.fma(square, tail, builder.CreateFAdd(r, f.number(1.0)));
    Value *half = builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, builder.CreateFMul(n, f.number(0.5)));
    Value *scaled = builder.CreateFMul(power, f.powerOfTwo(half));
    Value *result = builder.CreateFMul(scaled, f.powerOfTwo(builder.CreateFSub(n, half)));
    return builder.CreateSelect(builder.CreateFCmpUNO(x, x), x, result);
}

/// 1 / (1 + e⁻ˣ).
Value *emitSigmoid(IRBuilderBase &builder, Value *x)
{
    const Floats f(builder, x);
    Value *power = emitExp(builder, builder.CreateFNeg(x));
    return builder.CreateFDiv(f.number(1.0), builder.CreateFAdd(f.number(1.0), power));
}

/// Near 0 a polynomial; elsewhere 1 − 2 / (e²ˣ + 1), which loses nothing there.
Value *emitTanh(IRBuilderBase &builder, Value *x)
{
    const Floats f(builder, x);
    Value *size = f.abs(x);
    Value *square = builder.CreateFMul(x, x);
    Value *cube = builder.CreateFMul(size, square);
    Value *near = f.fma(cube, f.polynomial(tanhTail, square), size);
    Value *power = emitExp(builder, builder.CreateFAdd(size, size));
    Value *far = builder.CreateFSub(
        f.number(1.0), builder.CreateFDiv(f.number(2.0), builder.CreateFAdd(power, f.number(1.0))));
    Value *chosen = builder.CreateSelect(builder.CreateFCmpOLT(size, f.number(0.625)), near, far);
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, chosen, x);
}

Value *emitErf(IRBuilderBase &builder, Value *x)
{
    const Floats f(builder, x);
    Value *size = f.abs(x);
    Value *square = builder.CreateFMul(x, x);
    Value *near = builder.CreateFMul(size, f.polynomial(erfCore, square));
    Value *far =
        builder.CreateFSub(f.number(1.0), emitExp(builder, f.polynomial(erfTail, f.most(size, 4.0))));
    Value *chosen = builder.CreateSelect(builder.CreateFCmpOLT(size, f.number(1.0)), near, far);
    Value *result = builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, chosen, x);
    return builder.CreateSelect(builder.CreateFCmpUNO(x, x), x, result);
}

} // namespace nestwright::backend
