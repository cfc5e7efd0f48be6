// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/script/reader.h"

#include "core/ir/build/builder.h"
#include "core/schedule/edit.h"
#include "core/schedule/script/arguments.h"
#include "core/schedule/script/number_functions.h"
#include "core/schedule/script/step_runner.h"
#include "core/schedule/script/values.h"
#include "core/script/python/parser.h"
#include "core/support/text/near_names.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

class ScriptInterpreter {
public:
    ScriptInterpreter(const State &initial, const std::string &fileName)
        : m_steps(initial)
        , m_fileName(fileName)
        , m_values(
              fileName, [this](const py::Call &call) { return this->call(call); },
              [this](const py::Attribute &node, const ArgValue &value) { return attribute(node, value); })
    {
    }

    /// The steps so far, with the names that are known by then.
    ScriptRun finish() &&
    {
        ScriptNames known = names();
        return std::move(m_steps).finish(std::move(known));
    }

    void run(const py::Module &module, const std::vector<ScriptParameter> &given = {})
    {
        const py::FunctionDef *function = scheduleFunction(module);
        const Place place = placeOf(module, function);
        runBeside(function, module.body.begin(), place);
        if (function)
            m_schedule = function->params.front().name;
        const std::vector<ScriptParameter> parameters = parametersOf(function);
        for (const ScriptParameter &parameter : parameters)
            m_values.set(parameter.name, parameter.value);
        for (const ScriptParameter &parameter : given)
            give(parameter, parameters);
        runAll(function ? function->body : module.body);
        runBeside(function, place, module.body.end());
    }

    std::vector<ScriptParameter> parametersOf(const py::Module &module)
    {
        const py::FunctionDef *function = scheduleFunction(module);
        runBeside(function, module.body.begin(), placeOf(module, function));
        return parametersOf(function);
    }

private:
    using Place = py::Body::const_iterator;

    static Place placeOf(const py::Module &module, const py::FunctionDef *function)
    {
        return std::ranges::find(module.body, function, &py::Stmt::get);
    }

    /// The statements beside the function that takes the schedule: they name numbers for it, and do nothing
    /// else.
    void runBeside(const py::FunctionDef *function, Place first, Place last)
    {
        const std::string schedule = m_schedule;
        m_beside = function;
        for (; function && first != last; ++first) {
            if (!isOfOthers(**first))
                run(*first);
        }
        m_beside = nullptr;
        m_schedule = schedule;
    }

    /// Whether a statement beside the function says nothing to it: a definition, `module = Other`, or what
    /// runs where the file is the program.
    static bool isOfOthers(const py::StmtNode &s)
    {
        const auto *assign = s.as<py::Assign>();
        const auto *branch = s.as<py::If>();
        const auto *asked = branch ? branch->condition->as<py::Compare>() : nullptr;
        const auto *name = asked ? asked->first->as<py::Name>() : nullptr;
        return s.as<py::FunctionDef>() || s.as<py::ClassDef>() || (assign && assign->value->as<py::Name>())
               || (name && name->id == "__name__");
    }

    ScriptNames names() const
    {
        ScriptNames known;
        if (!m_schedule.empty())
            known.schedule = m_schedule;
        for (const std::string_view each : m_values.names().names()) {
            const std::string name(each);
            known.taken.insert(name);
            const ArgValue &value = *m_values.names().find(name);
            if (const StmtId *id = value.as<StmtId>())
                known.of[*id] = name;
            const ArgList *list = value.as<ArgList>();
            for (std::size_t i = 0; list && i < list->size(); ++i) {
                if (const StmtId *id = (*list)[i].as<StmtId>()) // a name of its own is better
                    known.of.try_emplace(*id, name + '[' + std::to_string(i) + ']');
            }
        }
        return known;
    }

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

    std::vector<ScriptParameter> parametersOf(const py::FunctionDef *function)
    {
        std::vector<ScriptParameter> parameters;
        for (std::size_t i = 1; function && i < function->params.size(); ++i) {
            const py::Param &param = function->params[i];
            if (param.kind == py::Param::Kind::KeywordMarker)
                continue;
            if (!param.defaultValue)
                m_values.fail(param.at, "script.value", "the parameter '" + param.name + "' has no value",
                              "give it one in the head of the function: " + param.name + "=8");
            parameters.push_back({param.name, m_values.evaluate(param.defaultValue)});
        }
        return parameters;
    }

    void give(const ScriptParameter &given, const std::vector<ScriptParameter> &parameters)
    {
        if (!std::ranges::contains(parameters, given.name, &ScriptParameter::name)) {
            std::vector<std::string_view> known;
            for (const ScriptParameter &parameter : parameters)
                known.push_back(parameter.name);
            refuse(support::diagnostic("script.argument", "the script has no parameter '" + given.name + "'")
                       .withHint(support::didYouMean(given.name, known))
                       .at(m_fileName, 1, 1));
        }
        m_values.set(given.name, given.value);
    }

    /// False where the script returned.
    bool runAll(const py::Body &body)
    {
        return std::ranges::all_of(body, [this](const py::Stmt &s) { return run(s); });
    }

    bool runFor(const py::For &loop)
    {
        const ArgValue items = m_values.evaluate(loop.iterable);
        const ArgList *list = items.as<ArgList>();
        if (!list)
            m_values.fail(loop.iterable->at, "script.value",
                          "a for loop needs a list or a range, found " + std::string(kindOf(items)));
        return std::ranges::all_of(*list, [&](const ArgValue &item) {
            m_values.assign(loop.target, item);
            return runAll(loop.body);
        });
    }

    /// False where it returns.
    bool run(const py::Stmt &s)
    {
        countStatement(s->at);
        switch (s->kind) {
        case py::StmtKind::For: return runFor(*s->as<py::For>());
        case py::StmtKind::If: {
            const auto &branch = *s->as<py::If>();
            return runAll(m_values.isTrue(branch.condition) ? branch.body : branch.orElse);
        }
        case py::StmtKind::Return: return false;
        case py::StmtKind::Assert: require(*s->as<py::Assert>()); break;
        case py::StmtKind::ExprStmt: {
            const py::Expr &value = s->as<py::ExprStmt>()->value;
            if (!value->as<py::StringLiteral>()
                && !value->as<py::EllipsisLiteral>()) // a docstring says nothing to us
                m_values.evaluate(value);
            break;
        }
        case py::StmtKind::Assign: {
            const auto &assign = *s->as<py::Assign>();
            if (makesSchedule(assign))
                break;
            const ArgValue value = m_values.evaluate(assign.value);
            for (const py::Expr &target : assign.targets)
                m_values.assign(target, value);
            break;
        }
        case py::StmtKind::AnnAssign:
            if (const auto &assign = *s->as<py::AnnAssign>(); assign.value)
                m_values.assign(assign.target, m_values.evaluate(assign.value));
            break;
        case py::StmtKind::Pass:
        case py::StmtKind::Import: break;
        default:
            m_values.fail(s->at, "script.unsupported", "a schedule script cannot use this kind of statement",
                          "assignments, if, for, assert and calls of primitives are understood");
        }
        return true;
    }

    void require(const py::Assert &statement)
    {
        if (m_values.isTrue(statement.condition))
            return;
        const ArgValue why = statement.message ? m_values.evaluate(statement.message) : ArgValue();
        const std::string *text = why.as<std::string>();
        m_values.fail(statement.at, "script.assert", text ? *text : "what the script asserts does not hold");
    }

    void countStatement(py::Position at)
    {
        constexpr int most = 100'000;
        if (++m_statements > most)
            m_values.fail(at, "script.too-long",
                          "the script runs more than " + std::to_string(most) + " statements",
                          "do loops stand in loops?");
    }

    /// `sch.get(loop).extent` and `.min`: plain numbers; `sch.get(block).writes[0].buffer.dtype`: a text,
    /// which the list of regions and each buffer of it are here; `sch.get(block).init`: whether it reduces.
    ArgValue attribute(const py::Attribute &node, const ArgValue &value)
    {
        const StmtId *id = value.as<StmtId>();
        const ir::Block *block = id ? m_steps.block(*id) : nullptr;
        if (block && (node.name == "writes" || node.name == "reads")) {
            ArgValue::List types;
            for (const ir::BufferRegion &region : node.name == "writes" ? block->writes : block->reads)
                types.emplace_back(region.buffer.dtype().str());
            return types;
        }
        if (block && node.name == "init") // a script asks only whether there is one
            return std::int64_t{block->init ? 1 : 0};
        if (value.as<std::string>() && (node.name == "buffer" || node.name == "dtype"))
            return value;
        const ir::For *loop = id ? m_steps.loop(*id) : nullptr;
        if (!loop || (node.name != "extent" && node.name != "min"))
            m_values.fail(node.at, "script.unsupported", "there is no attribute '" + node.name + "' here",
                          "sch.get(loop).extent and sch.get(block).writes[0].buffer.dtype are understood");
        const std::int64_t *number = ir::asInt(node.name == "extent" ? loop->extent : loop->min);
        if (!number)
            m_values.fail(node.at, "script.value", "this is known only where the program runs");
        return *number;
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
        if (const auto number = numberFunction(m_values, node, callee))
            return *number;
        if (m_beside && callee == m_beside->name)
            return {}; // it runs anyway
        if (m_beside)
            m_values.fail(node.at, "script.outside",
                          "this call stands beside the function '" + m_beside->name + "' and would not run",
                          "indent it, so that it belongs to the function, or leave it to "
                          "if __name__ == \"__main__\":");
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
            return written.positional.front(); // sampled integers are known here, loops have attributes
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
    const py::FunctionDef *m_beside = nullptr; ///< the function, while statements beside it are looked at
    int m_statements = 0;
    ScriptValues m_values;
};

} // namespace

Result<std::vector<ScriptParameter>> parametersOf(std::string_view text, const std::string &fileName)
{
    const Result<py::Module> module = py::parse(text, fileName);
    if (!module)
        return support::fail(module.error());
    try {
        return ScriptInterpreter(State(), fileName).parametersOf(*module);
    } catch (const support::UserError &failure) {
        return support::fail(failure.diagnostic());
    }
}

namespace {

PartialRun runScript(const State &initial, std::string_view text, const std::string &fileName,
                     const std::vector<ScriptParameter> &given)
{
    Result<py::Module> module = py::parse(text, fileName);
    if (!module)
        return {{initial, {}}, module.error()};
    ScriptInterpreter interpreter(initial, fileName);
    std::optional<Diagnostic> error;
    try {
        interpreter.run(*module, given);
    } catch (const support::UserError &failure) {
        error = failure.diagnostic();
    }
    return {std::move(interpreter).finish(), std::move(error)};
}

} // namespace

PartialRun runAsFarAsLegal(const State &initial, std::string_view text, const std::string &fileName,
                           const std::vector<ScriptParameter> &given)
{
    return runScript(initial, text, fileName, given);
}

Result<ScriptRun> runScheduleScript(const State &initial, std::string_view text, const std::string &fileName,
                                    const std::vector<ScriptParameter> &given)
{
    PartialRun partial = runScript(initial, text, fileName, given);
    if (partial.error)
        return support::fail(std::move(*partial.error));
    return std::move(partial.run);
}

} // namespace nestwright::schedule
