// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/ir/build/absolute.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"

#include <algorithm>
#include <cctype>
#include <format>
#include <limits>

namespace nestwright::te {

namespace {

/// A function of one floating-point number: the name called is that of the intrinsic.
Value unaryMath(const Arguments &arguments)
{
    arguments.expect({"x", "span"});
    return math(arguments.function(), arguments.expr(0, "x"));
}

/// Rounding leaves integers as they are.
Value rounding(const Arguments &arguments)
{
    arguments.expect({"x", "span"});
    const Expr x = arguments.expr(0, "x");
    return x.dtype().isFloating() ? math(arguments.function(), x) : x;
}

Value binaryMath(const Arguments &arguments)
{
    arguments.expect({"x1", "x2", "span"});
    const Expr a = arguments.expr(0, "x1"), b = arguments.expr(1, "x2");
    const DataType dtype = ir::binary(ir::BinaryOp::Add, a, b).dtype();
    const std::string name = arguments.function() == "power" ? "pow" : arguments.function();
    return ir::callIntrinsic(name, {ir::converted(dtype, a), ir::converted(dtype, b)});
}

Value magnitude(const Arguments &arguments)
{
    arguments.expect({"x", "span"});
    return ir::absolute(arguments.expr(0, "x"));
}

Value anyArgument(const Arguments &arguments)
{
    arguments.expect({"x", "span"});
    return ir::callIntrinsic(arguments.function(), {arguments.expr(0, "x")});
}

using Operation2 = Expr (*)(const Expr &, const Expr &);
Value two(const Arguments &arguments, Operation2 operation)
{
    arguments.expect({"a", "b", "span"});
    return operation(arguments.expr(0, "a"), arguments.expr(1, "b"));
}

Expr integerOnly(const Arguments &arguments, const Expr &e)
{
    if (!e.dtype().isIntegral()) {
        arguments.fail("te.type-mismatch", std::format("{}() works on integers, but is given {}",
                                                       arguments.function(), e.dtype().str()));
    }
    return e;
}

Value integerDivision(const Arguments &arguments, Operation2 operation)
{
    arguments.expect({"a", "b", "span"});
    const Expr a = integerOnly(arguments, arguments.expr(0, "a")),
               b = integerOnly(arguments, arguments.expr(1, "b"));
    if (ir::isConstInt(b, 0))
        arguments.fail("te.division-by-zero", std::format("{}() divides by zero", arguments.function()));
    return operation(a, b);
}

Value floorDivision(const Arguments &arguments)
{
    return integerDivision(arguments, [](const Expr &a, const Expr &b) { return ir::floorDiv(a, b); });
}
Value floorRemainder(const Arguments &arguments)
{
    return integerDivision(arguments, [](const Expr &a, const Expr &b) { return ir::floorMod(a, b); });
}
Value truncDivision(const Arguments &arguments)
{
    return integerDivision(arguments, [](const Expr &a, const Expr &b) { return ir::truncDiv(a, b); });
}
Value truncRemainder(const Arguments &arguments)
{
    return integerDivision(arguments, [](const Expr &a, const Expr &b) { return ir::truncMod(a, b); });
}
Value ceilDivision(const Arguments &arguments)
{
    return integerDivision(arguments,
                           [](const Expr &a, const Expr &b) { return ir::floorDiv(a + b - Expr(1), b); });
}
Value division(const Arguments &arguments) { return two(arguments, &divide); }
Value larger(const Arguments &arguments)
{
    return two(arguments, [](const Expr &a, const Expr &b) { return ir::max(a, b); });
}
Value smaller(const Arguments &arguments)
{
    return two(arguments, [](const Expr &a, const Expr &b) { return ir::min(a, b); });
}

Value choose(const Arguments &arguments)
{
    arguments.expect({"cond", "t", "f", "span"});
    return ifThenElse(arguments.expr(0, "cond"), arguments.expr(1, "t"), arguments.expr(2, "f"));
}

Value selectBoth(const Arguments &arguments)
{
    arguments.expect({"condition", "true_value", "false_value", "span"});
    const Expr condition = arguments.expr(0, "condition");
    const Expr a = arguments.expr(1, "true_value"), b = arguments.expr(2, "false_value");
    if (!condition.dtype().isBool())
        arguments.fail("te.condition-type", std::format("the condition of Select() is of type {}, not bool",
                                                        condition.dtype().str()));
    const DataType dtype = ir::binary(ir::BinaryOp::Max, a, b).dtype();
    return ir::select(condition, ir::converted(dtype, a), ir::converted(dtype, b));
}

std::vector<Expr> conditions(const Arguments &arguments)
{
    std::vector<Expr> all;
    for (std::size_t i = 0; i < arguments.positionalCount(); ++i)
        all.push_back(arguments.expr(i, "condition"));
    return all;
}

Value conjunction(const Arguments &arguments) { return all(conditions(arguments)); }
Value disjunction(const Arguments &arguments) { return any(conditions(arguments)); }

Value castTo(const Arguments &arguments)
{
    arguments.expect({"dtype", "value", "span"});
    const Expr value = arguments.expr(1, "value");
    return ir::converted(arguments.dtype(0, "dtype", value.dtype()), value);
}

DataType typeArgument(const Arguments &arguments)
{
    arguments.expect({"dtype", "span"});
    arguments.need(0, "dtype");
    return arguments.dtype(0, "dtype", DataType::float32());
}

Value smallestOfType(const Arguments &arguments) { return ir::minValue(typeArgument(arguments)); }
Value largestOfType(const Arguments &arguments) { return ir::maxValue(typeArgument(arguments)); }
Value infinity(const Arguments &arguments)
{
    const DataType dtype = typeArgument(arguments);
    if (!dtype.isFloating())
        arguments.fail("te.type-mismatch", std::format("{} has no infinity", dtype.str()));
    return ir::floatImm(std::numeric_limits<double>::infinity(), dtype);
}

/// "mylog" of "tir.mylog": the packages that intrinsics are registered in changed between versions.
std::string withoutPackage(const std::string &name)
{
    for (const std::string_view package : {"tir.", "tirx.", "prim."}) {
        if (name.starts_with(package))
            return name.substr(package.size());
    }
    return name;
}

/// A name that no table knows is an intrinsic of the script's own, which a lowering rule explains.
Value callIntrin(const Arguments &arguments)
{
    const DataType dtype = arguments.dtype(0, "dtype", DataType::int32());
    const std::string name = withoutPackage(arguments.string(1, "func_name", {}));
    std::vector<Expr> args;
    for (std::size_t i = 2; i < arguments.positionalCount(); ++i)
        args.push_back(arguments.expr(i, "argument"));
    if (ir::findIntrinsic(name))
        return ir::callIntrinsic(name, std::move(args), dtype);
    const bool isName = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '.';
    });
    if (!isName)
        arguments.fail("te.argument", std::format("\"{}\" is no name of an intrinsic", name));
    return ir::call(dtype, name, std::move(args));
}

/// tvm.ir.register_intrin_lowering("tir.mylog", target="llvm", f=rule, level=10)
Value registerIntrinLowering(const Arguments &arguments)
{
    arguments.expect({"op_name", "target", "f", "level"});
    const ArgumentValue *rule = arguments.find(2, "f");
    if (!rule)
        rule = &arguments.need(2, "f");
    if (!rule->value.as<ClosureValue>())
        arguments.wrong(*rule, "f", "a function of the script");
    const ArgumentValue *level = arguments.find(3, "level");
    const auto *rank = level ? level->value.as<std::int64_t>() : nullptr;
    arguments.interpreter().addIntrinsicRule({withoutPackage(arguments.string(0, "op_name", {})),
                                              arguments.string(1, "target", {}), rule->value,
                                              rank ? *rank : 10, arguments.at()});
    return {};
}

/// A call is taken to have no effect: one that has is no expression.
Value registerOpAttr(const Arguments &) { return {}; }

Value callExtern(const Arguments &arguments)
{
    const DataType dtype = arguments.dtype(0, "dtype", DataType::int32());
    std::vector<Expr> args{ir::stringImm(arguments.string(1, "name", {}))};
    for (std::size_t i = 2; i < arguments.positionalCount(); ++i)
        args.push_back(arguments.expr(i, "argument"));
    const bool isPure = arguments.function() == "call_pure_extern";
    return ir::callIntrinsic(isPure ? ir::intrinsics::callPureExtern : ir::intrinsics::callExtern,
                             std::move(args), dtype);
}

} // namespace

std::span<const BuiltinFunction> mathFunctions()
{
    static const BuiltinFunction table[] = {
        {"te.exp", &unaryMath},
        {"te.exp2", &unaryMath},
        {"te.exp10", &unaryMath},
        {"te.log", &unaryMath},
        {"te.log2", &unaryMath},
        {"te.log10", &unaryMath},
        {"te.log1p", &unaryMath},
        {"te.sqrt", &unaryMath},
        {"te.rsqrt", &unaryMath},
        {"te.sin", &unaryMath},
        {"te.cos", &unaryMath},
        {"te.tan", &unaryMath},
        {"te.asin", &unaryMath},
        {"te.acos", &unaryMath},
        {"te.atan", &unaryMath},
        {"te.sinh", &unaryMath},
        {"te.cosh", &unaryMath},
        {"te.tanh", &unaryMath},
        {"te.asinh", &unaryMath},
        {"te.acosh", &unaryMath},
        {"te.atanh", &unaryMath},
        {"te.erf", &unaryMath},
        {"te.sigmoid", &unaryMath},
        {"te.floor", &rounding},
        {"te.ceil", &rounding},
        {"te.trunc", &rounding},
        {"te.round", &rounding},
        {"te.nearbyint", &rounding},
        {"te.isnan", &anyArgument},
        {"te.isinf", &anyArgument},
        {"te.isfinite", &anyArgument},
        {"te.popcount", &anyArgument},
        {"te.clz", &anyArgument},
        {"te.likely", &anyArgument},
        {"te.pow", &binaryMath},
        {"te.power", &binaryMath},
        {"te.fmod", &binaryMath},
        {"te.atan2", &binaryMath},
        {"te.hypot", &binaryMath},
        {"te.copysign", &binaryMath},
        {"te.abs", &magnitude},
        {"te.fabs", &magnitude},
        {"te.floordiv", &floorDivision},
        {"te.floormod", &floorRemainder},
        {"te.indexdiv", &floorDivision},
        {"te.indexmod", &floorRemainder},
        {"te.truncdiv", &truncDivision},
        {"te.truncmod", &truncRemainder},
        {"te.ceildiv", &ceilDivision},
        {"te.div", &division},
        {"te.Max", &larger},
        {"te.Min", &smaller},
        {"te.if_then_else", &choose},
        {"te.Select", &selectBoth},
        {"te.all", &conjunction},
        {"te.any", &disjunction},
        {"te.Cast", &castTo},
        {"te.min_value", &smallestOfType},
        {"te.max_value", &largestOfType},
        {"te.infinity", &infinity},
        {"te.call_intrin", &callIntrin},
        {"tvm.register_intrin_lowering", &registerIntrinLowering},
        {"tvm.register_op_attr", &registerOpAttr},
        {"te.call_extern", &callExtern},
        {"te.call_pure_extern", &callExtern},
    };
    return table;
}

} // namespace nestwright::te
