// SPDX-License-Identifier: Apache-2.0
// Variables that are assigned, as TVM 0.25 and later have them: `x: T.int32`, then `x = x + 1`. Each is a
// local buffer of one element.
#include "core/ir/build/builder.h"
#include "core/script/tvmscript/objects.h"
#include "core/script/tvmscript/stmt.h"

#include <algorithm>

namespace nestwright::script {

using ir::Expr;
using ir::Stmt;

namespace {

/// Finds the names that are assigned to where they have a value already.
class Reassignments {
public:
    std::set<std::string> names;

    void body(const py::Body &statements)
    {
        m_scopes.emplace_back();
        for (const py::Stmt &each : statements)
            statement(*each);
        m_scopes.pop_back();
    }

private:
    void statement(const py::StmtNode &node)
    {
        if (const auto *assign = node.as<py::Assign>()) {
            for (const py::Expr &target : assign->targets)
                assigned(target);
        } else if (const auto *annotated = node.as<py::AnnAssign>()) {
            if (const auto *name = annotated->target->as<py::Name>())
                m_scopes.back().insert(name->id);
        } else if (const auto *augmented = node.as<py::AugAssign>()) {
            assigned(augmented->target);
        } else if (const auto *loop = node.as<py::For>()) {
            body(loop->body);
        } else if (const auto *whileLoop = node.as<py::While>()) {
            body(whileLoop->body);
        } else if (const auto *branch = node.as<py::If>()) {
            body(branch->body);
            body(branch->orElse);
        } else if (const auto *with = node.as<py::With>()) {
            body(with->body);
        }
    }

    void assigned(const py::Expr &target)
    {
        const auto *name = target->as<py::Name>();
        if (!name)
            return;
        if (std::ranges::any_of(m_scopes, [&](const auto &scope) { return scope.contains(name->id); }))
            names.insert(name->id);
        m_scopes.back().insert(name->id);
    }

    std::vector<std::set<std::string>> m_scopes;
};

} // namespace

void StmtReader::noteReassignments(const py::Body &statements)
{
    Reassignments found;
    if (m_isLater)
        found.body(statements);
    m_reassigned = std::move(found.names);
}

/// The buffer of the variable, or null where the name is none that can be assigned.
const ir::Buffer *StmtReader::scalar(const std::string &name) const
{
    const Value *known = m_context.find(name);
    const auto *e = known ? known->as<Expr>() : nullptr;
    const auto *load = e ? e->as<ir::BufferLoad>() : nullptr;
    return load && m_scalars.contains(load->buffer) ? &load->buffer : nullptr;
}

Stmt StmtReader::assignScalar(const ir::Buffer &scalar, const Value &value, py::Position at)
{
    const Value like{Expr(ir::constant(0, scalar.dtype()))};
    return storeAt(scalar, {Expr(0)}, toExprLike(m_context, value, like, at), at);
}

/// A new variable; `value` is null where it gets none yet.
Wrap StmtReader::declareScalar(const std::string &name, ir::DataType type, const Value *value,
                               py::Position at)
{
    if (type.isVector() || !(type.isIntegral() || type.isFloating()))
        m_context.fail(at, "script.type", "a variable of type " + type.str() + " cannot be assigned again",
                       "write '" + name + ": T.let[…] = …' for one that keeps its value");
    ir::BufferNode node;
    node.name = name;
    node.shape = {1};
    node.dtype = type;
    node.data = ir::Var(name, ir::DataType::handle());
    node.scope = "local";
    const ir::Buffer buffer(std::move(node));
    const Stmt first = value ? assignScalar(buffer, *value, at) : Stmt();
    m_scalars.insert(buffer);
    m_context.defineOnce(name, {ir::load(buffer, {0})}, at);
    return [buffer, first, wrap = allocation(buffer, {})](Stmt body) {
        if (first)
            body = ir::seq({first, std::move(body)});
        return wrap(std::move(body));
    };
}

/// `x: T.int32`, `x: T.int32 = 1`, and `x: T.let[T.int32] = 1` or the older `x: T.int32 = 1`, which keep
/// their value.
Wrap StmtReader::annotated(const py::AnnAssign &node)
{
    const auto *name = node.target->as<py::Name>();
    if (!name)
        m_context.fail(node.target->at, "script.unsupported", "expected a name in front of ': type'");
    const auto *subscript = node.annotation->as<py::Subscript>();
    const bool isLet = m_exprs.functionName(subscript ? subscript->value : node.annotation) == "T.let";
    if (isLet && !node.value)
        m_context.fail(node.at, "script.unsupported", "expected 'name: T.let[type] = value'");
    const ir::Var type = annotatedType(node.annotation);
    const bool isScalar = !isLet && !type.dtype().isHandle() && !type.dtype().isVector()
                          && (!node.value || m_hasScalars || m_reassigned.contains(name->id));
    if (!node.value && !isScalar)
        m_context.fail(node.at, "script.unsupported", "expected 'name: type = value'");
    if (!isScalar)
        return let(name->id, m_exprs.value(node.value), type, node.value->at);
    const Value value = node.value ? m_exprs.value(node.value) : Value();
    return declareScalar(name->id, type.dtype(), node.value ? &value : nullptr, node.at);
}

} // namespace nestwright::script
