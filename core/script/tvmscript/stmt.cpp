// SPDX-License-Identifier: Apache-2.0
#include "core/script/tvmscript/stmt.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/script/python/targets.h"
#include "core/script/tvmscript/objects.h"

#include <algorithm>

namespace nestwright::script {

using ir::Expr;
using ir::Stmt;

std::vector<std::string> targetNames(const py::Expr &target)
{
    if (const auto *name = target->as<py::Name>())
        return {name->id};
    const std::vector<py::Expr> *items = py::targetsOf(*target);
    std::vector<std::string> names;
    for (std::size_t i = 0; items && i < items->size(); ++i) {
        const auto *name = (*items)[i]->as<py::Name>();
        if (!name)
            return {};
        names.push_back(name->id);
    }
    return names;
}

Stmt StmtReader::body(const py::Body &statements)
{
    const ScopeGuard scope(m_context);
    return rest(statements, 0);
}

Stmt StmtReader::loopBody(const py::Body &statements)
{
    ++m_loopDepth;
    Stmt result = body(statements);
    --m_loopDepth;
    return result;
}

Stmt StmtReader::rest(const py::Body &statements, std::size_t from)
{
    constexpr int maxNestedWraps = 400;
    std::vector<Stmt> result;
    for (std::size_t i = from; i < statements.size(); ++i) {
        if (const auto wrap = scopeStatement(*statements[i])) {
            if (++m_depth > maxNestedWraps)
                m_context.fail(statements[i]->at, "script.unsupported",
                               "more than " + std::to_string(maxNestedWraps)
                                   + " statements of one function hold for all that follows them");
            result.push_back((*wrap)(rest(statements, i + 1)));
            --m_depth;
            break;
        }
        if (Stmt s = statement(*statements[i]))
            result.push_back(std::move(s));
    }
    return result.size() == 1 ? result.front() : ir::seq(std::move(result));
}

Stmt StmtReader::statement(const py::StmtNode &node)
{
    switch (node.kind) {
    case py::StmtKind::ExprStmt: return exprStatement(*node.as<py::ExprStmt>());
    case py::StmtKind::Assign: return assign(*node.as<py::Assign>());
    case py::StmtKind::AugAssign: return augmented(*node.as<py::AugAssign>());
    case py::StmtKind::For: return forLoop(*node.as<py::For>());
    case py::StmtKind::With: return with(*node.as<py::With>(), 0);
    case py::StmtKind::If: return ifThenElse(*node.as<py::If>());
    case py::StmtKind::Pass: return {};
    case py::StmtKind::While: {
        const auto *loop = node.as<py::While>();
        ir::While result;
        result.condition = m_exprs.condition(loop->condition);
        result.body = loopBody(loop->body);
        return ir::make(std::move(result));
    }
    case py::StmtKind::Return: {
        const auto *value = node.as<py::Return>();
        if (!value->value)
            m_context.fail(node.at, "script.unsupported", "expected a value behind 'return'");
        const Expr result = m_exprs.expr(value->value);
        return ir::evaluate(ir::callIntrinsic(ir::intrinsics::ret, {result}, result.dtype()));
    }
    case py::StmtKind::AnnAssign:
    case py::StmtKind::Assert: break; // both are scope statements
    case py::StmtKind::Break:
    case py::StmtKind::Continue: {
        const bool isBreak = node.kind == py::StmtKind::Break;
        if (m_loopDepth == 0)
            m_context.fail(node.at, "script.unsupported",
                           std::string(isBreak ? "'break'" : "'continue'") + " stands outside of any loop");
        return ir::evaluate(
            ir::callIntrinsic(isBreak ? ir::intrinsics::breakLoop : ir::intrinsics::continueLoop, {}));
    }
    case py::StmtKind::FunctionDef: defineInside(*node.as<py::FunctionDef>()); return {};
    case py::StmtKind::Raise:
    case py::StmtKind::Try:
    case py::StmtKind::Delete:
    case py::StmtKind::ClassDef:
    case py::StmtKind::Import: break;
    }
    m_context.fail(node.at, "script.unsupported",
                   "this kind of statement is not understood in a function of TVMScript");
}

// Assignments.

Stmt StmtReader::assign(const py::Assign &node)
{
    if (node.targets.size() != 1)
        m_context.fail(node.at, "script.unsupported", "only one target may be assigned to at a time");
    const py::Expr &target = node.targets.front();
    if (!py::targetsOf(*target))
        return assignOne(target, node.value);
    std::vector<std::string> all;
    py::appendNames(*target, all);
    for (const std::string &name : all) {
        if (scalar(name))
            m_context.fail(target->at, "script.unsupported",
                           "the variable '" + name + "' cannot be assigned together with others",
                           "write one assignment for each");
    }
    const std::vector<std::string> names = targetNames(target); // none where some are nested or starred
    if (const auto *call = node.value->as<py::Call>();
        call && !names.empty() && m_exprs.functionName(call->callee) == "T.axis.remap") {
        remap(names, *call);
        return {};
    }
    const auto *values = node.value->as<py::Tuple>();
    if (values && !names.empty() && values->items.size() == names.size()) {
        for (std::size_t i = 0; i < names.size(); ++i)
            assignName(names[i], values->items[i]);
        return {};
    }
    const Value value = m_exprs.value(node.value);
    requireModestSize(m_context, value, node.value->at);
    m_exprs.bindTarget(target, value, node.value->at);
    return {};
}

Stmt StmtReader::assignOne(const py::Expr &target, const py::Expr &value)
{
    if (const auto *element = target->as<py::Subscript>())
        return store(*element, m_exprs.value(value), value->at);
    const auto *name = target->as<py::Name>();
    if (!name)
        m_context.fail(target->at, "script.unsupported",
                       "expected a name or an element of a buffer to assign to");
    if (const ir::Buffer *assigned = scalar(name->id))
        return assignScalar(*assigned, m_exprs.value(value), value->at);
    assignName(name->id, value);
    return {};
}

/// Names for values that make no statement: buffers, iteration variables, free variables, lists.
void StmtReader::assignName(const std::string &name, const py::Expr &value)
{
    const auto *call = value->as<py::Call>();
    const std::string function = call ? m_exprs.functionName(call->callee) : std::string();
    if (function == "T.alloc_buffer" || function == "T.sblock_alloc_buffer") {
        const ir::Buffer buffer = [&] {
            CallArgs args = m_exprs.callArgs(*call, function);
            return readBuffer(args, name);
        }();
        m_blocks.back()->block.allocBuffers.push_back(buffer);
        m_context.defineOnce(name, {buffer}, value->at);
    } else if (function == "T.Buffer" || function == "T.buffer_decl") {
        CallArgs args = m_exprs.callArgs(*call, function);
        m_context.defineOnce(name, {readBuffer(args, name)}, value->at);
    } else if (function == "T.match_buffer") {
        matchBuffer(name, *call);
    } else if (function == "T.axis.remap") {
        remap({name}, *call);
    } else if (function.starts_with("T.axis.")) {
        axis(name, function, *call);
    } else if (function == "T.env_thread") {
        CallArgs args = m_exprs.callArgs(*call, function);
        const Argument &thread = args.need("thread_tag");
        const ir::Var var(name);
        m_threads[var] = toText(m_context, thread.value, thread.at, "the thread axis");
        m_context.idleThreads.insert(var);
        args.done();
        m_context.define(name, {Expr(var)});
    } else {
        Value result = m_exprs.value(value);
        // A variable that T.int32() has just made takes its name from the assignment.
        const auto *e = result.as<Expr>();
        if (call && e && e->as<ir::VarNode>() && makesVariable(*call))
            result = {declaredVariable(name, ir::Var::from(*e), value->at)};
        requireModestSize(m_context, result, value->at);
        m_context.define(name, std::move(result));
    }
}

Stmt StmtReader::store(const py::Subscript &target, const Value &value, py::Position at)
{
    const auto [buffer, indices] = m_exprs.element(target);
    const Value like{
        Expr(ir::constant(0, buffer.dtype().isHandle() ? ir::DataType::int32() : buffer.dtype().element()))};
    return storeAt(buffer, indices, toExprLike(m_context, value, like, at), at);
}

Stmt StmtReader::storeAt(const ir::Buffer &buffer, const std::vector<Expr> &indices, const Expr &stored,
                         py::Position at)
{
    const int lanes = buffer.dtype().lanes * (indices.empty() ? 1 : indices.back().dtype().lanes);
    const bool fits = stored.dtype().lanes == lanes || stored.dtype().lanes == 1;
    if (!fits || stored.dtype().isHandle() != buffer.dtype().isHandle()
        || stored.dtype().code == ir::TypeCode::Void)
        m_context.fail(at, "script.type",
                       "expected a value of type " + buffer.dtype().withLanes(lanes).str() + " to store to '"
                           + buffer.name() + "' but found " + stored.dtype().str());
    return ir::store(buffer, stored, indices);
}

Stmt StmtReader::augmented(const py::AugAssign &node)
{
    py::Binary sum;
    sum.at = node.at;
    sum.op = node.op;
    sum.left = node.target;
    sum.right = node.value;
    const Value value = m_exprs.value(std::make_shared<const py::Binary>(std::move(sum)));
    const auto *name = node.target->as<py::Name>();
    if (const ir::Buffer *assigned = name ? scalar(name->id) : nullptr)
        return assignScalar(*assigned, value, node.value->at);
    const auto *element = node.target->as<py::Subscript>();
    if (!element)
        m_context.fail(node.target->at, "script.unsupported",
                       "expected an element of a buffer to update, or a variable that may be assigned");
    return store(*element, value, node.value->at);
}

Stmt StmtReader::exprStatement(const py::ExprStmt &node)
{
    if (node.value->as<py::StringLiteral>()) // a docstring
        return {};
    const auto *call = node.value->as<py::Call>();
    if (!call) {
        const Value value = m_exprs.value(node.value);
        const auto *e = value.as<Expr>();
        if (!node.value->as<py::Binary>() || !e)
            m_context.fail(node.at, "script.unsupported", "this expression has no effect",
                           "write T.evaluate(…) where that is meant");
        return ir::evaluate(*e);
    }
    if (const auto [function, object] = macro(*call); function.definition)
        return expandMacro(function, object, *call);
    const std::string function = m_exprs.functionName(call->callee);
    if (function == "T.func_attr") {
        functionAttrs(*call);
        return {};
    }
    if (function == "T.evaluate") {
        CallArgs args = m_exprs.callArgs(*call, function);
        const Argument &value = args.need("value");
        args.done();
        return ir::evaluate(toExpr(m_context, value.value, value.at));
    }
    if (blockCall(function, *call))
        return {};
    if (function == "T.prefetch") {
        CallArgs args = m_exprs.callArgs(*call, function);
        return ir::evaluate(prefetchOf(args));
    }
    if (function == "T.buffer_store") {
        CallArgs args = m_exprs.callArgs(*call, function);
        const Argument &buffer = args.need("buffer");
        return storeTo(buffer, args);
    }
    const auto *callee = call->callee->as<py::Attribute>();
    if (callee && callee->name == "vstore")
        return storeCall(*call);
    return ir::evaluate(m_exprs.expr(node.value));
}

/// A.vstore([i], value, predicate=mask)
Stmt StmtReader::storeCall(const py::Call &call)
{
    CallArgs args = m_exprs.callArgs(call, "vstore");
    const py::Expr &object = call.callee->as<py::Attribute>()->value;
    return storeTo({"", m_exprs.value(object), object->at}, args);
}

Stmt StmtReader::storeTo(const Argument &target, CallArgs &args)
{
    const auto *buffer = target.value.as<ir::Buffer>();
    if (!buffer)
        m_context.fail(target.at, "script.type", "expected a buffer but found " + describe(target.value));
    // A.vstore([i], value), but T.buffer_store(A, value, [i])
    const bool valueFirst = args.function() == "T.buffer_store";
    const Argument *first = valueFirst ? &args.need("value") : nullptr;
    const Argument &begin = args.need(valueFirst ? "indices" : "begin");
    const Argument &value = first ? *first : args.need("value");
    const Argument *predicate = args.take("predicate");
    args.done();
    const Expr stored = toExpr(m_context, value.value, value.at);
    Stmt plain =
        storeAt(*buffer, m_exprs.vectorIndices(*buffer, begin, stored.dtype().lanes), stored, value.at);
    if (!predicate || predicate->value.isNone())
        return plain;
    ir::BufferStore masked = *plain.as<ir::BufferStore>();
    masked.predicate = toExpr(m_context, predicate->value, predicate->at);
    return ir::make(std::move(masked));
}

/// Whether Python alone knows the value: `if transposed:` with a constant of the file chooses a branch while
/// reading.
bool StmtReader::isPythonConstant(const py::Expr &e) const
{
    if (e->as<py::BoolLiteral>() || e->as<py::IntLiteral>() || e->as<py::StringLiteral>())
        return true;
    if (const auto *name = e->as<py::Name>()) {
        const Value *known = m_context.find(name->id);
        const auto *constant = known ? known->as<Expr>() : nullptr;
        return constant && (ir::asInt(*constant) || constant->as<ir::StringImm>());
    }
    if (const auto *node = e->as<py::Unary>())
        return isPythonConstant(node->operand);
    if (const auto *node = e->as<py::BoolOp>())
        return std::ranges::all_of(node->operands,
                                   [&](const py::Expr &part) { return isPythonConstant(part); });
    if (const auto *node = e->as<py::Compare>())
        return isPythonConstant(node->first) && std::ranges::all_of(node->rest, [&](const auto &part) {
                   return isPythonConstant(part.second);
               });
    return false;
}

Stmt StmtReader::ifThenElse(const py::If &node)
{
    const Expr condition = m_exprs.condition(node.condition);
    if (isPythonConstant(node.condition) && ir::asInt(condition))
        return body(ir::isTrue(condition) ? node.body : node.orElse);
    const Stmt thenCase = body(node.body);
    return ir::ifThenElse(condition, thenCase, node.orElse.empty() ? Stmt() : body(node.orElse));
}

Stmt StmtReader::with(const py::With &node, std::size_t item)
{
    const py::With::Item &entry = node.items[item];
    const auto *call = entry.context->as<py::Call>();
    if (!call)
        m_context.fail(entry.context->at, "script.unsupported",
                       "expected a call such as T.block(\"C\") behind 'with'");
    const std::string function = m_exprs.functionName(call->callee);
    if (function == "T.block" || function == "T.sblock" || function == "T.init") {
        if (node.items.size() > 1 || entry.target)
            m_context.fail(node.at, "script.unsupported",
                           "'" + function + "' must stand alone behind 'with'");
        return function == "T.init" ? init(node.body, node.at) : block(*call, node.body);
    }
    const ScopeGuard scope(m_context);
    if (function == "T.block_name_suffix_context" || function == "T.sblock_name_suffix_context") {
        CallArgs args = m_exprs.callArgs(*call, function);
        const Argument &suffix = args.need("block_suffix");
        args.done();
        const std::string outer = m_blockSuffix;
        m_blockSuffix = toText(m_context, suffix.value, suffix.at, "the suffix");
        Stmt result = item + 1 < node.items.size() ? with(node, item + 1) : body(node.body);
        m_blockSuffix = outer;
        return result;
    }
    std::string target;
    if (entry.target) {
        const auto *name = entry.target->as<py::Name>();
        if (!name)
            m_context.fail(entry.target->at, "script.unsupported", "expected a name behind 'as'");
        target = name->id;
    }
    const auto wrap = scopeCall(*call, target);
    if (!wrap)
        m_context.fail(entry.context->at, "script.unknown-function",
                       "'" + function + "' may not stand behind 'with'");
    return (*wrap)(item + 1 < node.items.size() ? with(node, item + 1) : body(node.body));
}

} // namespace nestwright::script
