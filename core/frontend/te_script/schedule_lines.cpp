// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/schedule_lines.h"

#include <algorithm>
#include <format>
#include <unordered_set>
#include <vector>

namespace nestwright::te {

namespace py = script::py;

namespace {

const py::Name *onlyTarget(const py::Assign &assign)
{
    return assign.targets.size() == 1 ? assign.targets[0]->as<py::Name>() : nullptr;
}

/// `sch` of `sch = tvm.tir.Schedule(module)`, else empty.
std::string scheduleMade(const py::Stmt &s)
{
    const auto *assign = s->as<py::Assign>();
    const auto *call = assign ? assign->value->as<py::Call>() : nullptr;
    if (!call || !onlyTarget(*assign))
        return {};
    const std::string callee = py::dottedName(call->callee);
    return callee == "Schedule" || callee.ends_with("tir.Schedule") ? onlyTarget(*assign)->id : std::string();
}

/// `sch.split(…)`, `sch.get_loops(b)[0]`, or an assignment of these.
bool callsPrimitive(const py::Stmt &s, const std::string &schedule)
{
    const py::ExprNode *value = nullptr;
    if (const auto *statement = s->as<py::ExprStmt>())
        value = statement->value.get();
    if (const auto *assign = s->as<py::Assign>())
        value = assign->value.get();
    while (value && value->kind == py::ExprKind::Subscript)
        value = value->as<py::Subscript>()->value.get();
    const auto *call = value ? value->as<py::Call>() : nullptr;
    const std::string callee = call ? py::dottedName(call->callee) : std::string();
    static constexpr std::string_view others[] = {"show", "work_on", "seed", "copy", "fork_seed"};
    return callee.starts_with(schedule + ".") && callee.find('.', schedule.size() + 1) == std::string::npos
           && std::find(std::begin(others), std::end(others), callee.substr(schedule.size() + 1))
                  == std::end(others);
}

/// Constants that steps may use: `bn = 32`, `M = N = 2 * bn`.
class Constants {
public:
    /// Whether `s` only gives constants names, which count as constants from here on.
    bool take(const py::Stmt &s)
    {
        const auto *assign = s->as<py::Assign>();
        if (!assign || !isConstant(assign->value))
            return false;
        for (const py::Expr &target : assign->targets) {
            if (!target->as<py::Name>())
                return false;
        }
        for (const py::Expr &target : assign->targets)
            m_names.insert(target->as<py::Name>()->id);
        return true;
    }

private:
    bool isConstant(const py::Expr &e) const
    {
        const auto test = [this](const py::Expr &item) { return isConstant(item); };
        switch (e->kind) {
        case py::ExprKind::IntLiteral:
        case py::ExprKind::StringLiteral:
        case py::ExprKind::BoolLiteral:
        case py::ExprKind::NoneLiteral: return true;
        case py::ExprKind::Name: return m_names.contains(e->as<py::Name>()->id);
        case py::ExprKind::Unary: return isConstant(e->as<py::Unary>()->operand);
        case py::ExprKind::Binary:
            return isConstant(e->as<py::Binary>()->left) && isConstant(e->as<py::Binary>()->right);
        case py::ExprKind::List: return std::ranges::all_of(e->as<py::List>()->items, test);
        case py::ExprKind::Tuple: return std::ranges::all_of(e->as<py::Tuple>()->items, test);
        default: return false;
        }
    }

    std::unordered_set<std::string> m_names;
};

/// Line of a statement, from 1; for a decorated function or class, the line of its first decorator.
std::size_t firstLine(const py::Stmt &s)
{
    const std::vector<py::Expr> *decorators = nullptr;
    if (const auto *function = s->as<py::FunctionDef>())
        decorators = &function->decorators;
    if (const auto *type = s->as<py::ClassDef>())
        decorators = &type->decorators;
    return static_cast<std::size_t>(decorators && !decorators->empty() ? decorators->front()->at.line
                                                                       : s->at.line);
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// `other` of `tvm.tir.Schedule(other.mod)`, else empty.
std::string goesOnFrom(const py::Stmt &s)
{
    const auto *call = s->as<py::Assign>()->value->as<py::Call>();
    const std::string argument = call->args.empty() ? std::string() : py::dottedName(call->args.front());
    return argument.ends_with(".mod") ? argument.substr(0, argument.size() - 4) : std::string();
}

/// The statements that make one schedule, by their positions.
struct Written {
    std::string variable;
    std::vector<std::size_t> statements;
    bool hasSteps = false;
    int line = 0;
};

std::vector<Written> findWritten(const py::Module &module)
{
    std::vector<Written> all;
    std::vector<std::size_t> constantLines;
    Constants constants;
    const auto latest = [&](const std::string &variable) {
        const auto found = std::find_if(all.rbegin(), all.rend(),
                                        [&](const Written &each) { return each.variable == variable; });
        return found == all.rend() ? nullptr : &*found;
    };
    for (std::size_t i = 0; i < module.body.size(); ++i) {
        const py::Stmt &s = module.body[i];
        if (constants.take(s)) {
            constantLines.push_back(i);
            for (Written &each : all)
                each.statements.push_back(i);
            continue;
        }
        if (const std::string variable = scheduleMade(s); !variable.empty()) {
            const Written *before = latest(goesOnFrom(s));
            Written made = before ? *before : Written{{}, constantLines};
            made.variable = variable;
            made.hasSteps = false;
            made.line = s->at.line;
            made.statements.push_back(i);
            all.push_back(std::move(made));
            continue;
        }
        for (Written &each : all) {
            if (&each == latest(each.variable) && callsPrimitive(s, each.variable)) {
                each.statements.push_back(i);
                each.hasSteps = true;
            }
        }
    }
    std::erase_if(all, [](const Written &each) { return !each.hasSteps; });
    return all;
}

} // namespace

std::vector<ScheduleSteps> writtenSchedules(const py::Module &module, std::string_view text)
{
    const std::vector<std::string_view> lines = linesOf(text);
    const std::vector<Written> all = findWritten(module);
    std::vector<ScheduleSteps> schedules;
    for (const Written &each : all) {
        std::vector<bool> kept(lines.size(), false);
        for (const std::size_t i : each.statements) {
            // A statement reaches to the next one; comments between them do no harm.
            const std::size_t begin = firstLine(module.body[i]) - 1;
            const std::size_t next =
                i + 1 < module.body.size() ? firstLine(module.body[i + 1]) - 1 : lines.size();
            for (std::size_t line = begin; line < std::max(next, begin + 1); ++line)
                kept[line] = true;
        }
        ScheduleSteps schedule;
        for (std::size_t line = 0; line < lines.size(); ++line) {
            if (kept[line])
                schedule.written += lines[line];
            schedule.written += '\n';
        }
        const bool isOnly = std::ranges::count(all, each.variable, &Written::variable) == 1;
        schedule.name = isOnly ? each.variable : std::format("{} (line {})", each.variable, each.line);
        schedules.push_back(std::move(schedule));
    }
    return schedules;
}

} // namespace nestwright::te
