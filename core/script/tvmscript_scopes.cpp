// SPDX-License-Identifier: Apache-2.0
// Statements that hold for all that follows them, or for the body of a `with`: let, allocate, attributes, threads.
#include "core/ir/builder.h"
#include "core/script/tvmscript_stmt.h"

#include <array>

namespace nestwright::script {

using ir::Expr;
using ir::Stmt;

std::optional<Wrap> StmtReader::scopeStatement(const py::StmtNode &node)
{
    if (const auto *assertion = node.as<py::Assert>()) {
        std::string message;
        if (assertion->message) {
            Value value = m_exprs.value(assertion->message);
            // Later versions write ("RuntimeError", ["the", "parts"]).
            const auto *pair = value.as<ListValue>();
            const auto *parts = pair && pair->items.size() == 2 ? pair->items[1].as<ListValue>() : nullptr;
            if (parts) {
                for (const Value &part : parts->items)
                    message += toText(m_context, part, assertion->message->at, "the message");
            } else {
                message = toText(m_context, value, assertion->message->at, "the message");
            }
        }
        return this->assertion(m_exprs.condition(assertion->condition), std::move(message));
    }
    if (const auto *annotated = node.as<py::AnnAssign>()) {
        const auto *name = annotated->target->as<py::Name>();
        if (!name || !annotated->value)
            m_context.fail(node.at, "script.unsupported", "expected 'name: type = value'");
        const auto type = annotatedType(annotated->annotation);
        return let(name->id, m_exprs.value(annotated->value), type ? &*type : nullptr, annotated->value->at);
    }
    if (const auto *statement = node.as<py::ExprStmt>()) {
        const auto *call = statement->value->as<py::Call>();
        return call ? scopeCall(*call, "") : std::nullopt;
    }
    const auto *assign = node.as<py::Assign>();
    const auto *name =
        assign && assign->targets.size() == 1 ? assign->targets.front()->as<py::Name>() : nullptr;
    if (!name)
        return std::nullopt;
    const auto *call = assign->value->as<py::Call>();
    if (call) {
        if (auto wrap = scopeCall(*call, name->id))
            return wrap;
        const std::string function = m_exprs.functionName(call->callee);
        const bool isType = function.starts_with("T.") && ir::DataType::parse(function.substr(2));
        // These name something and make no statement: see assignName.
        if ((isType && call->args.empty()) || function.starts_with("T.axis.") || function == "T.alloc_buffer"
            || function == "T.sblock_alloc_buffer" || function == "T.match_buffer" || function == "T.Buffer"
            || function == "T.buffer_decl" || function == "T.env_thread" || function == "T.meta_var"
            || function == "T.Var" || function == "T.var" || (isType && function == "T.handle"))
            return std::nullopt;
    }
    const Value value = m_exprs.value(assign->value);
    const auto *e = value.as<Expr>();
    const bool isText = e && e->as<ir::StringImm>();
    if ((e && !isText) || value.as<FloatValue>())
        return let(name->id, value, nullptr, assign->value->at);
    return std::nullopt;
}

std::optional<Wrap> StmtReader::scopeCall(const py::Call &call, const std::string &target)
{
    const std::string function = m_exprs.functionName(call.callee);
    if (function == "T.allocate")
        return allocate(m_exprs.callArgs(call, function), target);
    if (function == "T.decl_buffer" || (m_isLater && function == "T.alloc_buffer"))
        return declBuffer(m_exprs.callArgs(call, function), target);
    if (function == "T.alloc_shared" || function == "T.alloc_local")
        return declBuffer(m_exprs.callArgs(call, function), target,
                          function == "T.alloc_local" ? "local" : "shared");
    if (function == "T.launch_thread")
        return launchThread(m_exprs.callArgs(call, function), target);
    if (function == "T.attr")
        return attribute(m_exprs.callArgs(call, function));
    if (function == "T.LetStmt" || (function == "T.let" && call.args.size() < 3 && target.empty()))
        return letStmt(m_exprs.callArgs(call, function), target);
    if (function == "T.Assert") {
        CallArgs args = m_exprs.callArgs(call, function);
        const Argument &condition = args.need("condition");
        const Argument &message = args.need("message");
        args.done();
        return assertion(toCondition(m_context, condition.value, condition.at),
                         toText(m_context, message.value, message.at, "the message"));
    }
    for (const std::string_view unsupported :
         {"T.allocate_const", "T.realize", "T.alloc_const", "T.block_name_suffix"}) {
        if (function == unsupported)
            m_context.fail(call.at, "script.unsupported", "'" + function + "' is not understood here");
    }
    return std::nullopt;
}

std::optional<ir::DataType> StmtReader::annotatedType(const py::Expr &annotation)
{
    // T.let[T.int32] is how later versions write T.int32.
    if (const auto *subscript = annotation->as<py::Subscript>();
        subscript && m_exprs.functionName(subscript->value) == "T.let" && subscript->items.size() == 1)
        return annotatedType(subscript->items.front());
    if (m_exprs.functionName(annotation) == "T.let")
        return std::nullopt;
    const Value value = m_exprs.value(annotation);
    const auto *e = value.as<Expr>();
    if (e && e->dtype().isHandle() && e->as<ir::VarNode>()) // T.handle("float32")
        return ir::DataType::handle();
    return toType(m_context, value, annotation->at);
}

Wrap StmtReader::let(const std::string &name, const Value &value, const ir::DataType *type, py::Position at)
{
    Expr bound = toExpr(m_context, value, at);
    if (type && value.as<FloatValue>() && type->isFloating())
        bound = ir::constant(value.as<FloatValue>()->number, *type);
    if (type && *type != bound.dtype()) {
        if (type->isHandle() || bound.dtype().isHandle() || type->lanes != bound.dtype().lanes)
            m_context.fail(at, "script.type",
                           "expected a value of type " + type->str() + " but found " + bound.dtype().str());
        bound = ir::cast(*type, bound);
    }
    const ir::Var var(name, bound.dtype());
    m_context.define(name, {Expr(var)});
    return [var, bound](Stmt body) {
        ir::LetStmt node;
        node.var = var;
        node.value = bound;
        node.body = std::move(body);
        return ir::make(std::move(node));
    };
}

Wrap StmtReader::letStmt(CallArgs args, const std::string &target)
{
    // with T.LetStmt(value) as x, T.LetStmt(value, var=x), and the older T.let(x, value)
    if (args.function() == "T.let") {
        const Argument &var = args.need("var");
        const Argument &value = args.need("value");
        args.done();
        const ir::Var bound = ir::Var::from(toExpr(m_context, var.value, var.at));
        if (!bound)
            m_context.fail(var.at, "script.type", "expected a variable but found " + describe(var.value));
        const Expr e = ir::cast(bound.dtype(), toExpr(m_context, value.value, value.at));
        return [bound, e](Stmt body) {
            ir::LetStmt node;
            node.var = bound;
            node.value = e;
            node.body = std::move(body);
            return ir::make(std::move(node));
        };
    }
    const Argument &value = args.need("value");
    const Argument *type = args.take("type_annotation");
    std::optional<ir::DataType> dtype;
    if (type && !type->value.isNone()) {
        const auto *e = type->value.as<Expr>();
        dtype = e && e->as<ir::VarNode>() ? e->dtype() : toType(m_context, type->value, type->at);
    }
    const Argument *var = args.take("var");
    args.done();
    if (var && !var->value.isNone()) {
        const ir::Var bound = ir::Var::from(toExpr(m_context, var->value, var->at));
        const Expr e = toExpr(m_context, value.value, value.at);
        if (!bound || bound.dtype() != e.dtype())
            m_context.fail(var->at, "script.type", "expected a variable of type " + e.dtype().str());
        return [bound, e](Stmt body) {
            ir::LetStmt node;
            node.var = bound;
            node.value = e;
            node.body = std::move(body);
            return ir::make(std::move(node));
        };
    }
    return let(target.empty() ? "v" : target, value.value, dtype ? &*dtype : nullptr, value.at);
}

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
        m_context.define(target, {Expr(node.data)});
    return [node](Stmt body) mutable {
        node.body = std::move(body);
        return ir::make(node);
    };
}

Wrap StmtReader::declBuffer(CallArgs args, const std::string &target, const char *scope)
{
    const std::string name = target.empty() ? "buffer" : target;
    const Argument *data = args.takeNamed("data");
    const bool ownsMemory = !data || data->value.isNone();
    std::vector<Argument> forwarded;
    CallArgs copy = args;
    if (data)
        forwarded.push_back({"data", data->value, data->at});
    for (const char *const key : {"shape", "dtype"}) {
        if (const Argument *argument = copy.take(key))
            forwarded.push_back({key, argument->value, argument->at});
    }
    for (const char *const key :
         {"strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type", "axis_separators"}) {
        if (const Argument *argument = copy.takeNamed(key))
            forwarded.push_back({key, argument->value, argument->at});
    }
    copy.done();
    if (scope)
        forwarded.push_back({"scope", {ir::stringImm(scope)}, args.at()});
    CallArgs all(m_context, args.function(), args.at(), std::move(forwarded));
    ir::DeclBuffer node;
    node.buffer = readBuffer(all, name);
    m_context.define(name, {node.buffer});
    return [node, ownsMemory](Stmt body) mutable {
        node.body = std::move(body);
        const ir::Buffer &buffer = node.buffer;
        Stmt declaration = ir::make(node);
        if (!ownsMemory)
            return declaration;
        ir::Allocate memory;
        memory.extents = buffer.shape();
        memory.dtype = buffer.dtype();
        memory.scope = buffer->scope;
        memory.data = buffer->data;
        memory.body = std::move(declaration);
        return ir::make(std::move(memory));
    };
}

Wrap StmtReader::launchThread(CallArgs args, const std::string &target)
{
    const Argument &thread = args.need("thread");
    const Argument &extent = args.need("extent");
    args.done();
    ir::For loop;
    loop.forKind = ir::ForKind::ThreadBinding;
    loop.extent = toExpr(m_context, extent.value, extent.at);
    const Expr e = toExpr(m_context, thread.value, thread.at);
    if (const auto *tag = e.as<ir::StringImm>()) {
        loop.thread = tag->value;
        loop.var = ir::Var(target.empty() ? "thread" : target, loop.extent.dtype());
    } else if (const auto known = m_threads.find(ir::Var::from(e));
               e.as<ir::VarNode>() && known != m_threads.end()) {
        loop.thread = known->second;
        loop.var = ir::Var::from(e);
        loop.extent = ir::cast(loop.var.dtype(), loop.extent);
    } else {
        m_context.fail(thread.at, "script.type", "expected a thread axis such as \"threadIdx.x\"");
    }
    loop.min = ir::constant(0, loop.extent.dtype());
    if (!target.empty())
        m_context.define(target, {Expr(loop.var)});
    m_context.loops[loop.var] = {loop.min, loop.extent};
    return [loop](Stmt body) mutable {
        loop.body = std::move(body);
        return ir::make(loop);
    };
}

Wrap StmtReader::attribute(CallArgs args)
{
    const Argument &node = args.need("node");
    const Argument &key = args.need("attr_key");
    const Argument &value = args.need("value");
    args.done();
    ir::AttrStmt attr;
    if (const auto *buffer = node.value.as<ir::Buffer>())
        attr.node = (*buffer)->data;
    else if (!node.value.isNone())
        attr.node = toExpr(m_context, node.value, node.at);
    attr.key = toText(m_context, key.value, key.at, "the key of an attribute");
    if (!value.value.isNone())
        attr.value = toExpr(m_context, value.value, value.at);
    return [attr](Stmt body) mutable {
        attr.body = std::move(body);
        return ir::make(attr);
    };
}

Wrap StmtReader::assertion(const Expr &condition, std::string message)
{
    return [condition, message = std::move(message)](Stmt body) {
        ir::AssertStmt node;
        node.condition = condition;
        node.message = message;
        node.body = std::move(body);
        return ir::make(std::move(node));
    };
}

} // namespace nestwright::script
