// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/values.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/schedule/edit.h"
#include "core/script/python/parser.h"
#include "core/script/python/sequences.h"
#include "core/script/python/targets.h"
#include "core/script/python/values.h"
#include "core/support/text/near_names.h"

#include <algorithm>
#include <utility>

namespace nestwright::schedule {

namespace {

ArgValue valueOf(const py::Number &number)
{
    return std::visit([](auto held) { return ArgValue(held); }, number);
}

/// A constant of int32 becomes a plain number, everything else a formula.
ArgValue plainOrFormula(const ir::Expr &e)
{
    const std::int64_t *number = e.dtype() == ir::DataType::int32() ? ir::asInt(e) : nullptr;
    return number ? ArgValue(*number) : ArgValue(Formula{e});
}

} // namespace

std::string_view kindOf(const ArgValue &value)
{
    static constexpr std::string_view names[] = {
        "None",         "a truth value", "an integer",   "a number", "a string", "a loop or block",
        "an index map", "a list",        "a dictionary", "a formula"};
    return names[value.value.index()];
}

void ScriptValues::fail(py::Position at, std::string_view code, std::string message, std::string hint) const
{
    refuse(support::diagnostic(code, std::move(message))
               .withHint(std::move(hint))
               .at(m_fileName, at.line, at.column));
}

void ScriptValues::fail(py::Position at, const py::Fault &fault) const
{
    fail(at, "script.value", fault.message, fault.hint);
}

namespace {

/// Most parts of one value, and of all values together: lists are copied where they are used.
constexpr std::int64_t mostPartsOfValue = 10'000, mostPartsInAll = 10'000'000;

constexpr const char *growthHint = "does a list or a formula grow from line to line?";

/// Numbers, names and operations of `value`, 64 characters as one; counted up to `most` only.
std::int64_t partCount(const ArgValue &value, std::int64_t most)
{
    std::int64_t parts = 1;
    const auto add = [&](const ArgList &items) {
        for (const ArgValue &item : items) {
            if (parts > most)
                return;
            parts += partCount(item, most - parts);
        }
    };
    if (const ArgList *list = value.as<ArgList>())
        add(*list);
    if (const ArgMap *map = value.as<ArgMap>())
        add(map->values);
    if (const std::string *text = value.as<std::string>())
        parts += static_cast<std::int64_t>(text->size() / 64);
    if (const Formula *formula = value.as<Formula>())
        ir::forEachExpr(formula->value, [&](const ir::Expr &) { return ++parts <= most; });
    return parts;
}

} // namespace

void ScriptValues::failLong(py::Position at) const
{
    fail(at, "script.too-long", "this has more than " + std::to_string(mostPartsOfValue) + " parts",
         growthHint);
}

void ScriptValues::countParts(const ArgValue &value, py::Position at)
{
    const std::int64_t parts = partCount(value, mostPartsOfValue);
    m_parts += parts;
    if (parts > mostPartsOfValue)
        failLong(at);
    if (m_parts > mostPartsInAll)
        fail(at, "script.too-long",
             "the script calculates with more than " + std::to_string(mostPartsInAll) + " numbers and names",
             growthHint);
}

ArgValue ScriptValues::evaluate(const py::ExprNode &e)
{
    ArgValue value = evaluateNode(e);
    countParts(value, e.at);
    return value;
}

ArgValue ScriptValues::attribute(const py::Attribute &node)
{
    return m_attribute ? m_attribute(node, evaluate(node.value)) : other(node);
}

ArgValue ScriptValues::callNode(const py::Call &node)
{
    if (const ir::Expr constant = typedConstant(node))
        return Formula{constant};
    if (const ir::Expr number = formula(node))
        return plainOrFormula(number);
    if (const py::Lambda *map = mapOfCall(node))
        return lambda(*map);
    return m_call(node);
}

ArgValue ScriptValues::other(const py::ExprNode &e) const
{
    fail(e.at, "script.unsupported", "a schedule script cannot use this kind of expression",
         "names, numbers, strings, lists, dictionaries, indexing, slicing, + - * // %, comparisons, "
         "conditions, "
         "lambdas and calls of primitives are understood");
}

ArgList ScriptValues::items(const ArgValue &value, py::Position at) const
{
    const ArgList *list = value.as<ArgList>();
    if (!list)
        fail(at, "script.value", "a list is needed here, found " + std::string(kindOf(value)));
    return *list;
}

ArgValue ScriptValues::dictionary(const py::Dict &node)
{
    ArgMap map;
    for (const auto &[key, item] : node.items) {
        const auto *name = key ? key->as<py::StringLiteral>() : nullptr;
        if (!name)
            fail(node.at, "script.value", "the keys of a dictionary are strings here");
        map.set(name->value, evaluate(item));
    }
    return map;
}

void ScriptValues::assign(const py::ExprNode &target, const ArgValue &value)
{
    if (const auto *name = target.as<py::Name>()) {
        set(name->id, value);
        return;
    }
    const std::vector<py::Expr> *targets = py::targetsOf(target);
    if (!targets)
        fail(target.at, "script.unsupported", "a schedule script can assign only to names");
    const ArgList *list = value.as<ArgList>();
    if (!list)
        fail(target.at, "script.value",
             "cannot unpack " + std::string(kindOf(value)) + " into " + std::to_string(targets->size())
                 + " names");
    const auto give = [this](const py::Expr &part, const ArgValue &given) { assign(part, given); };
    orFail(*this, py::unpack(*targets, *list, std::identity(), give), target.at);
}

ArgValue ScriptValues::name(const py::Name &node)
{
    if (const ArgValue *known = m_names.find(node.id))
        return *known;
    fail(node.at, "script.unknown-name", "nothing is named '" + node.id + "' here",
         support::didYouMean(node.id, m_names.names()));
}

ArgValue ScriptValues::unary(const py::Unary &node)
{
    ArgValue value = evaluate(node.operand);
    const auto number = py::numberOf(value.value);
    const bool *truth = value.as<bool>();
    const bool isSign = node.op == py::UnaryOp::Minus || node.op == py::UnaryOp::Plus;
    if (isSign && number && !truth)
        return valueOf(orFail(*this, py::signedNumber(node.op, *number), node.at));
    if (node.op == py::UnaryOp::Minus && value.as<Formula>())
        return Formula{-operand(value, node.at)};
    if (node.op == py::UnaryOp::Not)
        return !isTrue(value, node.operand->at);
    fail(node.at, "script.value", "this operator does not apply to " + std::string(kindOf(value)));
}

ir::Expr ScriptValues::operand(const ArgValue &value, py::Position at) const
{
    if (const std::int64_t *number = value.as<std::int64_t>())
        return ir::Expr(*number);
    const Formula *formula = value.as<Formula>();
    if (!formula || !formula->value.dtype().isInt())
        fail(at, "script.value",
             "formulas calculate with integers only, found " + std::string(kindOf(value)));
    return formula->value;
}

ir::BinaryOp ScriptValues::operatorOf(const py::Binary &node) const
{
    switch (node.op) {
    case py::BinaryOp::Add: return ir::BinaryOp::Add;
    case py::BinaryOp::Sub: return ir::BinaryOp::Sub;
    case py::BinaryOp::Mul: return ir::BinaryOp::Mul;
    case py::BinaryOp::FloorDiv: return ir::BinaryOp::FloorDiv;
    case py::BinaryOp::Mod: return ir::BinaryOp::FloorMod;
    default: fail(node.at, "script.unsupported", "of the operators, + - * // and % are understood");
    }
}

ArgValue ScriptValues::formulaOf(const py::Binary &node, const ArgValue &left, const ArgValue &right) const
{
    const ir::Expr a = operand(left, node.left->at), b = operand(right, node.right->at);
    const ir::BinaryOp op = operatorOf(node);
    if (ir::isDivision(op) && ir::isConstInt(b, 0))
        fail(node.at, "script.value", "division by zero");
    return Formula{ir::binary(op, a, b)};
}

std::optional<ArgValue> ScriptValues::combinedSequences(const py::Binary &node, const ArgValue &left,
                                                        const ArgValue &right) const
{
    const std::int64_t *times = right.as<std::int64_t>();
    if (node.op == py::BinaryOp::Mul && left.as<std::int64_t>() && !times)
        return combinedSequences(node, right, left);
    const auto combine = [&](const auto *a, const auto *b) -> std::optional<ArgValue> {
        if (a && b && node.op == py::BinaryOp::Add)
            return py::joined(*a, *b);
        if (!a || !times || node.op != py::BinaryOp::Mul)
            return std::nullopt;
        if (py::repeatedLength(a->size(), *times) > mostPartsOfValue)
            failLong(node.at);
        return py::repeated(*a, *times);
    };
    if (auto text = combine(left.as<std::string>(), right.as<std::string>()))
        return text;
    return combine(left.as<ArgList>(), right.as<ArgList>());
}

ArgValue ScriptValues::combine(const py::Binary &node, const ArgValue &left, const ArgValue &right) const
{
    if (std::optional<ArgValue> sequence = combinedSequences(node, left, right))
        return *std::move(sequence);
    if (left.as<Formula>() || right.as<Formula>())
        return formulaOf(node, left, right);
    const std::int64_t *x = left.as<std::int64_t>(), *y = right.as<std::int64_t>();
    if (!x || !y)
        fail(node.at, "script.value",
             "schedule scripts calculate with integers only, found " + std::string(kindOf(x ? right : left)));
    operatorOf(node); // refuses the others
    return valueOf(orFail(*this, py::arithmetic(node.op, *x, *y), node.at));
}

bool ScriptValues::isTrue(const ArgValue &value, py::Position at) const
{
    if (const ArgList *list = value.as<ArgList>())
        return !list->empty();
    if (const std::string *text = value.as<std::string>())
        return !text->empty();
    if (const auto number = py::numberOf(value.value))
        return py::isTrue(*number);
    if (value.isNone())
        return false;
    fail(at, "script.value", std::string(kindOf(value)) + " is neither true nor false");
}

bool ScriptValues::isTrue(const py::Expr &e) { return isTrue(evaluate(e), e->at); }

ArgValue ScriptValues::compareOnce(py::CompareOp op, const ArgValue &left, const ArgValue &right,
                                   const py::Compare & /*node*/, const py::ExprNode &operand) const
{
    const py::Position at = operand.at;
    switch (op) {
    case py::CompareOp::Is:
    case py::CompareOp::IsNot: return (left == right) == (op == py::CompareOp::Is);
    case py::CompareOp::In:
    case py::CompareOp::NotIn:
        if (const ArgList *list = right.as<ArgList>())
            return std::ranges::contains(*list, left) == (op == py::CompareOp::In);
        fail(at, "script.value", "'in' needs a list, found " + std::string(kindOf(right)));
    default: break;
    }
    const auto x = py::numberOf(left.value), y = py::numberOf(right.value);
    if (x && y)
        return py::holds(op, py::order(*x, *y));
    if (op == py::CompareOp::EQ || op == py::CompareOp::NE)
        return (left == right) == (op == py::CompareOp::EQ);
    fail(at, "script.value", "only numbers have an order, found " + std::string(kindOf(x ? right : left)));
}

std::int64_t ScriptValues::integer(const py::Expr &e)
{
    const ArgValue value = evaluate(e);
    const std::int64_t *number = value.as<std::int64_t>();
    if (!number)
        fail(e->at, "script.value", "expected an integer, found " + std::string(kindOf(value)));
    return *number;
}

ArgValue ScriptValues::subscript(const py::Subscript &node)
{
    const ArgValue value = evaluate(node.value);
    const ArgList *list = value.as<ArgList>();
    const std::string *text = value.as<std::string>();
    if (!list && !text)
        fail(node.at, "script.value",
             "only lists and strings can be indexed, found " + std::string(kindOf(value)));
    if (node.isTuple || node.items.size() != 1)
        fail(node.at, "script.value", std::string(kindOf(value)) + " takes one index");
    const py::Expr &item = node.items.front();
    const auto size = static_cast<std::int64_t>(list ? list->size() : text->size());
    if (const auto *slice = item->as<py::Slice>()) {
        const auto bounds = py::boundsOf(*slice, [&](const py::Expr &bound) {
            return bound->as<py::NoneLiteral>() ? std::nullopt : std::optional(integer(bound));
        });
        const std::vector<std::int64_t> places = orFail(*this, py::placesOf(bounds, size), slice->at);
        return list ? ArgValue(py::itemsAt(*list, places)) : ArgValue(py::itemsAt(*text, places));
    }
    const auto place =
        static_cast<std::size_t>(orFail(*this, py::placeOf(integer(item), size, kindOf(value)), item->at));
    return list ? (*list)[place] : ArgValue(std::string(1, (*text)[place]));
}

ir::Expr ScriptValues::typedConstant(const py::Call &node)
{
    const std::string callee = py::dottedName(node.callee);
    const std::string name = callee.substr(callee.rfind('.') + 1);
    const bool namesType = name == "IntImm" || name == "FloatImm" || name == "const";
    const auto given = ir::DataType::parse(name);
    if ((!namesType && !given) || !node.keywords.empty() || node.args.size() != (namesType ? 2 : 1))
        return {};
    const ArgList args = evaluateAll(node.args);
    const ArgValue &number = args[name == "IntImm" || name == "FloatImm" ? 1 : 0];
    const std::string *text = namesType ? args[name == "const" ? 1 : 0].as<std::string>() : nullptr;
    const auto type = text ? ir::DataType::parse(*text) : given;
    if (!type)
        fail(node.at, "script.value", "a constant needs a type like \"float32\"");
    if (const auto *integer = number.as<std::int64_t>())
        return type->isFloating() ? ir::floatImm(static_cast<double>(*integer), *type)
                                  : ir::intImm(*integer, *type);
    if (const auto *real = number.as<double>(); real && type->isFloating())
        return ir::writtenFloat(*real, *type);
    if (const auto *truth = number.as<bool>(); truth && type->isBool())
        return ir::boolImm(*truth);
    fail(node.at, "script.value",
         "a constant of type " + type->str() + " cannot be " + std::string(kindOf(number)));
}

ir::Expr ScriptValues::formula(const py::Call &node)
{
    const std::string callee = py::dottedName(node.callee);
    const std::size_t dot = callee.rfind('.');
    if (dot == std::string::npos || !node.keywords.empty())
        return {};
    const std::string name = callee.substr(dot + 1);
    if (name == "vscale" && node.args.empty())
        return ir::callIntrinsic(ir::intrinsics::vscale, {});
    static const std::map<std::string_view, ir::BinaryOp> operators = {
        {"min", ir::BinaryOp::Min},           {"max", ir::BinaryOp::Max},
        {"floordiv", ir::BinaryOp::FloorDiv}, {"floormod", ir::BinaryOp::FloorMod},
        {"ceildiv", ir::BinaryOp::FloorDiv},
    };
    const auto op = operators.find(name);
    if (op == operators.end() || node.args.size() != 2)
        return {};
    const ir::Expr a = operand(evaluate(node.args[0]), node.args[0]->at),
                   b = operand(evaluate(node.args[1]), node.args[1]->at);
    if (ir::isDivision(op->second) && ir::isConstInt(b, 0))
        fail(node.at, "script.value", "division by zero");
    return ir::binary(op->second, name == "ceildiv" ? a + (b - ir::constant(1, b.dtype())) : a, b);
}

Result<ArgValue> readValue(std::string_view text)
{
    const std::string place = "value";
    const auto parsed = py::parseExpression(text, place);
    if (!parsed)
        return std::unexpected(parsed.error());
    const auto noCalls = [&](const py::Call &) -> ArgValue {
        refuse(support::diagnostic("script.unsupported", "a value calls nothing")
                   .withHint("numbers, strings, lists and lambdas are understood"));
    };
    try {
        return ScriptValues(place, noCalls).evaluate(*parsed);
    } catch (const support::UserError &error) {
        return std::unexpected(error.diagnostic());
    }
}

} // namespace nestwright::schedule
