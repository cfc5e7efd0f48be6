// SPDX-License-Identifier: Apache-2.0
// Arguments of calls, and conversion of values to expressions, numbers and regions.
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/script/tvmscript/objects.h"

#include <algorithm>

namespace nestwright::script {

using ir::Expr;

// Arguments.

const Argument *CallArgs::take(std::string_view name)
{
    const auto positional = std::ranges::find_if(
        m_arguments, [](const Argument &argument) { return argument.name.empty() && argument.at.line > 0; });
    const Argument *named = takeNamed(name);
    if (positional == m_arguments.end())
        return named;
    if (named)
        m_context.fail(named->at, "script.argument", py::repeatedArgument(callee(), name));
    positional->name = std::string(1, '\0') + std::string(name); // taken, and no longer positional
    return &*positional;
}

const Argument &CallArgs::need(std::string_view name)
{
    const Argument *argument = take(name);
    if (!argument)
        m_context.fail(m_at, "script.argument", py::missingArgument(callee(), name));
    return *argument;
}

const Argument *CallArgs::takeNamed(std::string_view name)
{
    const auto found = std::ranges::find(m_arguments, name, &Argument::name);
    if (found == m_arguments.end())
        return nullptr;
    found->name.insert(0, 1, '\0');
    return &*found;
}

std::vector<Argument> CallArgs::takeRest()
{
    std::vector<Argument> rest;
    for (Argument &argument : m_arguments) {
        if (argument.name.empty()) {
            rest.push_back(argument);
            argument.name = std::string(1, '\0');
        }
    }
    return rest;
}

void CallArgs::done() const
{
    for (const Argument &argument : m_arguments) {
        if (argument.name.starts_with('\0'))
            continue;
        if (argument.name.empty())
            m_context.fail(argument.at, "script.argument",
                           "'" + m_function + "' is given too many arguments");
        m_context.fail(argument.at, "script.argument", py::unknownArgument(callee(), argument.name));
    }
}

// Conversions.

namespace {

[[noreturn]] void failType(const Context &context, py::Position at, std::string_view wanted,
                           const Value &found)
{
    context.fail(at, "script.type", "expected " + std::string(wanted) + " but found " + describe(found));
}

/// A linear form: coefficients of terms, and a constant.
struct Linear {
    std::vector<std::pair<Expr, std::int64_t>> terms;
    std::int64_t constant = 0;

    void add(const Expr &term, std::int64_t factor)
    {
        for (auto &[known, coefficient] : terms) {
            if (ir::structurallyEqual(known, term)) {
                coefficient = static_cast<std::int64_t>(static_cast<std::uint64_t>(coefficient)
                                                        + static_cast<std::uint64_t>(factor));
                return;
            }
        }
        terms.emplace_back(term, factor);
    }
};

void collect(const Expr &e, std::int64_t factor, Linear &form)
{
    if (const std::int64_t *number = ir::asInt(e)) {
        // Wraps around as the machine does, rather than overflow.
        form.constant = static_cast<std::int64_t>(static_cast<std::uint64_t>(form.constant)
                                                  + static_cast<std::uint64_t>(factor)
                                                        * static_cast<std::uint64_t>(*number));
        return;
    }
    if (const auto *node = e.as<ir::Binary>()) {
        if (node->op == ir::BinaryOp::Add || node->op == ir::BinaryOp::Sub) {
            collect(node->a, factor, form);
            collect(node->b, node->op == ir::BinaryOp::Add ? factor : -factor, form);
            return;
        }
        if (node->op == ir::BinaryOp::Mul) {
            const bool numberFirst = ir::asInt(node->a) != nullptr;
            const std::int64_t *number = ir::asInt(numberFirst ? node->a : node->b);
            // Small factors only, so that no product overflows.
            const auto isSmall = [](std::int64_t value) { return value > -(1 << 24) && value < (1 << 24); };
            if (number && isSmall(*number) && isSmall(factor))
                return collect(numberFirst ? node->b : node->a, factor * *number, form);
        }
    }
    form.add(e, factor);
}

} // namespace

namespace {

/// Takes the nodes of `value` from `budget`; false when there are more.
bool fits(const Value &value, std::int64_t &budget)
{
    if (const auto *list = value.as<ListValue>()) {
        for (const Value &item : list->items) {
            if (!fits(item, budget))
                return false;
        }
    } else if (const auto *dict = value.as<DictValue>()) {
        for (const auto &[key, item] : dict->items) {
            if (!fits(key, budget) || !fits(item, budget))
                return false;
        }
    } else if (const auto *e = value.as<Expr>(); e && *e) {
        ir::forEachExpr(*e, [&](const Expr &) { return --budget >= 0; });
    }
    return --budget >= 0;
}

} // namespace

void failLarge(const Context &context, py::Position at)
{
    context.fail(at, "script.too-large",
                 "this value is too large: it has more than " + std::to_string(mostParts) + " parts",
                 "store it to a buffer, or bind it with 'name: type = value'");
}

void requireModestSize(const Context &context, const Value &value, py::Position at)
{
    std::int64_t budget = mostParts;
    if (!fits(value, budget))
        failLarge(context, at);
}

namespace {

/// Numbers of different types count as the same: beside a plain 1 the sum has one of its own type.
bool isSame(const Expr &a, const Expr &b)
{
    const std::int64_t *x = ir::asInt(a), *y = ir::asInt(b);
    return x && y ? *x == *y : ir::structurallyEqual(a, b);
}

} // namespace

Expr difference(const Expr &stop, const Expr &start)
{
    if (ir::isConstInt(start, 0))
        return ir::cast(start.dtype().bits > stop.dtype().bits ? start.dtype() : stop.dtype(), stop);
    const auto *sum = stop.as<ir::Binary>();
    if (sum && sum->op == ir::BinaryOp::Add && isSame(sum->a, start))
        return sum->b;
    if (!stop.dtype().isInt() || !start.dtype().isInt() || stop.dtype().isVector()
        || start.dtype().isVector())
        return stop - start;
    Linear form;
    collect(stop, 1, form);
    collect(start, -1, form);
    const ir::DataType dtype = stop.dtype().bits > start.dtype().bits ? stop.dtype() : start.dtype();
    Expr result = ir::intImm(form.constant, dtype);
    const bool cancelled = std::ranges::all_of(form.terms, [](const auto &term) { return term.second == 0; });
    return cancelled ? result : stop - start;
}

Expr checkedRamp(const Context &context, const Expr &base, const Expr &stride, int lanes, py::Position at)
{
    if (base.dtype().isVector() || stride.dtype().isVector() || !base.dtype().isIntegral()
        || !stride.dtype().isIntegral())
        context.fail(at, "script.type", "the start and the stride of a ramp must be integers");
    return ir::ramp(base, stride, lanes);
}

Expr vectorIndex(const Context &context, const ir::Range &range, py::Position at)
{
    const auto lanes = lanesOf(range.extent);
    if (!lanes)
        context.fail(at, "script.type", "expected a slice of constant length where a value is wanted");
    if (*lanes == 1)
        return range.min;
    return checkedRamp(context, range.min, ir::constant(1, range.min.dtype()), *lanes, at);
}

Expr loadAt(const Context &context, const ir::Buffer &buffer, std::vector<Expr> indices, py::Position at)
{
    for (std::size_t i = 0; i + 1 < indices.size(); ++i) {
        if (indices[i].dtype().isVector())
            context.fail(at, "script.type",
                         "only the last index of '" + buffer.name() + "' may stand for several elements",
                         "write a loop over the others");
    }
    return ir::load(buffer, std::move(indices));
}

Expr toExpr(const Context &context, const Value &value, py::Position at)
{
    if (const auto *e = value.as<Expr>())
        return *e;
    if (const auto *literal = value.as<FloatValue>())
        return ir::writtenFloat(literal->number);
    if (const auto *region = value.as<ir::BufferRegion>()) {
        std::vector<Expr> indices;
        for (const ir::Range &range : region->region)
            indices.push_back(vectorIndex(context, range, at));
        return loadAt(context, region->buffer, std::move(indices), at);
    }
    failType(context, at, "an expression", value);
}

Expr toExprLike(const Context &context, const Value &value, const Value &other, py::Position at)
{
    const auto *literal = value.as<FloatValue>();
    if (!literal || other.as<FloatValue>())
        return toExpr(context, value, at);
    const ir::DataType type = toExpr(context, other, at).dtype().element();
    return ir::writtenFloat(literal->number, type.isFloating() ? type : ir::DataType::float32());
}

std::int64_t toInt(const Context &context, const Value &value, py::Position at, std::string_view what)
{
    const auto *e = value.as<Expr>();
    const std::int64_t *number = e ? ir::asInt(*e) : nullptr;
    if (!number)
        failType(context, at, std::string(what) + " as a constant integer", value);
    return *number;
}

std::string toText(const Context &context, const Value &value, py::Position at, std::string_view what)
{
    const auto *e = value.as<Expr>();
    const auto *text = e ? e->as<ir::StringImm>() : nullptr;
    if (!text)
        failType(context, at, std::string(what) + " as a string", value);
    return text->value;
}

bool toBool(const Context &context, const Value &value, py::Position at, std::string_view what)
{
    return toInt(context, value, at, what) != 0;
}

ir::DataType toType(const Context &context, const Value &value, py::Position at)
{
    if (const auto *type = value.as<TypeValue>())
        return type->dtype;
    const auto *e = value.as<Expr>();
    if (e && e->as<ir::VarNode>()
        && ir::Var::from(*e)->pointee) // T.handle("float32") is a variable of that type
        return e->dtype();
    const auto *text = e ? e->as<ir::StringImm>() : nullptr;
    if (!text)
        failType(context, at, "a type", value);
    if (text->value.empty()) // an older spelling of it
        return ir::DataType::void_();
    for (const std::string_view name : {"int", "uint", "float"}) { // of the usual width
        if (text->value == name)
            return *ir::DataType::parse(std::string(name) + "32");
    }
    if (const auto dtype = ir::DataType::parse(text->value))
        return *dtype;
    context.fail(at, "script.unknown-type", "there is no type \"" + text->value + '"',
                 "types are spelled like \"float32\", \"int8x16\", \"bool\" or \"handle\"");
}

std::vector<Expr> toExprList(const Context &context, const Value &value, py::Position at)
{
    std::vector<Expr> result;
    if (const auto *list = value.as<ListValue>()) {
        for (const Value &item : list->items)
            result.push_back(toExpr(context, item, at));
    } else {
        result.push_back(toExpr(context, value, at));
    }
    return result;
}

ir::BufferRegion toRegion(const Context &context, const Value &value, py::Position at)
{
    if (const auto *region = value.as<ir::BufferRegion>())
        return *region;
    if (const auto *buffer = value.as<ir::Buffer>())
        return ir::fullRegion(*buffer);
    const auto *e = value.as<Expr>();
    const auto *load = e ? e->as<ir::BufferLoad>() : nullptr;
    if (!load)
        failType(context, at, "a region of a buffer", value);
    ir::BufferRegion region{load->buffer, {}};
    for (const Expr &index : load->indices) {
        if (const auto *ramp = index.as<ir::Ramp>()) {
            const Expr last = ir::constant(ramp->lanes - 1, ramp->base.dtype());
            region.region.push_back({ramp->base, last * ramp->stride + 1});
        } else {
            region.region.push_back({index, ir::constant(1, index.dtype().element())});
        }
    }
    return region;
}

ir::AttrValue toAttr(const Context &context, const Value &value, py::Position at)
{
    if (value.isNone())
        return ir::AttrValue(Expr());
    if (const auto *list = value.as<ListValue>()) {
        std::vector<ir::AttrValue> items;
        for (const Value &item : list->items)
            items.push_back(toAttr(context, item, at));
        return items;
    }
    if (value.as<DictValue>())
        return ir::AttrValue(ir::AttrRecord{{}, toAttrs(context, value, at)});
    if (const auto *object = value.as<ObjectValue>())
        return object->attr;
    if (const auto *buffer = value.as<ir::Buffer>())
        return ir::AttrValue(*buffer);
    if (const auto *type = value.as<TypeValue>())
        return ir::AttrValue(type->dtype.str());
    if (const auto *literal = value.as<FloatValue>()) // as wide as Python's own
        return ir::AttrValue(ir::floatImm(literal->number, ir::DataType::float_(64)));
    return toExpr(context, value, at);
}

ir::Attrs toAttrs(const Context &context, const Value &value, py::Position at)
{
    const auto *dict = value.as<DictValue>();
    if (!dict)
        failType(context, at, "a dictionary of annotations", value);
    ir::Attrs attrs;
    for (const auto &[key, item] : dict->items) {
        std::string name = toText(context, key, at, "the key of an annotation");
        if (name.starts_with("tirx.")) // its name in later versions
            name.erase(3, 1);
        attrs[name] = toAttr(context, item, at);
    }
    return attrs;
}

Expr toCondition(const Context &context, const Value &value, py::Position at)
{
    Expr e = toExpr(context, value, at);
    if (e.dtype().isBool())
        return e;
    if (e.dtype().isHandle() || e.dtype().code == ir::TypeCode::Void)
        failType(context, at, "a condition", value);
    return ir::ne(e, ir::constant(0, e.dtype()));
}

} // namespace nestwright::script
