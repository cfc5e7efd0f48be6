// SPDX-License-Identifier: Apache-2.0
#include "core/script/tvmscript/objects.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/custom_intrinsics.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"

#include <algorithm>

namespace nestwright::script {

using ir::Expr;

namespace {

Expr reference(std::string_view name, std::vector<Expr> args)
{
    return ir::call(ir::DataType::handle(), name, std::move(args));
}

Expr elementAt(const ir::Buffer &buffer, std::vector<Expr> indices)
{
    return ir::load(buffer, std::move(indices));
}

} // namespace

Expr firstElement(const ir::Buffer &buffer)
{
    std::vector<Expr> zeros;
    for (const Expr &extent : buffer.shape())
        zeros.push_back(ir::constant(0, extent.dtype()));
    return elementAt(buffer, std::move(zeros));
}

Expr referTo(const ir::Buffer &buffer) { return reference(bufferReference, {firstElement(buffer)}); }

Expr referTo(const ir::BufferRegion &region)
{
    std::vector<Expr> begin;
    for (const ir::Range &range : region.region)
        begin.push_back(range.min);
    std::vector<Expr> args{elementAt(region.buffer, std::move(begin))};
    for (const ir::Range &range : region.region)
        args.push_back(range.extent);
    return reference(regionReference, std::move(args));
}

ir::BufferRegion regionOf(const ir::Call &e)
{
    const auto &begin = *e.args.front().as<ir::BufferLoad>();
    ir::BufferRegion region{begin.buffer, {}};
    for (std::size_t i = 0; i < begin.indices.size(); ++i)
        region.region.push_back({begin.indices[i], e.args[i + 1]});
    return region;
}

Expr toNode(const Context &context, const Value &value, py::Position at)
{
    if (const auto *buffer = value.as<ir::Buffer>())
        return referTo(*buffer);
    const auto *list = value.as<ListValue>();
    if (!list)
        return toExpr(context, value, at);
    std::vector<Expr> items;
    for (const Value &item : list->items)
        items.push_back(toNode(context, item, at));
    return reference(listReference, std::move(items));
}

std::span<const Expr> ownVariables(const Expr &e)
{
    const auto *call = e.as<ir::Call>();
    if (!call)
        return {};
    if (call->callee.isOther(reducerCall))
        return std::span(call->args).first(call->args.size() / 2);
    return call->callee.isOther(indexMapCall) ? indexMapParts(*call).variables : std::span<const Expr>();
}

IndexMapParts indexMapParts(const ir::Call &e)
{
    const auto count = static_cast<std::size_t>(*ir::asInt(e.args.front()));
    const std::span<const Expr> rest = std::span(e.args).subspan(1);
    return {rest.first(count), rest.subspan(count)};
}

Expr prefetchOf(CallArgs &args)
{
    const Argument &target = args.need("buffer");
    const Argument &bounds = args.need("bounds");
    args.done();
    const auto *buffer = target.value.as<ir::Buffer>();
    const auto *list = bounds.value.as<ListValue>();
    if (!buffer || !list)
        args.context().fail(buffer ? bounds.at : target.at, "script.type",
                            "expected " + std::string(buffer ? "a list of T.Range" : "a buffer")
                                + " but found " + describe(buffer ? bounds.value : target.value));
    if (list->items.empty())
        return reference(prefetchCall, {referTo(*buffer)});
    ir::BufferRegion region{*buffer, {}};
    for (const Value &item : list->items) {
        const auto *ends = item.as<ListValue>();
        if (!ends || ends->items.size() != 2)
            args.context().fail(bounds.at, "script.type",
                                "expected T.Range(begin, end) but found " + describe(item));
        const Expr begin = toExpr(args.context(), ends->items[0], bounds.at);
        region.region.push_back(
            {begin, difference(toExpr(args.context(), ends->items[1], bounds.at), begin)});
    }
    if (region.region.size() != buffer->shape().size())
        args.context().fail(bounds.at, "script.rank",
                            "the buffer '" + buffer->name() + "' has "
                                + std::to_string(buffer->shape().size()) + " dimensions, but "
                                + std::to_string(region.region.size()) + " ranges are given");
    return reference(prefetchCall, {referTo(region)});
}

Value targetObject(CallArgs &args)
{
    const Argument &config = args.need("target_config");
    const Argument *host = args.take("host");
    ir::AttrRecord record{"target", {}};
    if (config.value.as<DictValue>()) {
        record.items = toAttrs(args.context(), config.value, config.at);
        if (record.items.contains("")) // which stands for a target that is no dictionary
            args.context().fail(config.at, "script.argument", "an option of the target has no name");
    } else {
        record.items[""] = ir::AttrValue(toText(args.context(), config.value, config.at, "a target"));
    }
    if (host && !host->value.isNone()) {
        if (record.items.contains("host"))
            args.context().fail(host->at, "script.argument", "the target is given two hosts");
        record.items["host"] = toAttr(args.context(), host->value, host->at);
    }
    return {ObjectValue{ir::AttrValue(std::move(record))}};
}

void requireParameters(const Context &context, const ir::AttrValue &value, std::span<const ir::Param> params,
                       py::Position at)
{
    const auto isKnown = [&](const auto &same) { return std::ranges::any_of(params, same); };
    const auto refuse = [&](const std::string &name) {
        context.fail(at, "script.argument",
                     "'" + name + "' is no parameter, so this attribute cannot hold it");
    };
    if (const ir::Buffer *buffer = value.asBuffer()) {
        if (!isKnown([&](const ir::Param &param) { return param.buffer == *buffer; }))
            refuse(buffer->name());
    } else if (const auto *list = value.asList()) {
        for (const ir::AttrValue &item : *list)
            requireParameters(context, item, params, at);
    } else if (const ir::AttrRecord *record = value.asRecord()) {
        for (const auto &[key, item] : record->items)
            requireParameters(context, item, params, at);
    } else if (*value.asExpr()) {
        const std::span<const Expr> own = ownVariables(*value.asExpr());
        ir::forEachExpr(*value.asExpr(), [&](const Expr &e) {
            if (std::ranges::any_of(own, [&](const Expr &var) { return var.same(e); }))
                return true;
            if (e.as<ir::VarNode>() && !isKnown([&](const ir::Param &param) { return e.same(param.var); }))
                refuse(ir::Var::from(e).name());
            if (const auto *load = e.as<ir::BufferLoad>())
                requireParameters(context, ir::AttrValue(load->buffer), params, at);
            return true;
        });
    }
}

Value iterVarObject(CallArgs &args)
{
    const Argument &var = args.need("v");
    args.need("dom"); // of a thread axis it is None
    const Argument &kind = args.need("iter_type");
    const Argument &thread = args.need("thread_tag");
    const Expr e = toExpr(args.context(), var.value, var.at);
    if (!e.as<ir::VarNode>())
        args.context().fail(var.at, "script.type", "expected a variable but found " + describe(var.value));
    return {reference(iterVarReference,
                      {e, ir::stringImm(toText(args.context(), kind.value, kind.at, "the kind of the axis")),
                       ir::stringImm(toText(args.context(), thread.value, thread.at, "the thread axis"))})};
}

/// T.Range(begin, end), or T.Range(end), which begins at 0
Value rangeObject(CallArgs &args)
{
    const Argument &begin = args.need("begin");
    const Argument *end = args.take("end");
    const Expr first = toExpr(args.context(), begin.value, begin.at);
    if (!end || end->value.isNone())
        return {ListValue{{Value{ir::constant(0, first.dtype())}, Value{first}}}};
    return {ListValue{{Value{first}, Value{toExpr(args.context(), end->value, end->at)}}}};
}

/// T.call_intrin("int32", "tir.name", …): an intrinsic that has no function of its own, or one that has.
Value callIntrin(CallArgs &args)
{
    const Argument &dtype = args.need("dtype");
    const Argument &function = args.need("func_name");
    std::string name = toText(args.context(), function.value, function.at, "the name of an intrinsic");
    for (const std::string_view prefix : {"tir.", "tirx."}) {
        if (name.starts_with(prefix))
            name.erase(0, prefix.size());
    }
    std::vector<Expr> values;
    for (const Argument &argument : args.takeRest())
        values.push_back(toNode(args.context(), argument.value, argument.at));
    return {ir::call(toType(args.context(), dtype.value, dtype.at), name, std::move(values))};
}

/// T.call_tir(Module.helper, …)
Value callTir(CallArgs &args)
{
    const Argument &function = args.need("global_var");
    const auto *global = function.value.as<GlobalFunction>();
    if (!global)
        args.context().fail(function.at, "script.type",
                            "expected a function of the module but found " + describe(function.value));
    return {callGlobal(args.context(), *global, args.takeRest())};
}

Expr callGlobal(const Context &context, const GlobalFunction &function,
                const std::vector<Argument> &arguments)
{
    std::vector<Expr> values{ir::stringImm(function.name)};
    for (const Argument &argument : arguments) {
        if (!argument.name.empty())
            context.fail(argument.at, "script.argument",
                         "the arguments of '" + function.name + "' are given by their places");
        values.push_back(toExpr(context, argument.value, argument.at));
    }
    return ir::call(function.returnType, ir::functionCall, std::move(values));
}

std::optional<int> lanesOf(const Expr &length)
{
    constexpr std::int64_t maxLanes = 4096;
    const auto isScale = [](const Expr &e) {
        const auto *call = e.as<ir::Call>();
        return call && call->callee == ir::intrinsics::vscale;
    };
    const std::int64_t *number = ir::asInt(length);
    if (const auto *product = length.as<ir::Binary>(); product && product->op == ir::BinaryOp::Mul)
        number = isScale(product->a)   ? ir::asInt(product->b)
                 : isScale(product->b) ? ir::asInt(product->a)
                                       : nullptr;
    else if (isScale(length))
        return ir::DataType::scalableLanes(1);
    if (!number || *number < 1 || *number > maxLanes)
        return std::nullopt;
    const int count = static_cast<int>(*number);
    return length.as<ir::IntImm>() ? count : ir::DataType::scalableLanes(count);
}

int toLanes(const Context &context, const Value &value, py::Position at)
{
    const auto *e = value.as<Expr>();
    const auto lanes = e ? lanesOf(*e) : std::nullopt;
    if (!lanes || *lanes < 2)
        context.fail(at, "script.type",
                     "expected 2 to 4096 lanes, or a number times T.vscale(), but found "
                         + (e && ir::asInt(*e) ? std::to_string(*ir::asInt(*e)) : describe(value)));
    return *lanes;
}

Expr narrowValue(const Context &context, const Value &value, ir::DataType dtype, py::Position at)
{
    const auto *literal = value.as<FloatValue>();
    const bool isInteger = dtype.str().find("int") != std::string::npos;
    const Expr e = literal ? Expr() : toExpr(context, value, at);
    const std::int64_t *number = e ? ir::asInt(e) : nullptr;
    if (isInteger && number) {
        ir::IntImm node;
        node.dtype = dtype;
        node.value = *number;
        return ir::make(std::move(node));
    }
    if (!isInteger && (literal || number)) {
        ir::FloatImm node;
        node.dtype = dtype;
        node.value = literal ? literal->number : static_cast<double>(*number);
        return ir::make(std::move(node));
    }
    ir::Cast node;
    node.dtype = dtype;
    node.value = literal ? ir::floatImm(literal->number) : e;
    if (node.value.dtype().isHandle() || node.value.dtype().lanes != dtype.lanes)
        context.fail(at, "script.type", "expected a number but found " + describe(value));
    return ir::make(std::move(node));
}

} // namespace nestwright::script
