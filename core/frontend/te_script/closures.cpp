// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/limits.h"
#include "core/script/python/targets.h"

#include <format>
#include <utility>

namespace nestwright::te {

std::optional<std::int64_t> Interpreter::givenSize(const std::string &name) const
{
    const auto given = m_givenSizes.find(name);
    return given == m_givenSizes.end() ? std::nullopt : std::optional(given->second);
}

Value Interpreter::sized(const std::string &name, const Value &value)
{
    const auto stated = value.as<bool>() ? std::nullopt : asInteger(value);
    if (!stated)
        return value;
    const auto [size, isFirst] = m_sizes.try_emplace(name, givenSize(name).value_or(*stated));
    return isFirst ? Value(size->second) : value;
}

Value Interpreter::sized(const py::ExprNode &target, const Value &value)
{
    if (const auto *name = target.as<py::Name>())
        return sized(name->id, value);
    const std::vector<py::Expr> *targets = py::targetsOf(target);
    const auto *list = value.as<ListValue>();
    if (!targets || !list || targets->size() != list->items->size())
        return value;
    std::vector<Value> items;
    for (std::size_t i = 0; i < targets->size(); ++i)
        items.push_back(sized(*(*targets)[i], (*list->items)[i]));
    return Value::tuple(std::move(items));
}

Value Interpreter::callClosure(const ClosureValue &closure, const Arguments &arguments)
{
    if (m_calls >= limits::calls)
        fail(arguments.at(), "te.too-deep",
             std::format("calls of \"{}\" are nested more than {} deep", closure.name, limits::calls));
    ++m_called[closure.name];
    const std::vector<ArgumentValue> &given = arguments.all();
    const auto *before = given.size() == 2 ? given[0].value.as<LoweredValue>() : nullptr;
    const auto *after = before ? given[1].value.as<LoweredValue>() : nullptr;
    if (after && before->schedule != after->schedule)
        m_comparisons.push_back(
            {before->schedule.get(), after->schedule.get(), closure.name, arguments.at()});
    const auto scope = newScope(closure.scope);
    bindParameters(closure, arguments, *scope);
    struct Restore {
        Interpreter &interpreter;
        std::shared_ptr<Scope> scope;
        ~Restore()
        {
            interpreter.m_scope = std::move(scope);
            --interpreter.m_calls;
        }
    } restore{*this, m_scope};
    ++m_calls;
    m_scope = scope;
    if (closure.lambdaBody)
        return evaluate(*closure.lambdaBody);
    m_returned = Value();
    execute(*closure.body);
    return std::exchange(m_returned, Value());
}

void Interpreter::bindParameters(const ClosureValue &closure, const Arguments &arguments, Scope &scope)
{
    const std::vector<ArgumentValue> &given = arguments.all();
    const py::Callee callee{closure.name + "()", '"'};
    const py::Binding binding =
        orFail(*this, py::bindArguments(callee, py::parametersOf(*closure.params), py::givenOf(given)),
               arguments.at());
    for (std::size_t i = 0; i < binding.size(); ++i) {
        const py::Param &param = (*closure.params)[i];
        const std::vector<std::size_t> &own = binding[i];
        countList(static_cast<std::int64_t>(own.size()), arguments.at());
        if (param.kind == py::Param::Kind::Plain) {
            const Value &value = own.empty() ? (*closure.defaults)[i] : given[own.front()].value;
            scope.set(param.name, m_calls == 0 && !closure.lambdaBody ? sized(param.name, value) : value);
        } else if (param.kind == py::Param::Kind::VarArgs) {
            std::vector<Value> rest;
            for (const std::size_t place : own)
                rest.push_back(given[place].value);
            scope.set(param.name, Value::tuple(std::move(rest)));
        } else if (param.kind == py::Param::Kind::KeywordArgs) {
            DictValue rest{std::make_shared<std::vector<std::pair<Value, Value>>>()};
            for (const std::size_t place : own)
                rest.items->emplace_back(given[place].name, given[place].value);
            scope.set(param.name, std::move(rest));
        }
    }
}

} // namespace nestwright::te
