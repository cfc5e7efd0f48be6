// SPDX-License-Identifier: Apache-2.0
// Statements that hold for all that follows them, or for the body of a `with`: let, attributes, threads,
// assertions.
#include "core/ir/build/builder.h"
#include "core/ir/node/attributes.h"
#include "core/script/tvmscript/objects.h"
#include "core/script/tvmscript/stmt.h"

#include <algorithm>
#include <array>
#include <ranges>

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
    if (const auto *annotated = node.as<py::AnnAssign>())
        return this->annotated(*annotated);
    if (const auto *statement = node.as<py::ExprStmt>()) {
        const auto *call = statement->value->as<py::Call>();
        return call ? scopeCall(*call, "") : std::nullopt;
    }
    const auto *assign = node.as<py::Assign>();
    const auto *name =
        assign && assign->targets.size() == 1 ? assign->targets.front()->as<py::Name>() : nullptr;
    return name ? assignment(*assign, name->id) : std::nullopt;
}

std::optional<Wrap> StmtReader::assignment(const py::Assign &node, const std::string &name)
{
    if (scalar(name))
        return std::nullopt; // a store
    if (const py::Call *made = construction(node.value)) {
        std::vector<Wrap> wraps;
        m_context.define(name, construct(*made, wraps));
        return [wraps = std::move(wraps)](Stmt body) {
            for (const Wrap &wrap : wraps | std::views::reverse)
                body = wrap(std::move(body));
            return body;
        };
    }
    if (const auto *call = node.value->as<py::Call>()) {
        if (auto wrap = scopeCall(*call, name))
            return wrap;
        const std::string function = m_exprs.functionName(call->callee);
        const bool isType = function.starts_with("T.") && m_exprs.typeOf(call->callee);
        const bool isPointer = isType && m_exprs.typeOf(call->callee)->isHandle();
        // These name something and make no statement: see assignName.
        constexpr std::array naming{"T.alloc_buffer", "T.sblock_alloc_buffer", "T.match_buffer", "T.Buffer",
                                    "T.buffer_decl",  "T.env_thread",          "T.meta_var",     "T.Var",
                                    "T.var"};
        if ((isType && call->args.empty()) || isPointer || function.starts_with("T.axis.")
            || std::ranges::find(naming, function) != naming.end() || macro(*call).first.definition)
            return std::nullopt;
    }
    const Value value = m_exprs.value(node.value);
    const auto *e = value.as<Expr>();
    const bool isText = e && e->as<ir::StringImm>();
    const bool isNumber = (e && !isText) || value.as<FloatValue>() || value.as<ir::BufferRegion>();
    if (isNumber && m_reassigned.contains(name)) {
        const Expr first = toExpr(m_context, value, node.value->at);
        if (!first.dtype().isHandle() && !first.dtype().isVector())
            return declareScalar(name, first.dtype(), &value, node.value->at);
    }
    if (isNumber)
        return let(name, value, {}, node.value->at);
    return std::nullopt;
}

std::optional<Wrap> StmtReader::scopeCall(const py::Call &call, const std::string &target)
{
    const std::string function = m_exprs.functionName(call.callee);
    if (function == "T.allocate")
        return allocate(m_exprs.callArgs(call, function), target);
    if (function == "T.decl_buffer" || (m_isLater && function == "T.alloc_buffer"))
        return declBuffer(m_exprs.callArgs(call, function), target);
    if (function == "T.local_scalar") {
        CallArgs args = m_exprs.callArgs(call, function);
        const Argument &dtype = args.need("dtype");
        args.done();
        return declareScalar(target.empty() ? "v" : target, toType(m_context, dtype.value, dtype.at), nullptr,
                             call.at);
    }
    if (const Value *object = viewed(call))
        return view(*object->as<ir::Buffer>(), m_exprs.callArgs(call, "view"), target);
    if (function == "T.alloc_shared" || function == "T.alloc_local")
        return declBuffer(m_exprs.callArgs(call, function), target,
                          function == "T.alloc_local" ? "local" : "shared");
    if (function == "T.launch_thread") {
        m_context.namesThread = true;
        CallArgs args = m_exprs.callArgs(call, function);
        m_context.namesThread = false;
        return launchThread(std::move(args), target);
    }
    if (function == "T.attr")
        return attribute(m_exprs.callArgs(call, function));
    if (function == "T.LetStmt" || function == "T.Bind"
        || (function == "T.let" && call.args.size() < 3 && target.empty()))
        return letStmt(m_exprs.callArgs(call, function), target);
    if (function == "T.Assert") {
        CallArgs args = m_exprs.callArgs(call, function);
        const Argument &condition = args.need("condition");
        const Argument &message = args.need("message");
        args.done();
        return assertion(toCondition(m_context, condition.value, condition.at),
                         toText(m_context, message.value, message.at, "the message"));
    }
    if (function == "T.allocate_const")
        return allocateConst(m_exprs.callArgs(call, function), target);
    if (function == "T.realize")
        return realize(m_exprs.callArgs(call, function));
    return std::nullopt;
}

ir::Var StmtReader::annotatedType(const py::Expr &annotation)
{
    // T.let[T.int32] is how later versions write T.int32.
    if (const auto *subscript = annotation->as<py::Subscript>();
        subscript && m_exprs.functionName(subscript->value) == "T.let" && subscript->items.size() == 1)
        return annotatedType(subscript->items.front());
    if (m_exprs.functionName(annotation) == "T.let")
        return {};
    const Value value = m_exprs.value(annotation);
    const auto *e = value.as<Expr>();
    if (e && e->dtype().isHandle() && e->as<ir::VarNode>()) // T.handle("float32")
        return ir::Var::from(*e);
    return ir::Var("v", toType(m_context, value, annotation->at));
}

Wrap StmtReader::let(const std::string &name, const Value &value, const ir::Var &like, py::Position at)
{
    Expr bound = toExpr(m_context, value, at);
    const ir::DataType type = like ? like->dtype : bound.dtype();
    if (value.as<FloatValue>() && type.isFloating())
        bound = ir::writtenFloat(value.as<FloatValue>()->number, type);
    if (type != bound.dtype()) {
        if (type.isHandle() || bound.dtype().isHandle() || type.lanes != bound.dtype().lanes)
            m_context.fail(at, "script.type",
                           "expected a value of type " + type.str() + " but found " + bound.dtype().str());
        bound = ir::cast(type, bound);
    }
    const ir::Var var = like ? ir::Var::like(like, name) : ir::Var(name, type);
    if (like)
        m_context.defineOnce(name, {Expr(var)}, at);
    else
        m_context.define(name, {Expr(var)}); // from here on the name means the new value
    return bind(var, {bound}, at);
}

/// The value for the variable in all that follows.
Wrap StmtReader::bind(const ir::Var &var, const Value &value, py::Position at)
{
    const Expr bound = toExpr(m_context, value, at);
    if (var->dtype != bound.dtype())
        m_context.fail(at, "script.type",
                       "expected a value of type " + var->dtype.str() + " but found " + bound.dtype().str());
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
    const auto variable = [&](const Argument &argument) {
        const ir::Var var = ir::Var::from(toExpr(m_context, argument.value, argument.at));
        if (!var)
            m_context.fail(argument.at, "script.type",
                           "expected a variable but found " + describe(argument.value));
        return var;
    };
    // with T.LetStmt(value) as x, T.LetStmt(value, var=x), which is T.Bind(value, var=x) later, and the older
    // T.let(x, value)
    if (args.function() == "T.let") {
        const Argument &var = args.need("var");
        const Argument &value = args.need("value");
        args.done();
        const ir::Var bound = variable(var);
        return bind(bound, {ir::cast(bound.dtype(), toExpr(m_context, value.value, value.at))}, value.at);
    }
    const Argument &value = args.need("value");
    const Argument *type = args.take("type_annotation");
    ir::Var like;
    if (type && !type->value.isNone()) {
        const auto *e = type->value.as<Expr>();
        like = e && e->as<ir::VarNode>() ? ir::Var::from(*e)
                                         : ir::Var("v", toType(m_context, type->value, type->at));
    }
    const Argument *var = args.take("var");
    args.done();
    if (var && !var->value.isNone())
        return bind(variable(*var), value.value, value.at);
    return let(target.empty() ? "v" : target, value.value, like, value.at);
}

Wrap StmtReader::launchThread(CallArgs args, const std::string &target)
{
    const Argument &thread = args.need("thread");
    const Argument &extent = args.need("extent");
    args.done();
    const Expr size = toExpr(m_context, extent.value, extent.at);
    const Expr e = toExpr(m_context, thread.value, thread.at);
    const auto *tag = e.as<ir::StringImm>();
    const auto known = e.as<ir::VarNode>() ? m_threads.find(ir::Var::from(e)) : m_threads.end();
    if (!tag && known == m_threads.end())
        m_context.fail(thread.at, "script.type", "expected a thread axis such as \"threadIdx.x\"");
    if (!size.dtype().isInt() || size.dtype().isVector())
        m_context.fail(extent.at, "script.type", "expected an integer but found " + size.dtype().str());
    if (!tag)
        return threadLoop(ir::Var::from(e), known->second, size, thread.at);
    const ir::Var var(target.empty() ? "thread" : target, size.dtype());
    if (!target.empty())
        m_context.define(target, {Expr(var)});
    return threadLoop(var, tag->value, size, thread.at);
}

Wrap StmtReader::threadLoop(const ir::Var &var, const std::string &thread, const Expr &extent,
                            py::Position at)
{
    if (thread.empty())
        m_context.fail(at, "script.argument", "the thread axis has no name", "such as \"threadIdx.x\"");
    ir::For loop;
    loop.forKind = ir::ForKind::ThreadBinding;
    loop.thread = thread;
    loop.var = var;
    loop.extent = ir::cast(var->dtype, extent);
    loop.min = ir::constant(0, var->dtype);
    m_context.loops[loop.var] = {loop.min, loop.extent};
    m_context.idleThreads.erase(var);
    return [loop, &context = m_context](Stmt body) mutable {
        context.idleThreads.insert(loop.var);
        loop.body = std::move(body);
        return ir::make(loop);
    };
}

/// T.attr({"key": value}), as later versions print attributes of no node
Wrap StmtReader::attributesOfNothing(const DictValue &dict, py::Position at)
{
    std::vector<ir::AttrStmt> nodes;
    for (const auto &[key, value] : dict.items) {
        ir::AttrStmt attr;
        attr.node = Expr(0);
        attr.key = toText(m_context, key, at, "the key of an attribute");
        attr.value = toExpr(m_context, value, at);
        nodes.push_back(std::move(attr));
    }
    return [nodes](Stmt body) {
        for (ir::AttrStmt attr : std::views::reverse(nodes)) {
            attr.body = std::move(body);
            body = ir::make(std::move(attr));
        }
        return body;
    };
}

Wrap StmtReader::attribute(CallArgs args)
{
    const Argument &node = args.need("node");
    if (const auto *dict = node.value.as<DictValue>()) {
        args.done();
        return attributesOfNothing(*dict, node.at);
    }
    const Argument &key = args.need("attr_key");
    const Argument &value = args.need("value");
    args.done();
    ir::AttrStmt attr;
    if (const auto *buffer = node.value.as<ir::Buffer>())
        attr.node = (*buffer)->data;
    else if (!node.value.isNone())
        attr.node = toNode(m_context, node.value, node.at);
    attr.key = toText(m_context, key.value, key.at, "the key of an attribute");
    if (!value.value.isNone())
        attr.value = toExpr(m_context, value.value, value.at);
    // T.attr(T.iter_var(tx, None, "ThreadIndex", "threadIdx.x"), "thread_extent", 32) is a T.launch_thread.
    const auto *object = attr.node ? attr.node.as<ir::Call>() : nullptr;
    if (object && object->callee.isOther(iterVarReference) && attr.value && attr.value.dtype().isInt()
        && (attr.key == ir::threadExtentKey || attr.key == "virtual_thread"))
        return threadLoop(ir::Var::from(object->args[0]), object->args[2].as<ir::StringImm>()->value,
                          attr.value, node.at);
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
