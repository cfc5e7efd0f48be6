// SPDX-License-Identifier: Apache-2.0
// Functions that a file itself defines: macros, which stand for their statements, and functions that compute
// indices.
#include "core/ir/build/builder.h"
#include "core/script/python/targets.h"
#include "core/script/tvmscript/objects.h"
#include "core/script/tvmscript/stmt.h"

#include <algorithm>

namespace nestwright::script {

using ir::Expr;
using ir::Stmt;

void ExprReader::bindParameters(const py::FunctionDef &definition, const std::vector<Argument> &arguments,
                                py::Position at)
{
    const py::Callee callee{'\'' + definition.name + '\''};
    const py::Binding binding =
        orFail(m_context,
               py::bindArguments(callee, py::parametersOf(definition.params), py::givenOf(arguments)), at);
    std::map<std::string, Value> bound;
    for (std::size_t i = 0; i < binding.size(); ++i) {
        const py::Param &param = definition.params[i];
        const std::vector<std::size_t> &own = binding[i];
        if (param.kind == py::Param::Kind::Plain) {
            bound[param.name] = own.empty() ? value(param.defaultValue) : arguments[own.front()].value;
        } else if (param.kind == py::Param::Kind::VarArgs) {
            ListValue rest;
            for (const std::size_t place : own)
                rest.items.push_back(arguments[place].value);
            bound[param.name] = {std::move(rest)};
        } else if (param.kind == py::Param::Kind::KeywordArgs) {
            DictValue rest;
            for (const std::size_t place : own)
                rest.items.emplace_back(Value{ir::stringImm(arguments[place].name)}, arguments[place].value);
            bound[param.name] = {std::move(rest)};
        }
    }
    for (auto &[name, item] : bound)
        m_context.define(name, std::move(item));
}

void ExprReader::bindTarget(const py::Expr &target, const Value &value, py::Position at)
{
    if (const auto *name = target->as<py::Name>())
        return m_context.define(name->id, value);
    const std::vector<py::Expr> *targets = py::targetsOf(*target);
    if (!targets)
        m_context.fail(target->at, "script.unsupported", "expected names to assign to");
    const auto *list = value.as<ListValue>();
    if (!list)
        m_context.fail(at, "script.type",
                       "expected " + std::to_string(targets->size()) + " values but found "
                           + describe(value));
    const auto toList = [](ValueList items) { return Value{ListValue{std::move(items)}}; };
    const auto give = [&](const py::Expr &part, const Value &given) { bindTarget(part, given, at); };
    orFail(m_context, py::unpack(*targets, list->items, toList, give), at);
}

Value ExprReader::callDefinition(const FunctionValue &function, const std::vector<Argument> &arguments,
                                 py::Position at)
{
    const py::FunctionDef &definition = *function.definition;
    const CallGuard call(m_context, definition.name, at);
    const ScopeGuard scope(m_context, m_context.fileScope());
    bindParameters(definition, arguments, at);
    for (const py::Stmt &statement : definition.body) {
        if (const auto *result = statement->as<py::Return>(); result && result->value) {
            Value found = value(result->value);
            requireModestSize(m_context, found, result->at);
            return found;
        }
        const auto *assign = statement->as<py::Assign>();
        const auto *text = statement->as<py::ExprStmt>();
        if (assign && assign->targets.size() == 1) {
            const Value assigned = value(assign->value);
            requireModestSize(m_context, assigned, assign->at);
            bindTarget(assign->targets.front(), assigned, assign->value->at);
        } else if (!text || !text->value->as<py::StringLiteral>()) {
            m_context.fail(statement->at, "script.unsupported",
                           "only assignments and a 'return' are understood in the function '"
                               + definition.name + "'");
        }
    }
    m_context.fail(definition.at, "script.unsupported",
                   "the function '" + definition.name + "' returns nothing");
}

Value ExprReader::reducer(const py::Call &node)
{
    const auto *lambda = node.args.size() == 2 ? node.args.front()->as<py::Lambda>() : nullptr;
    if (!lambda || !node.keywords.empty())
        m_context.fail(node.at, "script.argument", "expected T.comm_reducer(lambda x, y: …, [identity])");
    const Value list = value(node.args[1]);
    const std::vector<Expr> identities = toExprList(m_context, list, node.args[1]->at);
    if (identities.empty() || lambda->params.size() != 2 * identities.size())
        m_context.fail(node.at, "script.argument",
                       "a reducer of " + std::to_string(identities.size()) + " values needs "
                           + std::to_string(2 * identities.size()) + " parameters, but has "
                           + std::to_string(lambda->params.size()));
    const ScopeGuard scope(m_context);
    std::vector<Expr> args;
    for (std::size_t i = 0; i < lambda->params.size(); ++i) {
        const std::string &name = lambda->params[i].name;
        args.push_back(ir::Var(name, identities[i % identities.size()].dtype()));
        m_context.define(name, {args.back()});
    }
    const Value combined = value(lambda->body);
    const std::vector<Expr> results = toExprList(m_context, combined, lambda->body->at);
    if (results.size() != identities.size())
        m_context.fail(lambda->body->at, "script.argument",
                       "expected " + std::to_string(identities.size()) + " results of the reducer but found "
                           + std::to_string(results.size()));
    args.insert(args.end(), results.begin(), results.end());
    args.insert(args.end(), identities.begin(), identities.end());
    return {ir::call(ir::DataType::handle(), reducerCall, std::move(args))};
}

/// The results of a lambda over new variables of int64, as those of index maps are; appends the variables.
std::vector<Expr> ExprReader::mapped(const py::Lambda &lambda, std::vector<Expr> &variables)
{
    const ScopeGuard scope(m_context);
    for (const py::Param &param : lambda.params) {
        if (param.kind != py::Param::Kind::Plain || param.defaultValue)
            m_context.fail(param.at, "script.unsupported", "an index map has plain parameters only");
        variables.push_back(ir::Var(param.name, ir::DataType::int64()));
        m_context.define(param.name, {variables.back()});
    }
    const Value results = value(lambda.body);
    requireModestSize(m_context, results, lambda.body->at);
    std::vector<Expr> list = toExprList(m_context, results, lambda.body->at);
    for (Expr &item : list) {
        if (!item.dtype().isIntegral() || item.dtype().isVector())
            m_context.fail(lambda.body->at, "script.type",
                           "an index must be an integer, but this one is of type " + item.dtype().str());
        item = ir::cast(ir::DataType::int64(), item);
    }
    return list;
}

/// T.index_map(lambda i, j: (i // 4, j, i % 4), inverse_index_map=lambda …: (…))
Value ExprReader::indexMap(const py::Call &node)
{
    const auto *forward = node.args.size() == 1 ? node.args.front()->as<py::Lambda>() : nullptr;
    const py::Lambda *inverse = nullptr;
    bool isKnown = forward != nullptr;
    for (const py::Keyword &keyword : node.keywords) {
        const bool isInverse = keyword.name == "inverse_index_map";
        isKnown = isKnown && (isInverse || keyword.name == "index_dtype");
        if (isInverse)
            inverse = keyword.value->as<py::Lambda>();
        isKnown = isKnown && (!isInverse || inverse || keyword.value->as<py::NoneLiteral>());
    }
    if (!isKnown)
        m_context.fail(node.at, "script.argument",
                       "expected T.index_map(lambda i, j: (…), inverse_index_map=lambda …: (…))");
    std::vector<Expr> variables;
    const auto list = [](std::vector<Expr> items) {
        return ir::call(ir::DataType::handle(), listReference, std::move(items));
    };
    const std::vector<Expr> outputs = mapped(*forward, variables);
    std::vector<Expr> results{list(outputs)};
    if (inverse) {
        const std::vector<Expr> inputs = mapped(*inverse, variables);
        if (inverse->params.size() != outputs.size() || inputs.size() != forward->params.size())
            m_context.fail(node.at, "script.argument",
                           "the inverse of a map of " + std::to_string(forward->params.size())
                               + " indices to " + std::to_string(outputs.size()) + " cannot take "
                               + std::to_string(inverse->params.size()) + " and give "
                               + std::to_string(inputs.size()));
        results.push_back(list(inputs));
    }
    std::vector<Expr> args{Expr(static_cast<std::int64_t>(variables.size()))};
    args.insert(args.end(), variables.begin(), variables.end());
    args.insert(args.end(), results.begin(), results.end());
    return {ir::call(ir::DataType::handle(), indexMapCall, std::move(args))};
}

// Macros.

std::pair<FunctionValue, Value> StmtReader::macro(const py::Call &call) const
{
    if (const auto *member = call.callee->as<py::Attribute>()) {
        const Value *object = known(member->value);
        const auto *instance = object ? object->as<InstanceValue>() : nullptr;
        const py::FunctionDef *method = instance ? instance->instance->method(member->name) : nullptr;
        return method ? std::pair(FunctionValue{member->name, method}, *object)
                      : std::pair<FunctionValue, Value>();
    }
    const Value *found = known(call.callee);
    const auto *function = found ? found->as<FunctionValue>() : nullptr;
    return {function ? *function : FunctionValue(), {}};
}

/// The statements of a macro, which are hygienic unless it says otherwise: only the names of the file and the
/// parameters mean anything there. One that is defined inside a function sees the names around its
/// definition. From the second time on, its blocks get a number behind their names.
Stmt StmtReader::expandMacro(const FunctionValue &function, const Value &object, const py::Call &call)
{
    const py::FunctionDef &definition = *function.definition;
    const CallGuard guard(m_context, definition.name, call.at);
    std::vector<Argument> arguments = m_exprs.arguments(call);
    if (!object.isNone())
        arguments.insert(arguments.begin(), {"", object, call.at});
    const int times = m_context.timesExpanded(definition);
    const std::string outer =
        std::exchange(m_blockSuffix, times > 0 ? '_' + std::to_string(times) : std::string());
    Stmt result = [&] {
        const std::shared_ptr<Scope> around = function.scope.lock();
        const ScopeGuard scope(m_context, around ? around
                                          : decoratorSays(definition, "hygienic", true)
                                              ? m_context.fileScope()
                                              : m_context.scope());
        m_exprs.bindParameters(definition, arguments, call.at);
        return rest(definition.body, 0);
    }();
    m_blockSuffix = outer;
    return result;
}

/// @T.inline
void StmtReader::defineInside(const py::FunctionDef &definition)
{
    const bool isInline = definition.decorators.size() == 1
                          && m_context.canonical(py::dottedName(definition.decorators.front())) == "T.inline";
    if (!isInline)
        m_context.fail(definition.at, "script.unsupported",
                       "a function inside of another one has the decorator @T.inline");
    m_context.define(definition.name, {FunctionValue{definition.name, &definition, m_context.scope()}});
}

} // namespace nestwright::script
