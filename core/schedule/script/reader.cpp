// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/reader.h"

#include "core/schedule/edit.h"
#include "core/schedule/script/arguments.h"
#include "core/schedule/script/step_runner.h"
#include "core/schedule/script/values.h"
#include "core/script/python/parser.h"
#include "core/support/near_names.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

class ScriptInterpreter {
public:
    ScriptInterpreter(const State &initial, const std::string &fileName)
        : m_steps(initial)
        , m_fileName(fileName)
        , m_values(fileName, [this](const py::Call &call) { return this->call(call); })
    {
    }

    StepRunner &steps() { return m_steps; }

    void run(const py::Module &module)
    {
        if (const py::FunctionDef *function = scheduleFunction(module)) {
            m_schedule = function->params.front().name;
            runAll(function->body);
        } else {
            runAll(module.body);
        }
    }

private:
    /// The function that takes the schedule: `apply_trace`, or the only one with one parameter.
    const py::FunctionDef *scheduleFunction(const py::Module &module)
    {
        const py::FunctionDef *only = nullptr;
        int count = 0;
        for (const py::Stmt &s : module.body) {
            const auto *function = s->as<py::FunctionDef>();
            if (!function || function->params.empty())
                continue;
            if (function->name == "apply_trace")
                return function;
            only = function;
            ++count;
        }
        if (count > 1)
            m_values.fail(only->at, "script.unsupported", "several functions could be the schedule",
                          "name the one that is meant apply_trace");
        return only;
    }

    void runAll(const py::Body &body)
    {
        for (const py::Stmt &s : body)
            run(s);
    }

    void run(const py::Stmt &s)
    {
        switch (s->kind) {
        case py::StmtKind::ExprStmt: {
            const py::Expr &value = s->as<py::ExprStmt>()->value;
            if (!value->as<py::StringLiteral>()
                && !value->as<py::EllipsisLiteral>()) // a docstring says nothing to us
                m_values.evaluate(value);
            return;
        }
        case py::StmtKind::Assign: {
            const auto &assign = *s->as<py::Assign>();
            if (makesSchedule(assign))
                return;
            const ArgValue value = m_values.evaluate(assign.value);
            for (const py::Expr &target : assign.targets)
                m_values.assign(target, value);
            return;
        }
        case py::StmtKind::AnnAssign:
            if (const auto &assign = *s->as<py::AnnAssign>(); assign.value)
                m_values.assign(assign.target, m_values.evaluate(assign.value));
            return;
        case py::StmtKind::Pass:
        case py::StmtKind::Import:
        case py::StmtKind::Return: return;
        default:
            m_values.fail(s->at, "script.unsupported", "a schedule script cannot use this kind of statement",
                          "assignments and calls of primitives are understood");
        }
    }

    /// `sch = tvm.tir.Schedule(module)`: names the schedule.
    bool makesSchedule(const py::Assign &assign)
    {
        const auto *call = assign.value->as<py::Call>();
        const auto *target = assign.targets.front()->as<py::Name>();
        if (!call || !target || !py::dottedName(call->callee).ends_with("Schedule"))
            return false;
        m_schedule = target->id;
        return true;
    }

    /// Calls that display a schedule in notebooks, as `IPython.display.Code(sch.mod.script())`: it is shown
    /// anyway.
    static bool showsOnly(const std::string &callee)
    {
        static constexpr std::string_view names[] = {"print", "display", "Code", "str"};
        return std::ranges::contains(names, callee) || callee.starts_with("IPython.")
               || callee.starts_with("display.") || callee.ends_with(".show") || callee.ends_with(".script");
    }

    ArgValue call(const py::Call &node)
    {
        const std::string callee = py::dottedName(node.callee);
        if (showsOnly(callee))
            return {};
        if (callee == "len")
            return length(node);
        const std::size_t dot = callee.find('.');
        const std::string object = callee.substr(0, dot);
        if (dot == std::string::npos || callee.find('.', dot + 1) != std::string::npos || !isSchedule(object))
            m_values.fail(node.at, "script.unsupported",
                          callee.empty() ? "this cannot be called" : "'" + callee + "' cannot be called here",
                          "primitives are called on the schedule, as in sch.split(…)");
        return primitiveCall(node, callee.substr(dot + 1));
    }

    bool isSchedule(const std::string &object)
    {
        if (m_schedule.empty() && !m_values.knows(object))
            m_schedule = object; // a bare list of calls: the object that they are called on is the schedule
        return object == m_schedule;
    }

    ArgValue length(const py::Call &node)
    {
        const ArgList args = m_values.evaluateAll(node.args);
        if (args.size() != 1 || !args.front().as<ArgList>())
            m_values.fail(node.at, "script.value", "len takes one list");
        return static_cast<std::int64_t>(args.front().as<ArgList>()->size());
    }

    void workOn(const py::Call &node, const WrittenArguments &written)
    {
        const bool isNamed = written.named.size() == 1 && written.named.front().first == "func_name";
        const ArgValue *given = written.positional.size() == 1 && written.named.empty()
                                    ? written.positional.data()
                                : written.positional.empty() && isNamed ? &written.named.front().second
                                                                        : nullptr;
        const std::string *function = given ? given->as<std::string>() : nullptr;
        if (!function)
            m_values.fail(node.at, "script.value", "work_on takes the name of a function");
        if (!m_steps.workOn(*function)) {
            std::vector<std::string_view> known;
            for (const ir::Module::Entry &entry : m_steps.state().module.functions())
                known.push_back(entry.name);
            m_values.fail(node.at, "schedule.unknown-function",
                          "the module has no function '" + *function + "'",
                          support::didYouMean(*function, known));
        }
    }

    ArgValue primitiveCall(const py::Call &node, const std::string &name)
    {
        WrittenArguments written{.positional = m_values.evaluateAll(node.args), .named = {}};
        for (const py::Keyword &keyword : node.keywords) {
            if (keyword.name.empty())
                m_values.fail(keyword.at, "script.unsupported", "'**' is not understood here");
            written.named.emplace_back(keyword.name, m_values.evaluate(keyword.value));
        }
        if (name == "work_on") {
            workOn(node, written);
            return {};
        }
        if (name == "get" && written.positional.size() == 1)
            return written.positional.front(); // the value of a sampled integer is known here anyway
        const Primitive *primitive = findPrimitive(name);
        if (!primitive) {
            std::vector<std::string_view> known;
            for (const Primitive &p : primitives())
                known.push_back(p.name);
            m_values.fail(node.at, "script.unknown-primitive", "there is no primitive '" + name + "'",
                          support::didYouMean(name, known));
        }
        try {
            return m_steps.run(*primitive, std::move(written), node.at.line);
        } catch (const support::UserError &error) {
            Diagnostic placed = error.diagnostic();
            placed.locations.insert(placed.locations.begin(), {.file = m_fileName,
                                                               .line = node.at.line,
                                                               .column = node.at.column,
                                                               .stmt = {},
                                                               .label = {}});
            refuse(std::move(placed));
        }
    }

    StepRunner m_steps;
    std::string m_fileName, m_schedule;
    ScriptValues m_values;
};

} // namespace

PartialRun runAsFarAsLegal(const State &initial, std::string_view text, const std::string &fileName)
{
    Result<py::Module> module = py::parse(text, fileName);
    if (!module)
        return {{initial, {}}, module.error()};
    ScriptInterpreter interpreter(initial, fileName);
    std::optional<Diagnostic> error;
    try {
        interpreter.run(*module);
    } catch (const support::UserError &failure) {
        error = failure.diagnostic();
    }
    return {std::move(interpreter.steps()).finish(), std::move(error)};
}

Result<ScriptRun> runScheduleScript(const State &initial, std::string_view text, const std::string &fileName)
{
    PartialRun partial = runAsFarAsLegal(initial, text, fileName);
    if (partial.error)
        return support::fail(std::move(*partial.error));
    return std::move(partial.run);
}

} // namespace nestwright::schedule
