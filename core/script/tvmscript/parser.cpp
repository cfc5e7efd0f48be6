// SPDX-License-Identifier: Apache-2.0
#include "core/script/tvmscript/parser.h"

#include "core/script/python/parser.h"
#include "core/script/relax_functions.h"
#include "core/script/tvmscript/objects.h"
#include "core/script/tvmscript/stmt.h"
#include "core/support/errors/errors.h"

#include <algorithm>

namespace nestwright::script {

namespace {

/// Reads the top level of a file: imports, constants, functions and the class of a module.
class ModuleReader {
public:
    explicit ModuleReader(const py::Module &module) : m_module(module), m_context(module.fileName)
    {
        if (module.saysTirx)
            m_context.setLater();
    }

    ir::Module read()
    {
        for (const py::Stmt &statement : m_module.body)
            topLevel(*statement);
        if (m_entries.empty() && !m_sawClass)
            m_context.fail({1, 1}, "script.no-function", "there is no function of TVMScript in this text",
                           "write a function with the decorator @T.prim_func");
        if (!m_sawClass && m_entries.size() == 1)
            m_entries.front().name = "main"; // as a schedule of one function calls it
        ir::IdCounter ids;
        return ir::assignIds(ir::Module(std::move(m_entries), std::move(m_attrs)), ids);
    }

private:
    void topLevel(const py::StmtNode &node)
    {
        if (const auto *import = node.as<py::Import>())
            return m_context.import(*import);
        if (const auto *def = node.as<py::FunctionDef>())
            checkDecorators(def->decorators);
        if (const auto *def = node.as<py::FunctionDef>(); def && isPrimFunc(*def))
            return addFunction(*def);
        if (const auto *def = node.as<py::ClassDef>(); def && isModule(*def))
            return addClass(*def);
        if (const auto *assign = node.as<py::Assign>())
            return constant(*assign);
        if (const auto *def = node.as<py::ClassDef>())
            m_context.define(def->name, {ClassValue{def}});
        if (const auto *def = node.as<py::FunctionDef>()) // a macro, or one that computes indices
            m_context.define(def->name, {FunctionValue{def->name, def}});
        // Anything else of a script (calls, prints) is not executed.
    }

    bool hasDecorator(const std::vector<py::Expr> &decorators, std::string_view name) const
    {
        return std::ranges::any_of(decorators, [&](const py::Expr &decorator) {
            const auto *call = decorator->as<py::Call>();
            return m_context.canonical(py::dottedName(call ? call->callee : decorator)) == name;
        });
    }
    /// @T.macro(hygienic=False): none of them takes an argument by its place.
    void checkDecorators(const std::vector<py::Expr> &decorators) const
    {
        for (const py::Expr &decorator : decorators) {
            const auto *call = decorator->as<py::Call>();
            const std::string name = call ? m_context.canonical(py::dottedName(call->callee)) : std::string();
            if (name.starts_with("T.") && !call->args.empty())
                m_context.fail(call->args.front()->at, "script.argument",
                               "the arguments of '@" + name + "' are given by their names");
        }
    }
    bool isPrimFunc(const py::FunctionDef &def) const { return hasDecorator(def.decorators, "T.prim_func"); }
    bool isModule(const py::ClassDef &def) const { return hasDecorator(def.decorators, "I.ir_module"); }

    void addFunction(const py::FunctionDef &def)
    {
        const bool known = std::ranges::any_of(
            m_entries, [&](const ir::Module::Entry &entry) { return entry.name == def.name; });
        if (known)
            m_context.fail(def.at, "script.argument", "two functions have the name '" + def.name + '\'');
        m_entries.push_back({def.name, StmtReader(m_context).function(def)});
    }

    void addClass(const py::ClassDef &def)
    {
        if (m_sawClass)
            m_context.fail(def.at, "script.unsupported", "a file may hold one module only");
        m_sawClass = true;
        m_entries.clear();
        m_context.enterModule(def.name);
        for (const py::Stmt &statement : def.body) {
            const auto *function = statement->as<py::FunctionDef>();
            if (function && isPrimFunc(*function))
                m_context.addGlobal({function->name, StmtReader(m_context).returnType(*function)});
        }
        for (const py::Stmt &statement : def.body) {
            const auto *function = statement->as<py::FunctionDef>();
            if (function && isRelaxFunction(*function))
                continue; // leftOutFunctions tells of it
            if (function)
                checkDecorators(function->decorators);
            if (function && isPrimFunc(*function))
                addFunction(*function);
            else if (function && hasDecorator(function->decorators, "T.macro"))
                m_context.define(function->name, {FunctionValue{function->name, function}});
            else if (function)
                m_context.fail(statement->at, "script.unsupported",
                               "the function '" + function->name + "' of the module is no @T.prim_func");
            else if (const auto *call = statement->as<py::ExprStmt>())
                moduleStatement(*call);
            else if (!statement->as<py::Pass>())
                m_context.fail(statement->at, "script.unsupported",
                               "expected functions in the class of a module");
        }
        const bool hasRelax = std::ranges::any_of(def.body, [](const py::Stmt &statement) {
            const auto *function = statement->as<py::FunctionDef>();
            return function && isRelaxFunction(*function);
        });
        if (hasRelax && m_entries.empty())
            m_context.fail(def.at, "script.no-function",
                           "the module has functions of Relax, but none with the decorator @T.prim_func",
                           "LegalizeOps of TVM makes such functions of the operators that it calls");
    }

    /// I.module_attrs({…}), or a docstring
    void moduleStatement(const py::ExprStmt &statement)
    {
        if (statement.value->as<py::StringLiteral>())
            return;
        ExprReader reader(m_context);
        const auto *call = statement.value->as<py::Call>();
        if (call && reader.functionName(call->callee) == "I.module_global_infos")
            return; // devices of functions of Relax
        if (!call || reader.functionName(call->callee) != "I.module_attrs")
            m_context.fail(statement.at, "script.unsupported",
                           "expected functions or I.module_attrs in a module");
        CallArgs args = reader.callArgs(*call, "I.module_attrs");
        const Argument &attrs = args.need("attrs");
        args.done();
        m_attrs = toAttrs(m_context, attrs.value, attrs.at);
        for (const auto &[key, value] : m_attrs)
            requireParameters(m_context, value, {}, attrs.at);
    }

    /// `M = 128` may be used by the functions below; other values are left alone.
    void constant(const py::Assign &assign)
    {
        const auto *name = assign.targets.size() == 1 ? assign.targets.front()->as<py::Name>() : nullptr;
        if (!name)
            return;
        if (const auto *call = assign.value->as<py::Call>();
            call
            && (py::dottedName(call->callee) == "TypeVar"
                || py::dottedName(call->callee) == "typing.TypeVar"))
            return typeVar(name->id, *call); // how later versions write an int64 size
        try {
            Value value = ExprReader(m_context).value(assign.value);
            requireModestSize(m_context, value, assign.value->at);
            m_context.define(name->id, std::move(value));
        } catch (const support::UserError &) {
            return;
        }
    }

    void typeVar(const std::string &name, const py::Call &call)
    {
        const auto *text = call.args.empty() ? nullptr : call.args.front()->as<py::StringLiteral>();
        if (!text || text->value != name || call.args.size() != 1 || !call.keywords.empty())
            m_context.fail(call.at, "script.argument",
                           "expected a size as '" + name + " = TypeVar(\"" + name + "\")'");
        m_context.addTypeVar(name);
    }

    const py::Module &m_module;
    Context m_context;
    std::vector<ir::Module::Entry> m_entries;
    ir::Attrs m_attrs;
    bool m_sawClass = false;
};

} // namespace

support::Result<ir::Module> parseTvmScript(const py::Module &module)
{
    try {
        return ModuleReader(module).read();
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    }
}

support::Result<ir::Module> parseTvmScript(std::string_view text, const std::string &fileName)
{
    const auto tree = py::parse(text, fileName);
    if (!tree)
        return support::fail(tree.error());
    return parseTvmScript(*tree);
}

} // namespace nestwright::script
