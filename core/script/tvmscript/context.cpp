// SPDX-License-Identifier: Apache-2.0
#include "core/script/tvmscript/context.h"

#include "core/ir/build/builder.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace nestwright::script {

std::string describe(const Value &value)
{
    if (value.isNone())
        return "None";
    if (const auto *e = value.as<ir::Expr>()) {
        if (e->as<ir::StringImm>())
            return "a string";
        if (const auto *var = e->as<ir::VarNode>())
            return "the variable '" + var->name + "' of type " + var->dtype.str();
        return "an expression of type " + e->dtype().str();
    }
    if (value.as<FloatValue>())
        return "a number";
    if (const auto *buffer = value.as<ir::Buffer>())
        return "the buffer '" + buffer->name() + '\'';
    if (const auto *region = value.as<ir::BufferRegion>())
        return "a region of the buffer '" + region->buffer.name() + '\'';
    if (const auto *type = value.as<TypeValue>())
        return "the type " + type->dtype.str();
    if (const auto *function = value.as<FunctionValue>())
        return "the function '" + function->name + '\'';
    if (const auto *list = value.as<ListValue>())
        return "a list of " + std::to_string(list->items.size())
               + (list->items.size() == 1 ? " item" : " items");
    if (value.as<DictValue>())
        return "a dictionary";
    if (const auto *global = value.as<GlobalFunction>())
        return "the function '" + global->name + '\'';
    if (value.as<ObjectValue>())
        return "an object for attributes";
    if (const auto *type = value.as<ClassValue>())
        return "the class '" + type->definition->name + '\'';
    if (const auto *object = value.as<InstanceValue>())
        return "an object of the class '" + object->instance->type->name + '\'';
    return "the method '" + value.as<MethodValue>()->name + '\'';
}

Context::Context(std::string fileName) : m_file(std::move(fileName))
{
    // A fragment without imports means the usual names.
    m_imports = {{"T", "T"}, {"I", "I"}, {"R", "R"}, {"tir", "T"}, {"ty", "T"}};
}

void Context::fail(py::Position at, std::string_view code, std::string message, std::string hint) const
{
    throw support::UserError(support::diagnostic(code, std::move(message))
                                 .withHint(std::move(hint))
                                 .at(m_file, at.line, at.column));
}

void Context::fail(py::Position at, const py::Fault &fault) const
{
    const bool isType = fault.kind == py::FaultKind::Type || fault.kind == py::FaultKind::Unpack;
    fail(fault.at.line > 0 ? fault.at : at, isType ? "script.type" : "script.argument", fault.message,
         fault.hint);
}

std::string Context::suggestion(const std::string &name) const
{
    const std::vector<std::string_view> names = m_scope->names();
    const std::string nearest = nearestWord(name, {names.begin(), names.end()});
    return nearest.empty() ? nearest : "did you mean '" + nearest + "'?";
}

void Context::defineOnce(const std::string &name, Value value, py::Position at)
{
    if (m_scope->holds(name))
        fail(at, "script.redefined", "the name '" + name + "' is defined in this scope already",
             "choose another name");
    define(name, std::move(value));
}

CallGuard::CallGuard(Context &context, const std::string &function, py::Position at) : m_context(context)
{
    constexpr int maxDepth = 32, maxCalls = 2000;
    if (context.m_callDepth >= maxDepth || context.m_calls >= maxCalls)
        context.fail(at, "script.unsupported", "'" + function + "' is called too often or too deep",
                     "a function cannot call itself");
    ++context.m_callDepth;
    ++context.m_calls;
}

const GlobalFunction *Context::global(const std::string &dotted) const
{
    const std::size_t dot = dotted.find('.');
    const std::string owner = dotted.substr(0, dot);
    if (dot == std::string::npos || (owner != m_moduleName && owner != "cls"))
        return nullptr;
    const auto found = m_globals.find(std::string_view(dotted).substr(dot + 1));
    return found == m_globals.end() ? nullptr : &found->second;
}

namespace {

/// The canonical name of a module of TVM that matters; others keep their name.
std::string canonicalModule(std::string path)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> table{{
        {"tvm.script.tirx", "T"},
        {"tvm.script.tir", "T"},
        {"tvm.script.parser.tir", "T"},
        {"tvm.script.ir", "I"},
        {"tvm.script.parser.ir", "I"},
        {"tvm.script.relax", "R"},
        {"tvm.script.ir_module", "I.ir_module"},
        {"tvm.script.ty", "T"},
        {"tvm.tirx", "T"},
        {"tvm.tir", "T"},
    }};
    for (const auto &[name, shortName] : table) {
        if (path == name)
            return std::string(shortName);
        if (path.starts_with(name) && path[name.size()] == '.')
            return std::string(shortName) + path.substr(name.size());
    }
    return path;
}

} // namespace

void Context::import(const py::Import &import)
{
    for (const auto &[name, alias] : import.names) {
        const std::string path = import.from.empty() ? name : import.from + '.' + name;
        m_isLater = m_isLater || path.ends_with(".tirx");
        if (!alias.empty())
            m_imports[alias] = canonicalModule(path);
        else if (!import.from.empty())
            m_imports[name] = canonicalModule(path);
        // `import a.b` brings in `a`, whose dotted names are canonical already.
    }
}

std::string Context::canonical(const std::string &dotted) const
{
    const std::size_t dot = dotted.find('.');
    const auto found = m_imports.find(dotted.substr(0, dot));
    if (found != m_imports.end())
        return canonicalModule(found->second + (dot == std::string::npos ? "" : dotted.substr(dot)));
    return dotted.starts_with("tvm.") ? canonicalModule(dotted) : std::string();
}

std::string nearestWord(std::string_view word, const std::vector<std::string> &words)
{
    std::string best;
    std::size_t bestDistance = std::min<std::size_t>(3, word.size() / 2 + 1);
    for (const std::string &candidate : words) {
        if (candidate.size() > word.size() + 2 || word.size() > candidate.size() + 2)
            continue;
        std::vector<std::size_t> row(candidate.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (const char letter : word) {
            std::size_t diagonal = row[0]++;
            for (std::size_t j = 0; j < candidate.size(); ++j) {
                const std::size_t replaced = diagonal + (letter == candidate[j] ? 0 : 1);
                diagonal = row[j + 1];
                row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
            }
        }
        if (row.back() < bestDistance) {
            bestDistance = row.back();
            best = candidate;
        }
    }
    return best;
}

} // namespace nestwright::script
