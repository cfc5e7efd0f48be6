// SPDX-License-Identifier: Apache-2.0
// Memory for all that follows, or for the body of a `with`: T.allocate, T.allocate_const, T.decl_buffer,
// T.realize.
#include "core/ir/build/builder.h"
#include "core/ir/node/attributes.h"
#include "core/script/tvmscript/objects.h"
#include "core/script/tvmscript/stmt.h"

namespace nestwright::script {

using ir::Expr;
using ir::Stmt;

Wrap StmtReader::allocate(CallArgs args, const std::string &target)
{
    const Argument &extents = args.need("extents");
    const Argument &dtype = args.need("dtype");
    const Argument *scope = args.take("scope");
    const Argument *condition = args.take("condition");
    const Argument *annotations = args.take("annotations");
    args.done();
    if (condition && !condition->value.isNone()
        && !ir::isTrue(toCondition(m_context, condition->value, condition->at)))
        m_context.fail(condition->at, "script.unsupported",
                       "an allocation under a condition is not understood");
    ir::Allocate node;
    node.extents = toExprList(m_context, extents.value, extents.at);
    node.dtype = toType(m_context, dtype.value, dtype.at);
    node.scope = scope ? toText(m_context, scope->value, scope->at, "the storage scope") : "global";
    if (node.scope.empty())
        node.scope = "global";
    if (annotations && !annotations->value.isNone())
        node.annotations = toAttrs(m_context, annotations->value, annotations->at);
    node.data = ir::Var(target.empty() ? "v" : target, ir::DataType::handle());
    if (!target.empty())
        m_context.defineOnce(target, {Expr(node.data)}, args.at());
    return [node](Stmt body) mutable {
        node.body = std::move(body);
        return ir::make(node);
    };
}

Wrap StmtReader::declBuffer(CallArgs args, const std::string &target, const char *scope)
{
    const std::string name = target.empty() ? "buffer" : target;
    const Argument *data = nullptr;
    std::vector<Argument> forwarded;
    for (const char *const key : {"shape", "dtype", "data", "strides", "elem_offset", "scope", "align",
                                  "offset_factor", "buffer_type", "axis_separators"}) {
        const Argument *argument = args.take(key);
        if (argument)
            forwarded.push_back({key, argument->value, argument->at});
        if (std::string_view(key) == "data")
            data = argument;
    }
    const bool ownsMemory = !data || data->value.isNone();
    ir::DeclBuffer node;
    ir::Attrs annotations;
    if (const Argument *argument = ownsMemory ? args.takeNamed("annotations") : nullptr;
        argument && !argument->value.isNone())
        annotations = toAttrs(m_context, argument->value, argument->at);
    args.done();
    if (scope)
        forwarded.push_back({"scope", {ir::stringImm(scope)}, args.at()});
    CallArgs all(m_context, args.function(), args.at(), std::move(forwarded));
    node.buffer = readBuffer(all, name);
    m_context.defineOnce(name, {node.buffer}, args.at());
    if (ownsMemory)
        return allocation(node.buffer, std::move(annotations));
    return [node](Stmt body) mutable {
        node.body = std::move(body);
        return ir::make(node);
    };
}

/// Memory of its own for the buffer in all that follows.
Wrap StmtReader::allocation(const ir::Buffer &buffer, ir::Attrs annotations)
{
    return [buffer, annotations = std::move(annotations)](Stmt body) {
        return ir::allocated(buffer, std::move(body), annotations);
    };
}

/// The object of `A.view(…)` where it is a buffer, or null.
const Value *StmtReader::viewed(const py::Call &call) const
{
    const auto *member = call.callee->as<py::Attribute>();
    const Value *object = member && member->name == "view" ? known(member->value) : nullptr;
    return object && object->as<ir::Buffer>() ? object : nullptr;
}

/// A.view(256): the memory of A in another shape (one size may be -1); or A.view("int32"): as
/// elements of another type.
Wrap StmtReader::view(const ir::Buffer &buffer, CallArgs args, const std::string &target)
{
    const Argument *layout = args.takeNamed("layout");
    std::vector<Argument> given = args.takeRest();
    args.done();
    if (layout && !layout->value.isNone())
        m_context.fail(layout->at, "script.unsupported", "a view with a layout of its own is not understood");
    if (!buffer->strides.empty())
        m_context.fail(args.at(), "script.unsupported",
                       "the buffer '" + buffer.name()
                           + "' has strides, so that it cannot be viewed in another shape",
                       "write T.decl_buffer(shape, data=" + buffer.name() + ".data, strides=…)");
    const std::string name = target.empty() ? buffer.name() : target;
    ir::BufferNode node = *buffer.get();
    node.name = name;
    node.axisSeparators.clear();
    const auto *single = given.size() == 1 ? given.front().value.as<Expr>() : nullptr;
    const bool isType =
        given.size() == 1 && (given.front().value.as<TypeValue>() || (single && single->as<ir::StringImm>()));
    if (isType)
        viewAs(node, toType(m_context, given.front().value, given.front().at), given.front().at);
    else
        viewIn(node, given, args.at());
    ir::DeclBuffer declaration;
    declaration.buffer = ir::Buffer(std::move(node));
    m_context.defineOnce(name, {declaration.buffer}, args.at());
    return [declaration](Stmt body) mutable {
        declaration.body = std::move(body);
        return ir::make(declaration);
    };
}

void StmtReader::viewAs(ir::BufferNode &node, ir::DataType type, py::Position at)
{
    const int from = node.dtype.bits * node.dtype.lanes, to = type.bits * type.lanes;
    const auto fail = [&] {
        m_context.fail(at, "script.argument",
                       "elements of type " + node.dtype.str() + " cannot be viewed as " + type.str());
    };
    if (type.isHandle() || node.dtype.isHandle() || type.code == ir::TypeCode::Void)
        fail();
    if (from != to) {
        const std::int64_t *last = node.shape.empty() ? nullptr : ir::asInt(node.shape.back());
        const bool hasOffset = node.elemOffset && !ir::isConstInt(node.elemOffset, 0);
        if (!last || *last * from % to != 0 || hasOffset)
            fail();
        node.shape.back() = ir::intImm(*last * from / to, node.shape.back().dtype());
    }
    node.dtype = type;
}

void StmtReader::viewIn(ir::BufferNode &node, const std::vector<Argument> &given, py::Position at)
{
    std::vector<Expr> shape;
    Expr size = 1, rest = 1;
    for (const Expr &extent : node.shape)
        size = size * extent;
    std::optional<std::size_t> open;
    for (const Argument &each : given) {
        const Expr extent = toExpr(m_context, each.value, each.at);
        if (!extent.dtype().isInt() || extent.dtype().isVector())
            m_context.fail(each.at, "script.type",
                           "expected integers as the shape but found " + extent.dtype().str());
        if (ir::isConstInt(extent, -1) && open)
            m_context.fail(each.at, "script.argument", "only one size of a view may be -1");
        if (ir::isConstInt(extent, -1))
            open = shape.size();
        else
            rest = rest * extent;
        shape.push_back(extent);
    }
    if (open)
        shape[*open] = ir::floorDiv(size, rest);
    const std::int64_t *all = ir::asInt(size), *known = ir::asInt(rest);
    const bool fits = !all || !known || (open ? *known > 0 && *all % *known == 0 : *all == *known);
    if (!fits || shape.empty())
        m_context.fail(at, "script.argument",
                       "a buffer of " + std::to_string(all ? *all : 0)
                           + " elements cannot be viewed in this shape");
    node.shape = std::move(shape);
}

namespace {

/// The numbers of nested lists, one after the other.
void collectNumbers(const Context &context, const Value &value, ir::DataType dtype, py::Position at,
                    std::vector<Expr> &numbers)
{
    if (const auto *list = value.as<ListValue>()) {
        for (const Value &item : list->items)
            collectNumbers(context, item, dtype, at, numbers);
        return;
    }
    const auto *literal = value.as<FloatValue>();
    const Expr e =
        literal ? ir::constant(literal->number, dtype) : ir::cast(dtype, toExpr(context, value, at));
    if (!e.as<ir::IntImm>() && !e.as<ir::FloatImm>())
        context.fail(at, "script.type", "expected constants but found " + describe(value));
    numbers.push_back(e);
}

} // namespace

/// T.allocate_const([1, 2, 3], "int32", [3])
Wrap StmtReader::allocateConst(CallArgs args, const std::string &target)
{
    const Argument &data = args.need("data");
    const Argument &dtype = args.need("dtype");
    const Argument &extents = args.need("extents");
    const Argument *annotations = args.take("annotations");
    args.done();
    ir::Allocate node;
    node.dtype = toType(m_context, dtype.value, dtype.at);
    if (node.dtype.isVector() || (!node.dtype.isIntegral() && !node.dtype.isFloating()))
        m_context.fail(dtype.at, "script.type", "there are no constants of type " + node.dtype.str());
    node.extents = toExprList(m_context, extents.value, extents.at);
    collectNumbers(m_context, data.value, node.dtype, data.at, node.values);
    std::int64_t size = 1;
    for (const Expr &extent : node.extents) {
        const std::int64_t *number = ir::asInt(extent);
        const bool fits = number && *number > 0 && *number <= static_cast<std::int64_t>(node.values.size());
        size = fits && size > 0 && size <= (std::int64_t{1} << 31) ? size * *number : 0;
    }
    if (size != static_cast<std::int64_t>(node.values.size()))
        m_context.fail(data.at, "script.argument",
                       "the extents do not go with " + std::to_string(node.values.size()) + " numbers");
    if (annotations && !annotations->value.isNone())
        node.annotations = toAttrs(m_context, annotations->value, annotations->at);
    node.data = ir::Var(target.empty() ? "v" : target, ir::DataType::handle());
    if (!target.empty())
        m_context.defineOnce(target, {Expr(node.data)}, args.at());
    return [node](Stmt body) mutable {
        node.body = std::move(body);
        return ir::make(node);
    };
}

/// T.realize(A[0:16, 0:16], "shared")
Wrap StmtReader::realize(CallArgs args)
{
    const Argument &region = args.need("buffer_slice");
    const Argument &scope = args.need("storage_scope");
    const Argument *condition = args.take("condition");
    args.done();
    if (const auto *buffer = region.value.as<ir::Buffer>())
        m_context.fail(region.at, "script.type",
                       "expected a region of a buffer but found the buffer '" + buffer->name() + '\'',
                       "write '" + buffer->name() + "[0:4]' with a range for each dimension");
    if (condition && !ir::isTrue(toCondition(m_context, condition->value, condition->at)))
        m_context.fail(condition->at, "script.unsupported",
                       "a realization under a condition is not understood");
    ir::AttrStmt attr;
    attr.node = referTo(toRegion(m_context, region.value, region.at));
    attr.key = ir::realizeScopeKey;
    attr.value = ir::stringImm(toText(m_context, scope.value, scope.at, "the storage scope"));
    return [attr](Stmt body) mutable {
        attr.body = std::move(body);
        return ir::make(attr);
    };
}

} // namespace nestwright::script
