// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/interpreter.h"

#include "core/frontend/te_script/builtins.h"
#include "core/frontend/te_script/legacy_schedule.h"
#include "core/frontend/te_script/limits.h"
#include "core/te/bounds.h"

#include <algorithm>
#include <array>
#include <format>
#include <utility>

namespace nestwright::te {

using support::diagnostic;
using support::UserError;

Interpreter::Interpreter(std::string fileName)
    : m_fileName(std::move(fileName))
    , m_globals(std::make_shared<Scope>())
    , m_scope(m_globals)
{
    m_globals->set("__name__", std::string("__main__"));
}

Interpreter::~Interpreter()
{
    // A scope holds functions that hold the scope.
    m_globals->clear();
    for (const std::shared_ptr<Scope> &scope : m_scopes)
        scope->clear();
    for (const auto &[items, container] : m_changed) {
        if (const auto *list = container.as<ListValue>())
            list->items->clear();
        else
            container.as<DictValue>()->items->clear();
    }
}

void Interpreter::keepChanged(const Value &container)
{
    const auto *list = container.as<ListValue>();
    m_changed.emplace(list ? static_cast<const void *>(list->items.get())
                           : container.as<DictValue>()->items.get(),
                      container);
}

std::shared_ptr<Scope> Interpreter::newScope(std::shared_ptr<Scope> outer)
{
    m_scopes.push_back(std::make_shared<Scope>(std::move(outer)));
    return m_scopes.back();
}

void Interpreter::run(const py::Module &module) { execute(module.body); }

void Interpreter::fail(py::Position at, std::string_view code, std::string message, std::string hint) const
{
    throw UserError(
        diagnostic(code, std::move(message)).at(m_fileName, at.line, at.column).withHint(std::move(hint)));
}

void Interpreter::fail(py::Position at, const py::Fault &fault) const
{
    constexpr std::array codes{"te.type",    "te.index", "te.argument", "te.unpack", "te.division-by-zero",
                               "te.overflow"};
    fail(fault.at.line > 0 ? fault.at : at, codes[std::to_underlying(fault.kind)], fault.message, fault.hint);
}

void Interpreter::note(py::Position at, std::string_view code, std::string message)
{
    // The first note of a line says what there is to say; loops come by several times.
    const bool known = std::any_of(m_notes.begin(), m_notes.end(), [&](const support::Diagnostic &note) {
        return note.locations[0].line == at.line;
    });
    if (!known)
        m_notes.push_back(diagnostic(code, std::move(message)).at(m_fileName, at.line, at.column));
}

void Interpreter::noteSkipped(py::Position at, const std::string &what)
{
    if (what != tirScheduleName)
        note(at, "te.skipped-line", std::format("not carried out: {}", what));
}

py::Position Interpreter::placeOf(const Expr &load) const
{
    const auto found = m_loads.find(load.get());
    return found == m_loads.end() ? py::Position() : found->second.second;
}

Value Interpreter::evaluate(const py::ExprNode &e)
{
    struct Nested {
        int &depth;
        explicit Nested(int &d) : depth(++d) {}
        ~Nested() { --depth; }
    } nested(m_nesting);
    if (m_nesting > limits::nesting)
        fail(e.at, "te.too-deep", std::format("expressions are nested more than {} deep", limits::nesting));
    try {
        countStep(e.at);
        Value value = evaluateNode(e);
        if (const auto *text = value.as<std::string>()) // names and constants give copies
            countItems(static_cast<std::int64_t>(text->size()) / 64, e.at);
        return value;
    } catch (const OutOfBounds &error) {
        if (!error.diagnostic().locations.empty())
            throw;
        const py::Position read = placeOf(error.load());
        const py::Position at = read.line ? read : e.at;
        throw UserError(support::Diagnostic(error.diagnostic()).at(m_fileName, at.line, at.column));
    } catch (const UserError &error) {
        // Errors of the builder and the arithmetic have no place yet: this is the innermost expression
        // around it.
        if (!error.diagnostic().locations.empty())
            throw;
        throw UserError(support::Diagnostic(error.diagnostic()).at(m_fileName, e.at.line, e.at.column));
    }
}

namespace {

std::vector<Argument> toArguments(Interpreter &interpreter, const Value &value, py::Position at)
{
    std::vector<Argument> arguments;
    for (const Value &item : interpreter.items(value, at)) {
        if (const auto *tensor = item.as<Tensor>()) {
            arguments.emplace_back(*tensor);
            continue;
        }
        const auto *e = item.as<Expr>();
        if (!e || e->kind() != ir::ExprKind::Var) {
            interpreter.fail(
                at, "te.argument",
                std::format("the arguments of a kernel are tensors and size variables, but {} is among them",
                            item.kindText()));
        }
        arguments.emplace_back(Var::from(*e));
    }
    return arguments;
}

} // namespace

std::size_t Interpreter::addKernel(const Value &arguments, py::Position at)
{
    const bool one = arguments.as<Tensor>();
    m_kernels.push_back(
        {"main", toArguments(*this, one ? Value::list({arguments}) : arguments, at), nullptr, at.line, {}});
    return m_kernels.size() - 1;
}

void Interpreter::nameSchedule(const LegacySchedule *schedule, const std::string &variable)
{
    for (ScriptKernel &kernel : m_kernels) {
        if (kernel.schedule.get() == schedule && kernel.label.empty())
            kernel.label = variable;
    }
}

void Interpreter::setScheduleArguments(const LegacySchedule *schedule, const Value &arguments,
                                       py::Position at)
{
    for (ScriptKernel &kernel : m_kernels) {
        if (kernel.schedule.get() == schedule)
            kernel.arguments = toArguments(*this, arguments, at);
    }
}

} // namespace nestwright::te
