// SPDX-License-Identifier: Apache-2.0
// Classes that a file itself defines: their objects keep buffers and numbers together, and macros that work
// on them.
#include "core/ir/build/builder.h"
#include "core/script/tvmscript/stmt.h"

#include <algorithm>

namespace nestwright::script {

const py::FunctionDef *Instance::method(const std::string &name) const
{
    for (const py::Stmt &statement : type->body) {
        const auto *function = statement->as<py::FunctionDef>();
        if (function && function->name == name)
            return function;
    }
    return nullptr;
}

py::Expr classConstant(const py::ClassDef &definition, const std::string &name)
{
    for (const py::Stmt &statement : definition.body) {
        const auto *assign = statement->as<py::Assign>();
        const auto *target =
            assign && assign->targets.size() == 1 ? assign->targets.front()->as<py::Name>() : nullptr;
        if (target && target->id == name)
            return assign->value;
    }
    return nullptr;
}

const Value *StmtReader::known(const py::Expr &e) const
{
    if (const auto *name = e->as<py::Name>())
        return m_context.find(name->id);
    const auto *member = e->as<py::Attribute>();
    const Value *object = member ? known(member->value) : nullptr;
    const auto *instance = object ? object->as<InstanceValue>() : nullptr;
    if (!instance)
        return nullptr;
    const auto found = instance->instance->members.find(member->name);
    return found == instance->instance->members.end() ? nullptr : &found->second;
}

const py::Call *StmtReader::construction(const py::Expr &value)
{
    const auto *call = value->as<py::Call>();
    if (call && call->args.size() == 1 && call->keywords.empty()
        && m_exprs.functionName(call->callee) == "T.meta_var")
        call = call->args.front()->as<py::Call>();
    const Value *callee = call ? known(call->callee) : nullptr;
    return callee && callee->as<ClassValue>() ? call : nullptr;
}

Value StmtReader::construct(const py::Call &call, std::vector<Wrap> &wraps)
{
    const py::ClassDef &definition = *known(call.callee)->as<ClassValue>()->definition;
    const CallGuard guard(m_context, definition.name, call.at);
    if (!definition.bases.empty() && py::dottedName(definition.bases.front()) != "object")
        m_context.fail(call.at, "script.unsupported",
                       "the class '" + definition.name
                           + "' has a base, which is not understood in TVMScript");
    const InstanceValue object{&m_context.makeInstance(definition)};
    std::vector<Argument> arguments = m_exprs.arguments(call);
    const py::FunctionDef *init = object.instance->method("__init__");
    if (!init) {
        CallArgs(m_context, definition.name, call.at, std::move(arguments)).done();
        return {object};
    }
    arguments.insert(arguments.begin(), {"", {object}, call.at});
    const ScopeGuard scope(m_context, m_context.fileScope());
    m_exprs.bindParameters(*init, arguments, call.at);
    initialize(init->body, object, wraps);
    return {object};
}

void StmtReader::initialize(const py::Body &statements, const InstanceValue &object, std::vector<Wrap> &wraps)
{
    for (const py::Stmt &statement : statements) {
        const auto *assign = statement->as<py::Assign>();
        const auto *choice = statement->as<py::If>();
        const auto *text = statement->as<py::ExprStmt>();
        if (assign && assign->targets.size() == 1) {
            initializeOne(*assign, object, wraps);
        } else if (choice) {
            const ir::Expr condition = m_exprs.condition(choice->condition);
            if (!ir::asInt(condition))
                m_context.fail(choice->condition->at, "script.unsupported",
                               "the condition is no constant here");
            initialize(*ir::asInt(condition) ? choice->body : choice->orElse, object, wraps);
        } else if (!statement->as<py::Pass>() && !(text && text->value->as<py::StringLiteral>())) {
            m_context.fail(
                statement->at, "script.unsupported",
                "only assignments and choices between constants are understood in the '__init__' of "
                "the class '"
                    + object.instance->type->name + '\'');
        }
    }
}

/// `self.name = value` gives the object a member; other names stay inside of __init__.
void StmtReader::initializeOne(const py::Assign &node, const InstanceValue &object, std::vector<Wrap> &wraps)
{
    const py::Expr &target = node.targets.front();
    const auto *member = target->as<py::Attribute>();
    const Value *owner = member ? known(member->value) : nullptr;
    const auto *instance = owner ? owner->as<InstanceValue>() : nullptr;
    if (member && (!instance || instance->instance != object.instance))
        m_context.fail(target->at, "script.unsupported", "'__init__' gives members to its own object only");
    const auto *name = target->as<py::Name>();
    if (!member && !name) {
        const Value value = m_exprs.value(node.value);
        requireModestSize(m_context, value, node.value->at);
        return m_exprs.bindTarget(target, value, node.value->at);
    }
    const std::string &called = member ? member->name : name->id;
    const Value value = [&]() -> Value {
        const ScopeGuard scope(m_context);
        if (const py::Call *made = construction(node.value))
            return construct(*made, wraps);
        const auto *call = node.value->as<py::Call>();
        if (auto wrap = call ? scopeCall(*call, called) : std::nullopt)
            wraps.push_back(*std::move(wrap));
        else
            assignName(called, node.value);
        return *m_context.find(called);
    }();
    if (member)
        object.instance->members[called] = value;
    else
        m_context.define(called, value);
}

} // namespace nestwright::script
