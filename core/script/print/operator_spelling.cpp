// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/operator_spelling.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/fold.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <format>

namespace nestwright::script {

using ir::BinaryOp;
using ir::Expr;

std::string floatText(double value)
{
    if (std::isnan(value))
        return "\"nan\"";
    if (std::isinf(value))
        return value < 0 ? "\"-inf\"" : "\"inf\"";
    // 17 digits are enough for any double; whole numbers are written out.
    return value == std::trunc(value) ? std::format("{:.1f}", value) : std::format("{:.17g}", value);
}

namespace {

/// Whether the operator gives this very node; else the text must name the function, which folds nothing.
bool operatorKeeps(const ir::Binary &e)
{
    const Expr result = ir::binary(e.op, e.a, e.b);
    const auto *node = result.as<ir::Binary>();
    return node && node->op == e.op && node->a.same(e.a) && node->b.same(e.b);
}

} // namespace

Precedence operatorPrecedence(BinaryOp op)
{
    switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: return Precedence::Sum;
    case BinaryOp::Mul:
    case BinaryOp::Div:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod: return Precedence::Product;
    case BinaryOp::And: return Precedence::And;
    case BinaryOp::Or: return Precedence::Or;
    case BinaryOp::EQ:
    case BinaryOp::NE:
    case BinaryOp::LT:
    case BinaryOp::LE:
    case BinaryOp::GT:
    case BinaryOp::GE: return Precedence::Comparison;
    case BinaryOp::Mod:
    case BinaryOp::Min:
    case BinaryOp::Max: return Precedence::Atom;
    }
    return Precedence::Atom;
}

std::string_view functionName(const ir::Binary &e)
{
    switch (e.op) {
    case BinaryOp::Add: return "T.Add";
    case BinaryOp::Sub: return "T.Sub";
    case BinaryOp::Mul: return "T.Mul";
    case BinaryOp::Div: return "T.Div";
    case BinaryOp::Mod: return "T.truncmod";
    case BinaryOp::FloorDiv: return "T.FloorDiv";
    case BinaryOp::FloorMod: return "T.FloorMod";
    case BinaryOp::Min: return operatorKeeps(e) ? "T.min" : "T.Min"; // T.min folds its operands where it can
    case BinaryOp::Max: return operatorKeeps(e) ? "T.max" : "T.Max";
    case BinaryOp::EQ: return "T.EQ";
    case BinaryOp::NE: return "T.NE";
    case BinaryOp::LT: return "T.LT";
    case BinaryOp::LE: return "T.LE";
    case BinaryOp::GT: return "T.GT";
    case BinaryOp::GE: return "T.GE";
    case BinaryOp::And: return "T.And";
    case BinaryOp::Or: return "T.Or";
    }
    return "";
}

bool hasOperator(const ir::Binary &e)
{
    if (e.op == BinaryOp::Mod || e.op == BinaryOp::Min || e.op == BinaryOp::Max)
        return false;
    if (e.op == BinaryOp::Div && e.a.dtype().isIntegral())
        return false;
    if (isLogical(e.op) && e.dtype.isVector()) // would combine the bits
        return false;
    return operatorKeeps(e);
}

double numberOf(const ir::FloatImm &constant)
{
    if (constant.written)
        return *constant.written;
    const double value = constant.value;
    const ir::DataType dtype = constant.dtype;
    const bool isPlain = value == std::trunc(value) && std::abs(value) < 1e9;
    if (!std::isfinite(value) || isPlain || dtype.bits == 64 || dtype.isNarrow())
        return value;
    const int maxDigits =
        dtype.bits == 16 ? 3 : 7; // no more, so that two decimals never stand for one constant
    for (int digits = 0; digits < maxDigits; ++digits) {
        const std::string text = std::format("{:.{}e}", value, digits);
        double decimal = value;
        std::from_chars(text.data(), text.data() + text.size(), decimal);
        if (ir::roundToType(decimal, dtype) == value)
            return decimal;
    }
    return value;
}

namespace {

constexpr std::array<BitOperator, 6> bitOperators{{
    {ir::intrinsics::bitwiseOr, "|", Precedence::BitOr},
    {ir::intrinsics::bitwiseXor, "^", Precedence::BitXor},
    {ir::intrinsics::bitwiseAnd, "&", Precedence::BitAnd},
    {ir::intrinsics::shiftLeft, "<<", Precedence::Shift},
    {ir::intrinsics::shiftRight, ">>", Precedence::Shift},
    {ir::intrinsics::bitwiseNot, "~", Precedence::Unary},
}};

} // namespace

const BitOperator *bitOperatorOf(const ir::Call &call)
{
    const auto found = std::ranges::find_if(
        bitOperators, [&](const BitOperator &row) { return call.callee == row.intrinsic; });
    const std::size_t arity = call.callee == ir::intrinsics::bitwiseNot ? 1 : 2;
    if (found == bitOperators.end() || call.args.size() != arity)
        return nullptr;
    const bool constants =
        std::ranges::all_of(call.args, [](const Expr &e) { return e.as<ir::IntImm>() != nullptr; });
    const bool sameTypes =
        std::ranges::all_of(call.args, [&](const Expr &e) { return e.dtype() == call.args.front().dtype(); });
    return constants || !sameTypes ? nullptr : &*found;
}

} // namespace nestwright::script
