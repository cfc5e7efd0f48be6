// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/interpreter.h"
#include "core/script/python/targets.h"

#include "core/ir/build/builder.h"

#include <algorithm>
#include <format>
#include <utility>

namespace nestwright::te {

using support::UserError;

namespace {

/// Names that `body` gives a value, loops and branches included.
void assignedNames(const py::Body &body, std::vector<std::string> &names)
{
    for (const py::Stmt &s : body) {
        if (const auto *assign = s->as<py::Assign>()) {
            for (const py::Expr &target : assign->targets)
                py::appendNames(*target, names);
        } else if (const auto *annotated = s->as<py::AnnAssign>()) {
            py::appendNames(*annotated->target, names);
        } else if (const auto *branch = s->as<py::If>()) {
            assignedNames(branch->body, names);
            assignedNames(branch->orElse, names);
        } else if (const auto *loop = s->as<py::For>()) {
            py::appendNames(*loop->target, names);
            assignedNames(loop->body, names);
        } else if (const auto *loop = s->as<py::While>()) {
            assignedNames(loop->body, names);
        } else if (const auto *with = s->as<py::With>()) {
            assignedNames(with->body, names);
        } else if (const auto *guarded = s->as<py::Try>()) {
            for (const py::Body *part : {&guarded->body, &guarded->orElse, &guarded->finally})
                assignedNames(*part, names);
            for (const py::Try::Handler &handler : guarded->handlers)
                assignedNames(handler.body, names);
        } else if (const auto *function = s->as<py::FunctionDef>()) {
            names.push_back(function->name);
        }
    }
}

/// A name for people of this turn of a loop: a string among its items, else its numbers.
std::string iterationName(const py::ExprNode &target, const Value &item)
{
    if (const auto *text = item.as<std::string>())
        return *text;
    if (const auto *number = item.as<std::int64_t>()) {
        const auto *name = target.as<py::Name>();
        return name ? std::format("{} = {}", name->id, *number) : std::to_string(*number);
    }
    const auto *parts = item.as<ListValue>();
    const auto *targets = target.as<py::Tuple>();
    std::string name;
    for (std::size_t i = 0; parts && i < parts->items->size(); ++i) {
        const Value &part = (*parts->items)[i];
        if (const auto *text = part.as<std::string>())
            return *text;
        const bool isNamed = targets && i < targets->items.size();
        if (const std::string one = isNamed ? iterationName(*targets->items[i], part) : std::string();
            !one.empty())
            name += (name.empty() ? "" : ", ") + one;
    }
    return name;
}

/// A number as it is written, or a tuple of such.
bool statesNumbers(const py::ExprNode &value)
{
    if (value.as<py::IntLiteral>())
        return true;
    const auto *tuple = value.as<py::Tuple>();
    return tuple
           && std::ranges::all_of(tuple->items, [](const py::Expr &item) { return statesNumbers(*item); });
}

} // namespace

Interpreter::Flow Interpreter::execute(const py::Body &body)
{
    for (const py::Stmt &s : body) {
        if (const Flow flow = execute(s); flow != Flow::Next)
            return flow;
    }
    return Flow::Next;
}

Interpreter::Flow Interpreter::execute(const py::Stmt &s)
{
    countStep(s->at);
    m_line = s->at.line;
    switch (s->kind) {
    case py::StmtKind::ExprStmt: {
        const py::ExprNode &e = *s->as<py::ExprStmt>()->value;
        const Value value = evaluate(e);
        if (const auto *skipped = value.as<SkippedValue>())
            noteSkipped(s->at, skipped->what);
        return Flow::Next;
    }
    case py::StmtKind::Assign: executeAssign(*s->as<py::Assign>()); return Flow::Next;
    case py::StmtKind::AnnAssign: {
        const auto *assignment = s->as<py::AnnAssign>();
        if (assignment->value)
            assign(*assignment->target, evaluate(*assignment->value));
        return Flow::Next;
    }
    case py::StmtKind::AugAssign: {
        const auto *assignment = s->as<py::AugAssign>();
        const Value before = evaluate(*assignment->target);
        assign(*assignment->target, binary(assignment->op, before, evaluate(*assignment->value), s->at));
        return Flow::Next;
    }
    case py::StmtKind::Return: {
        const auto *result = s->as<py::Return>();
        m_returned = result->value ? evaluate(*result->value) : Value();
        return Flow::Return;
    }
    case py::StmtKind::Raise:
        if (m_caught && !s->as<py::Raise>()->value)
            throw UserError(*m_caught);
        fail(s->at, "te.raise", "the script raises an error here");
    case py::StmtKind::Break: return Flow::Break;
    case py::StmtKind::Continue: return Flow::Continue;
    case py::StmtKind::Pass: return Flow::Next;
    case py::StmtKind::Assert: executeAssert(*s->as<py::Assert>()); return Flow::Next;
    case py::StmtKind::Delete:
        if (const auto *name = s->as<py::Delete>()->target->as<py::Name>())
            m_scope->erase(name->id);
        return Flow::Next;
    case py::StmtKind::If: return executeIf(*s->as<py::If>());
    case py::StmtKind::For: return executeFor(*s->as<py::For>());
    case py::StmtKind::While: return executeWhile(*s->as<py::While>());
    case py::StmtKind::With: return executeWith(*s->as<py::With>());
    case py::StmtKind::Try: return executeTry(*s->as<py::Try>());
    case py::StmtKind::FunctionDef: define(*s->as<py::FunctionDef>()); return Flow::Next;
    case py::StmtKind::ClassDef:
        m_scope->set(s->as<py::ClassDef>()->name, SkippedValue{"a class"});
        noteSkipped(s->at, std::format("the class {}", s->as<py::ClassDef>()->name));
        return Flow::Next;
    case py::StmtKind::Import: import(*s->as<py::Import>()); return Flow::Next;
    }
    return Flow::Next;
}

void Interpreter::executeAssign(const py::Assign &s)
{
    const Value value = evaluate(*s.value);
    if (const auto *skipped = value.as<SkippedValue>())
        noteSkipped(s.at, skipped->what);
    const bool isSize = m_scope == m_globals && statesNumbers(*s.value);
    for (const py::Expr &target : s.targets)
        assign(*target, isSize ? sized(*target, value) : value);
}

void Interpreter::executeAssert(const py::Assert &s)
{
    // Much that a script asserts is about values that only a run gives, told by functions that are not known
    // here.
    const auto scope = m_scope;
    std::string unknown;
    std::optional<bool> holds;
    try {
        const Value condition = evaluate(*s.condition);
        holds = truth(condition, s.condition->at);
        unknown = condition.as<SkippedValue>() ? condition.as<SkippedValue>()->what : "a value";
    } catch (const UserError &failure) {
        m_scope = scope;
        unknown = failure.diagnostic().message;
    }
    if (!holds) {
        note(s.at, "te.skipped-line",
             "not checked: an assertion about what only a run tells (" + unknown + ")");
        return;
    }
    if (*holds)
        return;
    const Value message = s.message ? evaluate(*s.message) : Value();
    const auto *text = message.as<std::string>();
    fail(s.at, "te.assertion",
         text ? std::format("an assertion of the script does not hold: \"{}\"", *text)
              : "an assertion of the script does not hold",
         "change the sizes that it is about, or take it out");
}

Interpreter::Flow Interpreter::executeWith(const py::With &s)
{
    for (const py::With::Item &item : s.items) {
        const Value context = evaluate(*item.context);
        if (item.target)
            assign(*item.target, context);
    }
    return execute(s.body);
}

Interpreter::Flow Interpreter::executeTry(const py::Try &s)
{
    // Control flow in `finally` overrides that of the body, as in Python.
    const auto finished = [&](Flow flow) {
        const Flow last = execute(s.finally);
        return last == Flow::Next ? flow : last;
    };
    std::optional<support::Diagnostic> error;
    Flow flow = Flow::Next;
    const auto scope = m_scope;
    const std::string iteration = m_iteration;
    try {
        flow = execute(s.body);
    } catch (const UserError &failure) {
        error = failure.diagnostic();
        m_scope = scope;
        m_iteration = iteration;
    }
    if (!error)
        return finished(flow == Flow::Next ? execute(s.orElse) : flow);
    if (s.handlers.empty()) {
        execute(s.finally);
        throw UserError(std::move(*error));
    }
    const bool isPlaced = !error->locations.empty();
    note(isPlaced ? py::Position{error->locations[0].line, error->locations[0].column} : s.at, "te.caught",
         "the script catches this error and goes on: " + error->message);
    const py::Try::Handler &handler = s.handlers.front();
    if (!handler.name.empty())
        m_scope->set(handler.name, SkippedValue{"an exception"});
    const auto before = std::exchange(m_caught, std::move(error));
    flow = execute(handler.body);
    m_caught = before;
    return finished(flow);
}

Interpreter::Flow Interpreter::executeIf(const py::If &s)
{
    const Value condition = evaluate(*s.condition);
    const std::optional<bool> taken = truth(condition, s.condition->at);
    if (taken)
        return execute(*taken ? s.body : s.orElse);
    const SkippedValue why{condition.as<SkippedValue>() ? condition.as<SkippedValue>()->what : "a condition"};
    noteSkipped(s.at, "if, because its condition needs " + why.what);
    skipBody(s.body, why);
    skipBody(s.orElse, why);
    return Flow::Next;
}

Interpreter::Flow Interpreter::executeFor(const py::For &s)
{
    const Value iterable = evaluate(*s.iterable);
    if (const auto *skipped = iterable.as<SkippedValue>()) {
        noteSkipped(s.at, "a loop over " + skipped->what);
        skipBody(s.body, *skipped);
        return Flow::Next;
    }
    for (const Value &item : items(iterable, s.iterable->at)) {
        countStep(s.at);
        assign(*s.target, item);
        const auto outer = std::exchange(m_iteration, iterationName(*s.target, item));
        const Flow flow = execute(s.body);
        m_iteration = outer;
        if (flow == Flow::Break)
            break;
        if (flow == Flow::Return)
            return flow;
    }
    return Flow::Next;
}

Interpreter::Flow Interpreter::executeWhile(const py::While &s)
{
    while (true) {
        countStep(s.at);
        const Value condition = evaluate(*s.condition);
        const std::optional<bool> again = truth(condition, s.condition->at);
        if (!again) {
            noteSkipped(s.at, "a loop whose condition needs " + condition.as<SkippedValue>()->what);
            skipBody(s.body, *condition.as<SkippedValue>());
            return Flow::Next;
        }
        if (!*again)
            return Flow::Next;
        const Flow flow = execute(s.body);
        if (flow == Flow::Break)
            return Flow::Next;
        if (flow == Flow::Return)
            return flow;
    }
}

void Interpreter::skipBody(const py::Body &body, const SkippedValue &why)
{
    std::vector<std::string> names;
    assignedNames(body, names);
    for (const std::string &name : names) {
        if (!m_scope->find(name))
            m_scope->set(name, why);
    }
}

void Interpreter::import(const py::Import &s)
{
    for (const auto &[name, alias] : s.names) {
        if (!s.from.empty()) {
            if (name != "*")
                m_scope->set(alias.empty() ? name : alias, importedValue(*this, s.from + "." + name, s.at));
            continue;
        }
        // "import a.b" binds a, "import a.b as c" binds what a.b is.
        const std::string top = name.substr(0, name.find('.'));
        if (alias.empty())
            m_scope->set(top, importedValue(*this, top, s.at));
        else
            m_scope->set(alias, importedValue(*this, name, s.at));
    }
}

void Interpreter::define(const py::FunctionDef &s)
{
    for (const py::Expr &decorator : s.decorators) {
        const auto *made = decorator->as<py::Call>();
        const std::string name = py::dottedName(made ? made->callee : decorator);
        if (name.ends_with("prim_func") || name.ends_with("hybrid.script") || name.ends_with("te.hybrid")) {
            m_scope->set(s.name, SkippedValue{"the function " + s.name});
            noteSkipped(s.at, std::format("the function {}, which is no tensor expression", s.name));
            return;
        }
    }
    ClosureValue closure{s.name,  &s.params, nullptr,
                         &s.body, m_scope,   std::make_shared<std::vector<Value>>()};
    for (const py::Param &param : s.params)
        closure.defaults->push_back(param.defaultValue ? evaluate(*param.defaultValue) : Value());
    m_scope->set(s.name, closure);
}

void Interpreter::assign(const py::ExprNode &target, const Value &value)
{
    if (const auto *name = target.as<py::Name>()) {
        if (const auto *made = value.as<ScheduleValue>())
            nameSchedule(made->schedule.get(), name->id);
        m_scope->set(name->id, value);
        return;
    }
    if (const std::vector<py::Expr> *targets = py::targetsOf(target)) {
        const auto give = [this](const py::Expr &part, const Value &given) { assign(*part, given); };
        if (!value.isSkipped())
            return orFail(*this, py::unpack(*targets, items(value, target.at), &Value::list, give),
                          target.at);
        for (const py::Expr &item : *targets)
            assign(*item, value);
        return;
    }
    if (const auto *starred = target.as<py::Starred>())
        return assign(*starred->value, value);
    if (const auto *item = target.as<py::Subscript>(); item && item->items.size() == 1) {
        const Value object = evaluate(*item->value);
        const Value key = evaluate(*item->items[0]);
        if (const auto *dict = object.as<DictValue>()) {
            keepChanged(object);
            setItem(*dict, key, value);
            return;
        }
        if (const auto *list = object.as<ListValue>(); list && !list->isTuple && asInteger(key)) {
            keepChanged(object);
            const auto size = static_cast<std::int64_t>(list->items->size());
            (*list->items)[static_cast<std::size_t>(placeIn(key, size, object, *item))] = value;
            return;
        }
        if (object.isSkipped())
            return;
        fail(target.at, "te.unsupported",
             std::format("an element of {} cannot be assigned", object.kindText()),
             "lists and dictionaries have such elements; those of a tensor come from te.compute");
    }
    if (target.kind == py::ExprKind::Attribute) {
        noteSkipped(target.at, "an assignment to an attribute");
        return;
    }
    fail(target.at, "te.unsupported", "this cannot be assigned to");
}

std::vector<Value> Interpreter::items(const Value &value, py::Position at)
{
    if (const auto *list = value.as<ListValue>()) {
        countList(static_cast<std::int64_t>(list->items->size()), at);
        return *list->items;
    }
    if (const auto *dict = value.as<DictValue>()) {
        std::vector<Value> keys;
        for (const auto &[key, item] : *dict->items)
            keys.push_back(key);
        return keys;
    }
    if (const auto *skipped = value.as<SkippedValue>()) {
        fail(at, "te.skipped-value",
             std::format("a list is needed here, but this comes from {}, which is not carried out",
                         skipped->what));
    }
    fail(at, "te.type", std::format("a list or tuple is needed here, but this is {}", value.kindText()));
}

std::optional<bool> Interpreter::truth(const Value &value, py::Position at)
{
    if (value.isSkipped())
        return std::nullopt;
    if (const auto plain = py::truthOf(value.variant()))
        return plain;
    if (const auto *list = value.as<ListValue>())
        return !list->items->empty();
    if (const auto *dict = value.as<DictValue>())
        return !dict->items->empty();
    if (const auto *e = value.as<Expr>(); e && ir::asInt(*e))
        return *ir::asInt(*e) != 0;
    if (value.as<Expr>() || value.as<Reduction>() || value.as<IterVar>()) {
        fail(at, "te.condition",
             "this condition depends on the elements or indices, which are not known when the script is read",
             "use te.if_then_else, and te.all / te.any in place of and / or");
    }
    return true;
}

} // namespace nestwright::te
