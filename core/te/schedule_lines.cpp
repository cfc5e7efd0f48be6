// SPDX-License-Identifier: Apache-2.0
#include "core/te/schedule_lines.h"

#include <algorithm>
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

/// From 1; of a decorated function or class, the line of its first decorator.
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

} // namespace

std::string scheduleLines(const py::Module &module, std::string_view text)
{
    std::size_t first = module.body.size();
    for (std::size_t i = 0; i < module.body.size(); ++i) {
        if (!scheduleMade(module.body[i]).empty())
            first = i;
    }
    if (first == module.body.size())
        return {};
    const std::string schedule = scheduleMade(module.body[first]);

    const std::vector<std::string_view> lines = linesOf(text);
    std::vector<bool> kept(lines.size(), false);
    Constants constants;
    bool anyStep = false;
    for (std::size_t i = 0; i < module.body.size(); ++i) {
        const py::Stmt &s = module.body[i];
        const bool constant = constants.take(s);
        const bool step = i > first && callsPrimitive(s, schedule);
        anyStep = anyStep || step;
        if (!step && i != first && !constant)
            continue;
        // A statement reaches to the next one; comments between them do no harm.
        const std::size_t begin = firstLine(s) - 1;
        const std::size_t next =
            i + 1 < module.body.size() ? firstLine(module.body[i + 1]) - 1 : lines.size();
        for (std::size_t line = begin; line < std::max(next, begin + 1); ++line)
            kept[line] = true;
    }
    if (!anyStep)
        return {};
    std::string script;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        if (kept[line])
            script += lines[line];
        script += '\n';
    }
    return script;
}

} // namespace nestwright::te
