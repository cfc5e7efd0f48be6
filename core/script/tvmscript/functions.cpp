// SPDX-License-Identifier: Apache-2.0
// The functions T.* that give a value: a table of names and handlers. The intrinsics of core/ir need no entry
// here.
#include "core/ir/build/absolute.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/conversions.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/intrinsic_meaning.h"
#include "core/script/intrinsic_names.h"
#include "core/script/tvmscript/objects.h"

#include <algorithm>
#include <array>
#include <limits>

namespace nestwright::script {

using ir::BinaryOp;
using ir::Expr;

Expr keepBinary(BinaryOp op, const Expr &a, const Expr &b)
{
    Expr result = ir::binary(op, a, b);
    const auto *node = result.as<ir::Binary>();
    const bool kept = node && node->op == op && (node->a.same(a) || node->b.same(b));
    return kept || a.dtype() != b.dtype() ? result : ir::binaryNode(op, a, b);
}

namespace {

Expr expression(CallArgs &args, std::string_view name)
{
    const Argument &argument = args.need(name);
    return toExpr(args.context(), argument.value, argument.at);
}

ir::DataType typeArgument(CallArgs &args, std::string_view name)
{
    const Argument &argument = args.need(name);
    return toType(args.context(), argument.value, argument.at);
}

/// Two operands; a bare `1.5` takes the type of the other.
std::pair<Expr, Expr> operands(CallArgs &args)
{
    const Argument &first = args.need("a");
    const Argument &second = args.need("b");
    return {toExprLike(args.context(), first.value, second.value, first.at),
            toExprLike(args.context(), second.value, first.value, second.at)};
}

template <BinaryOp op> Value kept(CallArgs &args)
{
    const auto [a, b] = operands(args);
    return {keepBinary(op, a, b)};
}

/// min and max of two or more.
template <BinaryOp op> Value chain(CallArgs &args)
{
    const auto [a, b] = operands(args);
    Value result{ir::binary(op, a, b)};
    for (const Argument &next : args.takeRest())
        result = {
            ir::binary(op, *result.as<Expr>(), toExprLike(args.context(), next.value, result, next.at))};
    return result;
}

template <BinaryOp op> Value folded(CallArgs &args)
{
    const auto [a, b] = operands(args);
    return {ir::binary(op, a, b)};
}

/// T.And, T.Or, T.all, T.any
template <BinaryOp op> Value logical(CallArgs &args)
{
    Expr result;
    for (const Argument &argument : args.takeRest()) {
        const Expr next = toCondition(args.context(), argument.value, argument.at);
        if (result && result.dtype().lanes != next.dtype().lanes)
            args.context().fail(argument.at, "script.type",
                                "conditions of " + result.dtype().str() + " and " + next.dtype().str()
                                    + " cannot be combined",
                                "give both the same number of lanes");
        result = result ? keepBinary(op, result, next) : next;
    }
    if (!result)
        args.need("condition");
    return {result};
}

Value logicalNot(CallArgs &args)
{
    const Argument &argument = args.need("a");
    ir::Not node;
    node.a = toCondition(args.context(), argument.value, argument.at);
    node.dtype = ir::DataType::boolean(node.a.dtype().lanes);
    return {ir::make(std::move(node))};
}

void requireNumbers(const CallArgs &args, const Expr &value, ir::DataType type)
{
    if (!ir::canCast(value.dtype(), type))
        args.context().fail(
            args.at(), "script.type",
            "a value of type " + value.dtype().str() + " cannot be cast to " + type.str(),
            value.dtype().isHandle() ? "write T.reinterpret(\"uint64\", …) for the address itself" : "");
}

/// T.Cast keeps the cast of a constant, T.cast does not.
Value castNode(CallArgs &args)
{
    ir::Cast node;
    node.dtype = typeArgument(args, "dtype");
    node.value = expression(args, "value");
    requireNumbers(args, node.value, node.dtype);
    if (node.dtype.lanes != node.value.dtype().lanes)
        args.context().fail(args.at(), "script.type",
                            "a cast cannot change the number of lanes: from " + node.value.dtype().str()
                                + " to " + node.dtype.str());
    return {ir::make(std::move(node))};
}

Value cast(CallArgs &args)
{
    const Expr value = expression(args, "value");
    const ir::DataType type = typeArgument(args, "dtype");
    requireNumbers(args, value, type);
    return {ir::cast(type, value)};
}

/// The condition, and two values; a bare `1.5` takes the type of the other.
std::array<Expr, 3> choice(CallArgs &args)
{
    const Argument &condition = args.need("cond");
    const Expr test = toCondition(args.context(), condition.value, condition.at);
    const Argument &yes = args.need("t");
    const Argument &no = args.need("f");
    return {test, toExprLike(args.context(), yes.value, no.value, yes.at),
            toExprLike(args.context(), no.value, yes.value, no.at)};
}

Value select(CallArgs &args)
{
    const auto [condition, yes, no] = choice(args);
    return {ir::select(condition, yes, no)};
}

Value ifThenElse(CallArgs &args)
{
    const auto [condition, yes, no] = choice(args);
    // The literal adapts: T.if_then_else(c, 0, A[i]) is of A's type.
    const bool swap = ir::asInt(yes) && !ir::asInt(no);
    return {ir::callIntrinsic(ir::intrinsics::ifThenElse,
                              {condition, swap ? ir::cast(no.dtype(), yes) : yes, no})};
}

Value ramp(CallArgs &args)
{
    const Expr base = expression(args, "base"), stride = expression(args, "stride");
    const Argument &lanes = args.need("lanes");
    return {
        checkedRamp(args.context(), base, stride, toLanes(args.context(), lanes.value, lanes.at), args.at())};
}

Value broadcast(CallArgs &args)
{
    const Expr value = expression(args, "value");
    const Argument &lanes = args.need("lanes");
    if (value.dtype().isVector())
        args.context().fail(args.at(), "script.type", "expected a scalar but found " + value.dtype().str());
    return {ir::broadcast(value, toLanes(args.context(), lanes.value, lanes.at))};
}

Value ceilDiv(CallArgs &args)
{
    const auto [a, b] = operands(args);
    return {ir::floorDiv(a + b - 1, b)};
}

Value absolute(CallArgs &args) { return {ir::absolute(expression(args, "x"))}; }

ir::DataType numberType(CallArgs &args, const std::string &wanted)
{
    const ir::DataType type = typeArgument(args, "dtype");
    if (type.isFloating())
        return type;
    if (!type.isInt() && !type.isUInt())
        args.context().fail(args.at(), "script.type",
                            "the type " + type.str() + " has no " + wanted + " value");
    return type.element();
}

Value maxValue(CallArgs &args) { return {ir::maxValue(numberType(args, "greatest"))}; }
Value minValue(CallArgs &args) { return {ir::minValue(numberType(args, "least"))}; }

Value infinity(CallArgs &args)
{
    const ir::DataType type = typeArgument(args, "dtype");
    if (!type.isFloating())
        args.context().fail(args.at(), "script.type", "the type " + type.str() + " has no infinity");
    return {ir::constant(std::numeric_limits<double>::infinity(), type)};
}

Value typeAnnotation(CallArgs &args)
{
    return {ir::call(typeArgument(args, "dtype"), ir::intrinsics::typeAnnotation, {})};
}

Value bitwise(CallArgs &args)
{
    const auto [a, b] = operands(args);
    return {ir::callIntrinsic(std::string_view(args.function()).substr(2), {a, ir::cast(a.dtype(), b)})};
}

/// A value of the same type is itself.
Value reinterpret(CallArgs &args)
{
    const Argument *named = args.takeNamed("dtype"); // as older texts write it
    const ir::DataType type =
        named ? toType(args.context(), named->value, named->at) : typeArgument(args, "dtype");
    const Expr value = expression(args, "value");
    if (!ir::canReinterpret(value.dtype(), type))
        args.context().fail(args.at(), "script.type",
                            "T.reinterpret reads the same bits as another type, but " + value.dtype().str()
                                + " and " + type.str() + " do not take as many",
                            "write T.Cast to convert the value");
    return {type == value.dtype() ? value : ir::callIntrinsic(ir::intrinsics::reinterpret, {value}, type)};
}

/// T.Var("n", "int64")
Value variable(CallArgs &args)
{
    const Argument &name = args.need("name");
    const std::string text = toText(args.context(), name.value, name.at, "the name of the variable");
    if (const auto type = ir::DataType::parse(text); type && args.function() == "T.var")
        return {Expr(ir::Var("v", *type))}; // T.var("int32"), which older texts write for T.int32()
    return {Expr(ir::Var(text, typeArgument(args, "dtype")))};
}

Value metaVar(CallArgs &args) { return args.need("value").value; }

Value boundOf(CallArgs &args)
{
    const Argument &list = args.need("list");
    if (const auto *items = list.value.as<ListValue>())
        return {Expr(static_cast<std::int64_t>(items->items.size()))};
    args.context().fail(list.at, "script.type", "expected a list but found " + describe(list.value));
}

/// float("inf") and the like.
Value pythonFloat(CallArgs &args)
{
    const Argument &argument = args.need("x");
    if (argument.value.as<FloatValue>())
        return argument.value;
    if (const auto *e = argument.value.as<Expr>()) {
        if (const std::int64_t *number = ir::asInt(*e))
            return {FloatValue{static_cast<double>(*number)}};
        if (const auto *text = e->as<ir::StringImm>()) {
            if (text->value == "inf" || text->value == "-inf")
                return {
                    FloatValue{(text->value == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity()}};
            if (text->value == "nan")
                return {FloatValue{std::numeric_limits<double>::quiet_NaN()}};
        }
    }
    args.context().fail(argument.at, "script.type",
                        "expected a number but found " + describe(argument.value));
}

struct Row {
    std::string_view name;
    Value (*handler)(CallArgs &);
};

constexpr auto table = std::to_array<Row>({
    {"min", chain<BinaryOp::Min>},
    {"max", chain<BinaryOp::Max>},
    {"Add", kept<BinaryOp::Add>},
    {"Sub", kept<BinaryOp::Sub>},
    {"Mul", kept<BinaryOp::Mul>},
    {"Div", kept<BinaryOp::Div>},
    {"Mod", kept<BinaryOp::Mod>},
    {"FloorDiv", kept<BinaryOp::FloorDiv>},
    {"FloorMod", kept<BinaryOp::FloorMod>},
    {"Min", kept<BinaryOp::Min>},
    {"Max", kept<BinaryOp::Max>},
    {"EQ", kept<BinaryOp::EQ>},
    {"NE", kept<BinaryOp::NE>},
    {"LT", kept<BinaryOp::LT>},
    {"LE", kept<BinaryOp::LE>},
    {"GT", kept<BinaryOp::GT>},
    {"GE", kept<BinaryOp::GE>},
    {"truncdiv", kept<BinaryOp::Div>},
    {"truncmod", kept<BinaryOp::Mod>},
    {"floordiv", folded<BinaryOp::FloorDiv>},
    {"floormod", folded<BinaryOp::FloorMod>},
    {"div", folded<BinaryOp::Div>},
    {"indexdiv", folded<BinaryOp::FloorDiv>},
    {"indexmod", folded<BinaryOp::FloorMod>},
    {"ceildiv", ceilDiv},
    {"And", logical<BinaryOp::And>},
    {"Or", logical<BinaryOp::Or>},
    {"all", logical<BinaryOp::And>},
    {"any", logical<BinaryOp::Or>},
    {"Not", logicalNot},
    {"Cast", castNode},
    {"cast", cast},
    {"Select", select},
    {"if_then_else", ifThenElse},
    {"Ramp", ramp},
    {"ramp", ramp},
    {"Broadcast", broadcast},
    {"broadcast", broadcast},
    {"abs", absolute},
    {"max_value", maxValue},
    {"min_value", minValue},
    {"infinity", infinity},
    {"type_annotation", typeAnnotation},
    {"bitwise_and", bitwise},
    {"bitwise_or", bitwise},
    {"bitwise_xor", bitwise},
    {"shift_left", bitwise},
    {"shift_right", bitwise},
    {"llvm_lookup_intrinsic_id", metaVar}, // the name is kept in place of its number
    {"Var", variable},
    {"var", variable},
    {"meta_var", metaVar},
    {"bind", metaVar}, // the assignment names the value
    {"Range", rangeObject},
    {"len", boundOf},
    {"target", targetObject},
    {"Target", targetObject},
    {"iter_var", iterVarObject},
    {"call_intrin", callIntrin},
    {"reinterpret", reinterpret},
    {"call_tir", callTir},
    {"float", pythonFloat},
});

/// A call by the rules of core/ir's table; where the call states its own type that is the first argument.
Value intrinsicCall(const ir::Intrinsic &intrinsic, CallArgs &args)
{
    ir::DataType given = ir::DataType::void_();
    const Argument *named = args.takeNamed("dtype"); // as older texts write it
    if (named)
        given = toType(args.context(), named->value, named->at);
    else if (intrinsic.type == ir::TypeRule::Given && intrinsic != ir::intrinsics::callPacked
             && intrinsic != ir::intrinsics::ret)
        given = typeArgument(args, "dtype");
    else if (intrinsic == ir::intrinsics::callPacked)
        given = ir::DataType::int32();
    // A bare `1.5` takes the type of the first argument that has one.
    std::vector<Argument> rest = args.takeRest();
    if (!named && intrinsic.type == ir::TypeRule::GivenLast && !rest.empty()) {
        given = toType(args.context(), rest.back().value, rest.back().at);
        rest.pop_back();
    }
    const auto typed = std::ranges::find_if(rest, [](const Argument &argument) {
        const auto *e = argument.value.as<Expr>();
        return (e && e->dtype().isFloating()) || argument.value.as<ir::BufferRegion>();
    });
    std::vector<Expr> values;
    for (const Argument &argument : rest) {
        const auto *buffer = argument.value.as<ir::Buffer>();
        values.push_back(buffer && intrinsic == ir::intrinsics::addressOf ? firstElement(*buffer)
                         : typed == rest.end()
                             ? toExpr(args.context(), argument.value, argument.at)
                             : toExprLike(args.context(), argument.value, typed->value, argument.at));
    }
    if (intrinsic == ir::intrinsics::ret && !values.empty())
        given = values.front().dtype();
    const Expr made = ir::callIntrinsic(intrinsic, std::move(values), given);
    if (const auto fault = ir::intrinsicFault(*made.as<ir::Call>()))
        args.context().fail(args.at(), "script.type", *fault);
    return {made};
}

} // namespace

std::optional<Value> callFunction(std::string_view name, CallArgs &args)
{
    if (name.starts_with("tvm_call_"))
        name.remove_prefix(4); // the older name of call_packed
    name = firstIntrinsicName(name);
    const auto found = std::ranges::find(table, name, &Row::name);
    if (found != table.end()) {
        Value result = found->handler(args);
        args.takeNamed("dtype"); // follows from the arguments, but older texts say it
        args.done();
        return result;
    }
    const ir::Intrinsic *intrinsic = ir::findIntrinsic(name);
    if (!intrinsic)
        return std::nullopt;
    Value result = intrinsicCall(*intrinsic, args);
    args.done();
    return result;
}

std::vector<std::string> functionNames()
{
    std::vector<std::string> names;
    for (const Row &row : table)
        names.emplace_back(row.name);
    for (const ir::Intrinsic &intrinsic : ir::intrinsics::table)
        names.emplace_back(intrinsic.name);
    return names;
}

} // namespace nestwright::script
