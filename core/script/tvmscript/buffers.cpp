// SPDX-License-Identifier: Apache-2.0
#include "core/script/tvmscript/buffers.h"

#include "core/ir/build/builder.h"

namespace nestwright::script {

using ir::Expr;

void unifyTypes(Expr &a, Expr &b)
{
    if (a.dtype() == b.dtype())
        return;
    const bool toB = ir::asInt(a) ? true : ir::asInt(b) ? false : a.dtype().bits < b.dtype().bits;
    if (toB)
        a = ir::cast(b.dtype(), a);
    else
        b = ir::cast(a.dtype(), b);
}

namespace {

void requireIntegers(const Context &context, const std::vector<Expr> &items, py::Position at,
                     std::string_view what)
{
    for (const Expr &item : items) {
        if (!item.dtype().isIntegral() || item.dtype().isVector())
            context.fail(at, "script.type",
                         "expected integers as the " + std::string(what) + " but found "
                             + item.dtype().str());
    }
}

std::vector<Expr> readShape(CallArgs &args, const ir::BufferRegion *source)
{
    const Argument *shape = source ? args.take("shape") : &args.need("shape");
    if (!shape || shape->value.isNone()) {
        std::vector<Expr> extents;
        for (const ir::Range &range : source->region)
            extents.push_back(range.extent);
        return extents;
    }
    std::vector<Expr> items = toExprList(args.context(), shape->value, shape->at);
    for (Expr &item : items) { // "n" is the size of that name
        const auto *name = item.as<ir::StringImm>();
        const Value *size = name ? args.context().find(name->value) : nullptr;
        if (size && size->as<Expr>())
            item = *size->as<Expr>();
    }
    requireIntegers(args.context(), items, shape->at, "shape");
    for (const Expr &item : items) {
        const std::int64_t *extent = ir::asInt(item);
        if (extent && *extent < 0)
            args.context().fail(shape->at, "script.argument",
                                "a dimension of a shape cannot be negative, but one is "
                                    + std::to_string(*extent));
    }
    return items;
}

/// Strings name strides that are variables of their own.
std::vector<Expr> readStrides(CallArgs &args, ir::DataType indexType)
{
    const Argument *strides = args.take("strides");
    if (!strides || strides->value.isNone())
        return {};
    const auto *list = strides->value.as<ListValue>();
    if (!list)
        args.context().fail(strides->at, "script.type",
                            "expected a list of strides but found " + describe(strides->value));
    std::vector<Expr> items;
    for (const Value &item : list->items) {
        const auto *e = item.as<Expr>();
        if (const auto *name = e ? e->as<ir::StringImm>() : nullptr)
            items.push_back(ir::Var(name->value, indexType));
        else
            items.push_back(toExpr(args.context(), item, strides->at));
    }
    requireIntegers(args.context(), items, strides->at, "strides");
    return items;
}

int smallInt(CallArgs &args, std::string_view name, int absent)
{
    const Argument *argument = args.take(name);
    if (!argument || argument->value.isNone())
        return absent;
    const std::int64_t number =
        toInt(args.context(), argument->value, argument->at, "'" + std::string(name) + '\'');
    if (number < -1 || number > (1 << 20))
        args.context().fail(argument->at, "script.argument",
                            "'" + std::string(name) + "' cannot be " + std::to_string(number));
    return static_cast<int>(number);
}

} // namespace

ir::Buffer readBuffer(CallArgs &args, const std::string &name, const ir::BufferRegion *source)
{
    const Context &context = args.context();
    ir::BufferNode node;
    node.name = name;
    node.shape = readShape(args, source);
    const ir::DataType indexType = node.shape.empty() ? ir::DataType::int32() : node.shape.front().dtype();
    const Argument *dtype = args.take("dtype");
    node.dtype = dtype    ? toType(context, dtype->value, dtype->at)
                 : source ? source->buffer.dtype()
                          : ir::DataType::float32();
    if (dtype && node.dtype.code == ir::TypeCode::Void)
        context.fail(dtype->at, "script.type", "a buffer cannot hold elements of type void");
    const Argument *data = args.take("data");
    if (data && !data->value.isNone()) {
        node.data = ir::Var::from(toExpr(context, data->value, data->at));
        if (!node.data || !node.data.dtype().isHandle())
            context.fail(data->at, "script.type",
                         "expected a pointer as 'data' but found " + describe(data->value));
    } else {
        node.data = ir::Var(name, ir::DataType::handle());
    }
    node.strides = readStrides(args, indexType);
    const Argument *offset = args.take("elem_offset");
    if (offset && !offset->value.isNone()) {
        node.elemOffset = toExpr(context, offset->value, offset->at);
        requireIntegers(context, {node.elemOffset}, offset->at, "element offset");
    }
    const Argument *scope = args.take("scope");
    if (scope && !scope->value.isNone())
        node.scope = toText(context, scope->value, scope->at, "the storage scope");
    if (node.scope.empty())
        node.scope = "global";
    const int alignment = smallInt(args, "align", -1);
    node.alignment = alignment > 0 ? alignment : 64;
    const int factor = smallInt(args, "offset_factor", 0);
    node.offsetFactor = factor > 0 ? factor : 1;
    if (factor > 0 && !node.elemOffset)
        node.elemOffset = ir::Var(name + "_elem_offset", indexType);
    args.take("buffer_type");
    const Argument *separators = args.take("axis_separators");
    if (separators && !separators->value.isNone()) {
        for (const Expr &item : toExprList(context, separators->value, separators->at))
            node.axisSeparators.push_back(
                static_cast<int>(toInt(context, {item}, separators->at, "an axis separator")));
    }
    args.done();
    return ir::Buffer(std::move(node));
}

} // namespace nestwright::script
