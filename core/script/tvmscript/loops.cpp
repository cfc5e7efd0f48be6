// SPDX-License-Identifier: Apache-2.0
// Loops: range, T.serial, T.grid and the others.
#include "core/ir/build/builder.h"
#include "core/script/tvmscript/stmt.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <tuple>

namespace nestwright::script {

using ir::Expr;
using ir::Stmt;

namespace {

struct LoopRow {
    std::string_view function;
    ir::ForKind kind;
};

constexpr std::array<LoopRow, 7> loopTable{{
    {"range", ir::ForKind::Serial},
    {"T.serial", ir::ForKind::Serial},
    {"T.parallel", ir::ForKind::Parallel},
    {"T.vectorized", ir::ForKind::Vectorized},
    {"T.unroll", ir::ForKind::Unrolled},
    {"T.unrolled", ir::ForKind::Unrolled},
    {"T.thread_binding", ir::ForKind::ThreadBinding},
}};

Expr integer(const Context &context, const Argument &argument)
{
    Expr e = toExpr(context, argument.value, argument.at);
    if (!e.dtype().isInt() && !e.dtype().isUInt())
        context.fail(argument.at, "script.type",
                     "the range of a loop must be integers, but this is " + e.dtype().str());
    if (e.dtype().isVector())
        context.fail(argument.at, "script.type", "the range of a loop cannot be a vector");
    return e;
}

/// min and extent of `range(stop)`, `range(start, stop)`, `T.serial(start, stop)`.
std::pair<Expr, Expr> readRange(CallArgs &args)
{
    const Argument &first = args.need("start");
    const Expr start = integer(args.context(), first);
    const Argument *second = nullptr;
    // In T.thread_binding(128, "threadIdx.x") the second argument is the thread.
    const Argument *next = args.take("stop");
    const auto *text = next ? next->value.as<Expr>() : nullptr;
    if (next && !next->value.isNone() && !(text && text->as<ir::StringImm>()))
        second = next;
    if (!second)
        return {ir::constant(0, start.dtype()), start};
    Expr min = start, stop = integer(args.context(), *second);
    unifyTypes(min, stop);
    Expr extent = difference(stop, min);
    return {min, ir::cast(min.dtype(), extent)};
}

} // namespace

Stmt StmtReader::forLoop(const py::For &node)
{
    const auto *call = node.iterable->as<py::Call>();
    const std::string function = call ? m_exprs.functionName(call->callee) : std::string();
    if (function == "T.grid")
        return gridLoop(node, m_exprs.callArgs(*call, function));
    const auto row = std::ranges::find(loopTable, function, &LoopRow::function);
    if (row == loopTable.end())
        m_context.fail(node.iterable->at, "script.unknown-function",
                       function.empty() ? "a loop must go over a range"
                                        : "'" + function + "' is no range that a loop may go over",
                       "use range, T.serial, T.grid, T.parallel, T.vectorized, T.unroll or T.thread_binding");
    const auto *name = node.target->as<py::Name>();
    if (!name)
        m_context.fail(node.target->at, "script.unsupported",
                       "expected one name as the variable of this loop");
    CallArgs args = m_exprs.callArgs(*call, function);
    ir::For loop;
    loop.forKind = row->kind;
    if (loop.forKind == ir::ForKind::ThreadBinding) {
        // The thread is the last positional argument where it is not named.
        const std::vector<Argument> all = m_exprs.arguments(*call);
        for (const Argument &argument : all) {
            const auto *e = argument.value.as<Expr>();
            if (e && e->as<ir::StringImm>() && (argument.name.empty() || argument.name == "thread"))
                loop.thread = e->as<ir::StringImm>()->value;
        }
        if (loop.thread.empty())
            m_context.fail(call->at, "script.argument", "'T.thread_binding' needs the argument 'thread'",
                           "such as thread=\"threadIdx.x\"");
    }
    std::tie(loop.min, loop.extent) = readRange(args);
    if (!loop.thread.empty())
        args.take("thread");
    const Argument *step = function == "range" ? args.take("step") : args.takeNamed("step");
    const Expr stride = step && !step->value.isNone() ? integer(m_context, *step) : Expr(1);
    if (const Argument *annotations = args.take("annotations"); annotations && !annotations->value.isNone())
        loop.annotations = toAttrs(m_context, annotations->value, annotations->at);
    args.done();
    loop.var = ir::Var(name->id, loop.extent.dtype());
    const ScopeGuard scope(m_context);
    Expr value = loop.var;
    if (!ir::isConstInt(stride, 1)) {
        // A loop with a step runs over the number of its steps.
        const std::int64_t *number = ir::asInt(stride);
        if (!number || *number < 1)
            m_context.fail(step->at, "script.unsupported", "the step of a loop must be a positive constant",
                           "multiply the variable where it is used");
        const Expr by = ir::cast(loop.var.dtype(), stride);
        value = loop.min + loop.var * by;
        loop.extent = ir::floorDiv(loop.extent + (by - 1), by);
        loop.min = ir::constant(0, loop.var.dtype());
    }
    m_context.define(name->id, {value});
    m_context.loops[loop.var] = {loop.min, loop.extent};
    loop.body = loopBody(node.body);
    return ir::make(std::move(loop));
}

/// One name for each loop. `for loops in T.grid(4, 4)` names all of them at once, `for *i, k in T.grid(4, 4,
/// 4)` some.
std::vector<std::string> StmtReader::gridNames(const py::Expr &target, std::size_t count) const
{
    const auto *tuple = target->as<py::Tuple>();
    const auto *list = target->as<py::List>();
    const std::vector<py::Expr> parts = tuple ? tuple->items : list ? list->items : std::vector{target};
    const bool together = !tuple && !list && count > 1;
    std::vector<std::string> names;
    for (const py::Expr &part : parts) {
        const auto *starred = part->as<py::Starred>();
        const auto *name = (starred ? starred->value : part)->as<py::Name>();
        if (!name)
            m_context.fail(part->at, "script.unsupported", "expected a name as the variable of this loop");
        const std::size_t copies = together               ? count
                                   : !starred             ? 1
                                   : count < parts.size() ? 0
                                                          : count + 1 - parts.size();
        for (std::size_t i = 0; i < copies; ++i)
            names.push_back(together || starred ? name->id + '_' + std::to_string(i) : name->id);
    }
    if (names.size() != count || names.empty())
        m_context.fail(target->at, "script.argument",
                       "T.grid has " + std::to_string(count) + " extents, but " + std::to_string(names.size())
                           + " variables are given");
    return names;
}

Stmt StmtReader::gridLoop(const py::For &node, CallArgs args)
{
    const std::vector<Argument> extents = args.takeRest();
    args.done();
    const std::vector<std::string> names = gridNames(node.target, extents.size());
    constexpr std::size_t maxGrid = 64;
    if (names.size() > maxGrid)
        m_context.fail(node.target->at, "script.argument",
                       "T.grid has more than " + std::to_string(maxGrid) + " extents");
    const ScopeGuard scope(m_context);
    std::vector<ir::For> loops;
    ListValue vars;
    for (std::size_t i = 0; i < names.size(); ++i) {
        ir::For loop;
        loop.extent = integer(m_context, extents[i]);
        loop.min = ir::constant(0, loop.extent.dtype());
        loop.var = ir::Var(names[i], loop.extent.dtype());
        m_context.loops[loop.var] = {loop.min, loop.extent};
        vars.items.emplace_back().data = Expr(loop.var);
        loops.push_back(std::move(loop));
    }
    if (extents.size() == 1 && node.target->as<py::Name>())
        m_context.define(names.front(), vars.items.front());
    else
        m_exprs.bindTarget(node.target, {std::move(vars)}, node.target->at);
    Stmt result = loopBody(node.body);
    for (ir::For &loop : std::views::reverse(loops)) {
        loop.body = std::move(result);
        result = ir::make(std::move(loop));
    }
    return result;
}

} // namespace nestwright::script
