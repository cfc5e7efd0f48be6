// SPDX-License-Identifier: Apache-2.0
#include "core/te/limits.h"
#include "core/te/script/interpreter.h"

#include <algorithm>
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
    std::vector<bool> used(given.size(), false);
    std::size_t next = 0;
    for (std::size_t i = 0; i < closure.params->size(); ++i) {
        const py::Param &param = (*closure.params)[i];
        if (param.kind == py::Param::Kind::VarArgs) {
            std::vector<Value> rest;
            for (; next < given.size() && given[next].keyword.empty(); ++next) {
                rest.push_back(given[next].value);
                used[next] = true;
            }
            countList(static_cast<std::int64_t>(rest.size()), arguments.at());
            scope.set(param.name, Value::tuple(std::move(rest)));
            continue;
        }
        if (param.kind != py::Param::Kind::Plain) {
            if (param.kind == py::Param::Kind::KeywordArgs)
                scope.set(param.name, SkippedValue{"**" + param.name});
            continue;
        }
        if (next < given.size() && given[next].keyword.empty()) {
            used[next] = true;
            scope.set(param.name, given[next++].value);
            continue;
        }
        const auto named = std::find_if(given.begin(), given.end(),
                                        [&](const ArgumentValue &a) { return a.keyword == param.name; });
        if (named != given.end()) {
            used[static_cast<std::size_t>(named - given.begin())] = true;
            scope.set(param.name, named->value);
        } else if (param.defaultValue) {
            scope.set(param.name, (*closure.defaults)[i]);
        } else {
            fail(arguments.at(), "te.argument",
                 std::format("{}() needs the argument \"{}\"", closure.name, param.name));
        }
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (!used[i]) {
            fail(given[i].at, "te.argument",
                 given[i].keyword.empty()
                     ? std::format("{}() takes {} argument{}, but {} are given", closure.name,
                                   closure.params->size(), closure.params->size() == 1 ? "" : "s",
                                   arguments.positionalCount())
                     : std::format("{}() has no argument \"{}\"", closure.name, given[i].keyword));
        }
    }
}

} // namespace nestwright::te
