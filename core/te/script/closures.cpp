// SPDX-License-Identifier: Apache-2.0
#include "core/te/limits.h"
#include "core/te/script/interpreter.h"

#include <format>
#include <utility>

namespace nestwright::te {

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
            scope.set(param.name, own.empty() ? (*closure.defaults)[i] : given[own.front()].value);
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
