// SPDX-License-Identifier: Apache-2.0
// Elements and regions of buffers, and calls.
#include "core/ir/build/builder.h"
#include "core/ir/build/conversions.h"
#include "core/ir/build/intrinsics.h"
#include "core/script/python/sequences.h"
#include "core/script/tvmscript/objects.h"

#include <algorithm>
#include <limits>

namespace nestwright::script {

using ir::Expr;

// Subscripts.

Value ExprReader::subscript(const py::Subscript &node)
{
    const Value object = value(node.value);
    if (const auto *buffer = object.as<ir::Buffer>())
        return bufferElement(*buffer, node);
    if (const auto *list = object.as<ListValue>()) {
        if (node.items.size() != 1)
            m_context.fail(node.at, "script.argument", "expected one index of a list");
        return listItem(*list, node.items.front());
    }
    if (const auto *dict = object.as<DictValue>(); dict && node.items.size() == 1) {
        const std::string key =
            toText(m_context, value(node.items.front()), node.items.front()->at, "the key");
        for (const auto &[name, item] : dict->items) {
            if (toText(m_context, name, node.at, "a key") == key)
                return item;
        }
        m_context.fail(node.items.front()->at, "script.argument",
                       "there is nothing of the key \"" + key + '"');
    }
    m_context.fail(node.at, "script.type", "expected a buffer before '[' but found " + describe(object));
}

/// An item of the list, or those of a slice.
Value ExprReader::listItem(const ListValue &list, const py::Expr &index)
{
    const auto size = static_cast<std::int64_t>(list.items.size());
    const auto *slice = index->as<py::Slice>();
    if (!slice) {
        const std::int64_t given = toInt(m_context, value(index), index->at, "an index");
        return list.items[static_cast<std::size_t>(orFail(m_context, py::placeOf(given, size), index->at))];
    }
    const auto bounds = py::boundsOf(*slice, [&](const py::Expr &e) -> std::optional<std::int64_t> {
        const Value bound = value(e);
        if (bound.isNone())
            return std::nullopt;
        return toInt(m_context, bound, e->at, "the bound of a slice");
    });
    return {ListValue{py::itemsAt(list.items, orFail(m_context, py::placesOf(bounds, size), index->at))}};
}

namespace {

/// An index is an integer; a condition counts as 0 or 1.
Expr toIndex(const Context &context, const Expr &e, py::Position at)
{
    if (e.dtype().isBool())
        return ir::cast(ir::DataType::int32().withLanes(e.dtype().lanes), e);
    if (!e.dtype().isIntegral())
        context.fail(at, "script.type",
                     "an index must be an integer, but this one is of type " + e.dtype().str());
    return e;
}

/// `B[()]` has no index at all.
bool isEmptyIndex(const py::Subscript &node)
{
    const auto *tuple = node.items.size() == 1 ? node.items.front()->as<py::Tuple>() : nullptr;
    return tuple && tuple->items.empty() && !node.isTuple;
}

} // namespace

/// The indices of `A[i]` and `A[(*i, j)]` where a name stands for several; empty for all other indices.
std::vector<Value> ExprReader::spreadIndices(const py::Subscript &node)
{
    const auto *name = node.items.size() == 1 ? node.items.front()->as<py::Name>() : nullptr;
    const Value *known = name ? m_context.find(name->id) : nullptr;
    const bool isList = known && known->as<ListValue>();
    const auto *tuple = node.items.size() == 1 ? node.items.front()->as<py::Tuple>() : nullptr;
    const bool isStarred = std::ranges::any_of(tuple ? tuple->items : node.items, [](const py::Expr &item) {
        return item->as<py::Starred>() != nullptr;
    });
    if (!isList && !isStarred && (!tuple || tuple->items.empty()))
        return {};
    if (isList)
        return known->as<ListValue>()->items;
    return items(tuple ? tuple->items : node.items);
}

/// Indices of `lanes` lanes: consecutive ones from a scalar last index.
std::vector<Expr> ExprReader::vectorIndices(const ir::Buffer &buffer, const Argument &begin, int lanes)
{
    const auto *list = begin.value.as<ListValue>();
    std::vector<Expr> indices = toIndices(buffer, list ? list->items : ValueList{begin.value}, begin.at);
    const int own = buffer.dtype().lanes;
    const bool isFixed = !ir::DataType::isScalable(lanes) && !ir::DataType::isScalable(own);
    if (isFixed && lanes > own && lanes % own == 0 && !indices.empty() && !indices.back().dtype().isVector())
        indices.back() = checkedRamp(m_context, indices.back(), ir::constant(1, indices.back().dtype()),
                                     lanes / own, begin.at);
    return indices;
}

std::vector<Expr> ExprReader::toIndices(const ir::Buffer &buffer, const std::vector<Value> &values,
                                        py::Position at)
{
    std::vector<Expr> indices;
    for (const Value &item : values)
        indices.push_back(toIndex(m_context, toExpr(m_context, item, at), at));
    if (indices.size() != buffer.shape().size())
        m_context.fail(at, "script.rank",
                       "the buffer '" + buffer.name() + "' has " + std::to_string(buffer.shape().size())
                           + " dimensions, but " + std::to_string(indices.size()) + " indices are given");
    return indices;
}

Value ExprReader::bufferElement(const ir::Buffer &buffer, const py::Subscript &node)
{
    const std::size_t rank = buffer.shape().size();
    const std::vector<Value> spread = spreadIndices(node);
    if (!spread.empty())
        return {loadAt(m_context, buffer, toIndices(buffer, spread, node.at), node.at)};
    const std::size_t count = isEmptyIndex(node) ? 0 : node.items.size();
    if (count != rank)
        m_context.fail(node.at, "script.rank",
                       "the buffer '" + buffer.name() + "' has " + std::to_string(rank) + " dimensions, but "
                           + std::to_string(count) + " indices are given");
    std::vector<ir::Range> region;
    std::vector<Expr> indices;
    bool isRegion = false;
    for (std::size_t i = 0; i < count; ++i) {
        const py::Expr &item = node.items[i];
        const auto *slice = item->as<py::Slice>();
        if (!slice) {
            const Expr index = toIndex(m_context, expr(item), item->at);
            region.push_back({index, ir::constant(1, index.dtype().element())});
            indices.push_back(index);
            continue;
        }
        const Expr start = slice->lower ? expr(slice->lower) : ir::constant(0, buffer.shape()[i].dtype());
        const Expr stop = slice->upper ? expr(slice->upper) : buffer.shape()[i];
        const Expr extent = difference(stop, start);
        if (!slice->step) {
            isRegion = true;
            region.push_back({start, extent});
            indices.emplace_back();
            continue;
        }
        const std::int64_t step =
            toInt(m_context, value(slice->step), slice->step->at, "the step of a slice");
        const std::int64_t length = toInt(m_context, {extent}, item->at, "the length of a slice with a step");
        if (step == 0 || (length < 0) != (step < 0))
            m_context.fail(item->at, "script.argument", "a slice with this step has no elements");
        const std::int64_t count = length / step + (length % step == 0 ? 0 : 1);
        const auto lanes = lanesOf(Expr(count));
        if (!lanes)
            m_context.fail(item->at, "script.type",
                           "expected a slice of 1 to 4096 elements but found " + std::to_string(count));
        const Expr stride = ir::intImm(step, start.dtype());
        indices.push_back(count == 1 ? start : checkedRamp(m_context, start, stride, *lanes, item->at));
        region.push_back({});
    }
    if (!isRegion)
        return {loadAt(m_context, buffer, std::move(indices), node.at)};
    const bool hasStep = std::ranges::any_of(region, [](const ir::Range &range) { return !range.min; });
    if (!hasStep)
        return {ir::BufferRegion{buffer, std::move(region)}};
    for (std::size_t i = 0; i < count; ++i) {
        if (!indices[i])
            indices[i] = vectorIndex(m_context, region[i], node.items[i]->at);
    }
    return {loadAt(m_context, buffer, std::move(indices), node.at)};
}

std::pair<ir::Buffer, std::vector<Expr>> ExprReader::element(const py::Subscript &subscript)
{
    const Value object = value(subscript.value);
    const auto *buffer = object.as<ir::Buffer>();
    if (!buffer)
        m_context.fail(subscript.at, "script.type",
                       "expected an element of a buffer but found " + describe(object));
    const Expr load = toExpr(m_context, bufferElement(*buffer, subscript), subscript.at);
    return {*buffer, load.as<ir::BufferLoad>()->indices};
}

// Calls.

std::string ExprReader::functionName(const py::Expr &callee)
{
    const std::string dotted = py::dottedName(callee);
    if (dotted.empty() || m_context.find(dotted.substr(0, dotted.find('.'))))
        return {};
    const std::string canonical = m_context.canonical(dotted);
    return canonical.empty() ? dotted : canonical;
}

std::vector<Value> ExprReader::items(const std::vector<py::Expr> &expressions)
{
    std::vector<Value> result;
    for (const py::Expr &e : expressions) {
        const auto *starred = e->as<py::Starred>();
        if (!starred) {
            result.push_back(value(e));
            continue;
        }
        const Value spread = value(starred->value);
        const auto *list = spread.as<ListValue>();
        if (!list)
            m_context.fail(e->at, "script.type", "expected a list behind '*' but found " + describe(spread));
        result.insert(result.end(), list->items.begin(), list->items.end());
    }
    return result;
}

std::vector<Argument> ExprReader::arguments(const py::Call &call)
{
    std::vector<Argument> result;
    for (const py::Expr &arg : call.args) {
        for (Value &item : items({arg}))
            result.push_back({"", std::move(item), arg->at});
    }
    for (const py::Keyword &keyword : call.keywords) {
        if (keyword.name.empty())
            m_context.fail(keyword.at, "script.unsupported", "'**' is not understood in TVMScript");
        result.push_back({keyword.name, value(keyword.value), keyword.value->at});
    }
    return result;
}

Value ExprReader::call(const py::Call &node)
{
    const std::string function = functionName(node.callee);
    if (function == "T.Let" || function == "T.let")
        return let(node);
    if (function == "T.comm_reducer")
        return reducer(node);
    if (function == "T.index_map")
        return indexMap(node);
    const Value callee = value(node.callee);
    const auto *bound = callee.as<MethodValue>();
    if (const auto *object = bound ? bound->object->as<InstanceValue>() : nullptr) {
        std::vector<Argument> given = arguments(node);
        given.insert(given.begin(), {"", *bound->object, node.at});
        return callDefinition({bound->name, object->instance->method(bound->name)}, given, node.at);
    }
    if (bound)
        return method(*bound, CallArgs(m_context, bound->name, node.at, arguments(node)));
    CallArgs args(m_context, function, node.at, arguments(node));
    if (const auto *type = callee.as<TypeValue>()) {
        if (type->dtype.isHandle())
            return pointer(args);
        const Argument *argument = args.take("expr");
        args.takeNamed("is_size_var");
        args.done();
        if (!argument)
            return {ir::Var("v", type->dtype)};
        const auto *e = argument->value.as<Expr>();
        if (const auto *text = e ? e->as<ir::StringImm>() : nullptr; text && type->dtype.isFloating()) {
            for (const auto &[name, number] : {std::pair("inf", std::numeric_limits<double>::infinity()),
                                               std::pair("-inf", -std::numeric_limits<double>::infinity()),
                                               std::pair("nan", std::numeric_limits<double>::quiet_NaN())}) {
                if (text->value == name)
                    return {ir::constant(number, type->dtype)};
            }
        }
        if (type->dtype.isNarrow())
            return {narrowValue(m_context, argument->value, type->dtype, argument->at)};
        if (const auto *literal = argument->value.as<FloatValue>(); literal && type->dtype.isFloating())
            return {ir::writtenFloat(literal->number, type->dtype)};
        const Expr operand = toExpr(m_context, argument->value, argument->at);
        if (operand.dtype().isHandle()
            || (operand.dtype().isVector() && operand.dtype().lanes != type->dtype.lanes))
            m_context.fail(argument->at, "script.type",
                           "expected a number but found " + describe(argument->value));
        return {ir::cast(type->dtype, operand)};
    }
    if (const auto *global = callee.as<GlobalFunction>())
        return {callGlobal(m_context, *global, arguments(node))};
    if (const auto *named = callee.as<FunctionValue>()) {
        if (named->definition)
            return callDefinition(*named, arguments(node), node.at);
        const std::string_view name = named->name == "I.Range" ? "T.Range" : std::string_view(named->name);
        const bool known = name.starts_with("T.") || !name.contains('.');
        if (known) {
            if (auto result = callFunction(name.starts_with("T.") ? name.substr(2) : name, args))
                return *std::move(result);
        }
        const std::string nearest =
            nearestWord(name.starts_with("T.") ? name.substr(2) : name, functionNames());
        m_context.fail(node.at, "script.unknown-function",
                       "'" + named->name + "' is no function that gives a value",
                       nearest.empty() ? "" : "did you mean 'T." + nearest + "'?");
    }
    if (callee.as<ClassValue>())
        m_context.fail(node.at, "script.unsupported",
                       "an object is made by an assignment of its own, as in name = T.meta_var("
                           + py::dottedName(node.callee) + "(…))");
    m_context.fail(node.at, "script.type", "expected a function before '(' but found " + describe(callee));
}

/// T.handle() or T.handle("float32", "shared")
Value ExprReader::pointer(CallArgs &args)
{
    const Argument *dtype = args.take("dtype");
    const Argument *scope = args.take("storage_scope");
    args.takeNamed("is_size_var");
    args.done();
    if (!dtype || dtype->value.isNone())
        return {ir::Var("handle", ir::DataType::handle())};
    ir::Pointee pointee{toType(m_context, dtype->value, dtype->at), "global"};
    if (scope)
        pointee.scope = toText(m_context, scope->value, scope->at, "the storage scope");
    return {Expr(ir::Var("handle", std::move(pointee)))};
}

Value ExprReader::let(const py::Call &node)
{
    // T.Let(body, where={x: value}) or T.let(x, value, body); x may be new here.
    py::Expr target, bound, body;
    if (node.args.size() == 3) {
        target = node.args[0], bound = node.args[1], body = node.args[2];
    } else if (node.args.size() == 1 && node.keywords.size() == 1 && node.keywords[0].name == "where") {
        const auto *where = node.keywords[0].value->as<py::Dict>();
        if (where && where->items.size() == 1 && where->items[0].first)
            target = where->items[0].first, bound = where->items[0].second, body = node.args[0];
    }
    const auto *targetName = target ? target->as<py::Name>() : nullptr;
    if (!targetName)
        m_context.fail(node.at, "script.argument", "expected T.Let(body, where={variable: value})");
    const Expr bindingValue = expr(bound);
    ir::Var var(targetName->id, bindingValue.dtype());
    if (const Value *known = m_context.find(targetName->id)) {
        const auto *e = known->as<Expr>();
        if (e && e->as<ir::VarNode>() && e->dtype() == bindingValue.dtype())
            var = ir::Var::from(*e);
    }
    const ScopeGuard scope(m_context);
    m_context.define(targetName->id, {Expr(var)});
    return {ir::let(var, bindingValue, expr(body))};
}

Value ExprReader::method(const MethodValue &method, CallArgs args)
{
    if (method.name == "astype") {
        const Argument &dtype = args.need("dtype");
        args.done();
        const Expr operand = toExpr(m_context, *method.object, args.at());
        const ir::DataType type = toType(m_context, dtype.value, dtype.at);
        if (!ir::canCast(operand.dtype(), type))
            m_context.fail(args.at(), "script.type",
                           "a value of type " + operand.dtype().str() + " cannot be cast to " + type.str());
        return {ir::cast(type, operand)};
    }
    const ir::Buffer &buffer = *method.object->as<ir::Buffer>();
    if (method.name == "scope") {
        args.done();
        return {ir::stringImm(buffer->scope)};
    }
    if (method.name == "vload") {
        const Argument &begin = args.need("begin");
        const Argument *dtype = args.take("dtype");
        const Argument *predicate = args.takeNamed("predicate");
        args.done();
        const bool isTyped = dtype && !dtype->value.isNone();
        const ir::DataType type = isTyped ? toType(m_context, dtype->value, dtype->at) : buffer.dtype();
        if (type.element() != buffer.dtype().element())
            m_context.fail(dtype->at, "script.type",
                           "'" + buffer.name() + "' holds " + buffer.dtype().str() + ", not " + type.str());
        const Expr plain = ir::load(buffer, vectorIndices(buffer, begin, type.lanes));
        if (!predicate || predicate->value.isNone())
            return {plain};
        ir::BufferLoad masked = *plain.as<ir::BufferLoad>();
        masked.predicate = toExpr(m_context, predicate->value, predicate->at);
        return {ir::make(std::move(masked))};
    }
    // access_ptr: the whole buffer from an offset, as TVM makes it.
    const Argument &mask = args.need("access_mask");
    const Argument *offset = args.takeNamed("offset");
    const Argument *extent = args.takeNamed("extent");
    args.done();
    const std::string letters = toText(m_context, mask.value, mask.at, "the access mask");
    const int bits = (letters.contains('r') ? 1 : 0) + (letters.contains('w') ? 2 : 0);
    Expr size = 1;
    if (!buffer->strides.empty() && !buffer.shape().empty())
        size = buffer->strides.front() * buffer.shape().front();
    else
        for (const Expr &dimension : buffer.shape())
            size = size * dimension;
    Expr start = buffer->elemOffset ? buffer->elemOffset : Expr(0);
    if (offset) {
        const Expr shift = toExpr(m_context, offset->value, offset->at);
        start = start + shift;
        size = size - shift;
    }
    if (extent)
        size = toExpr(m_context, extent->value, extent->at);
    return {ir::callIntrinsic(
        ir::intrinsics::tvmAccessPtr,
        {ir::call(buffer.dtype(), ir::intrinsics::typeAnnotation, {}), buffer->data, start, size, bits})};
}

} // namespace nestwright::script
