// SPDX-License-Identifier: Apache-2.0
// Symbolic sizes: by strings in the shapes of parameters, as type parameters, as variables declared in the
// body. Within one function a name is one size, however it is spelled.
#include "core/script/python/parser.h"
#include "core/script/tvmscript/stmt.h"
#include "core/support/errors/errors.h"

namespace nestwright::script {

using ir::Expr;

/// Whether the call makes a new variable that takes its name from the assignment: T.int32(), T.var("int32").
bool StmtReader::makesVariable(const py::Call &call)
{
    const std::string function = m_exprs.functionName(call.callee);
    return function == "T.var" || function == "T.Var"
           || (function.starts_with("T.") && m_exprs.typeOf(call.callee).has_value());
}

/// Notes the types of the scalar parameters and of `n = T.int32()`, or `n, m = T.int32(), T.int64()`, at
/// the top of a function: a shape may name a size before either of them.
void StmtReader::noteSizeTypes(const py::FunctionDef &def)
{
    const auto note = [&](const std::string &name, const py::Expr &value) {
        const auto *call = value->as<py::Call>();
        if (!call || !makesVariable(*call))
            return;
        const py::Expr &last = call->args.empty() ? call->callee : call->args.back(); // of T.var("int32")
        const auto *text = last->as<py::StringLiteral>();
        const auto type = text                 ? ir::DataType::parse(text->value)
                          : call->args.empty() ? m_exprs.typeOf(call->callee)
                                               : std::nullopt;
        if (type && type->isInt())
            m_sizeTypes.try_emplace(name, *type);
    };
    for (const py::Param &param : def.params) {
        const auto type = param.annotation ? m_exprs.typeOf(param.annotation) : std::nullopt;
        if (type && type->isInt() && !type->isVector())
            m_sizeTypes[param.name] = *type;
    }
    for (const py::Stmt &statement : def.body) {
        const auto *assign = statement->as<py::Assign>();
        if (!assign || assign->targets.size() != 1)
            continue;
        const std::vector<std::string> names = targetNames(assign->targets.front());
        const auto *values = assign->value->as<py::Tuple>();
        for (std::size_t i = 0; values && values->items.size() == names.size() && i < names.size(); ++i)
            note(names[i], values->items[i]);
        if (!values && names.size() == 1)
            note(names.front(), assign->value);
    }
}

/// The sizes of `def f[m, n](…)`, and those that the file declares by `n = TypeVar("n")`: each function has
/// its own.
void StmtReader::typeParameters(const py::FunctionDef &def, const std::set<std::string> &parameters)
{
    const auto declare = [&](const std::string &name) {
        m_sizes[name] = ir::Var(name, ir::DataType::int64());
        m_context.define(name, {Expr(m_sizes[name])});
    };
    for (const std::string &name : m_context.typeVars()) {
        if (!parameters.contains(name) && !m_sizeTypes.contains(name))
            declare(name);
    }
    std::set<std::string> own;
    for (const py::TypeParam &param : def.typeParams) {
        const auto *bound = param.bound ? param.bound->as<py::Name>() : nullptr;
        if (param.bound && (!bound || bound->id != "int"))
            m_context.fail(param.at, "script.unsupported",
                           "the type parameter '" + param.name + "' has a bound other than 'int'",
                           "sizes are integers: leave the bound out");
        if (parameters.contains(param.name) || !own.insert(param.name).second)
            m_context.fail(param.at, "script.redefined",
                           "the type parameter '" + param.name + "' has the name of another parameter",
                           "choose another name");
        declare(param.name);
    }
}

/// Strings in the shape of a parameter name sizes: T.Buffer(("n", 32), "float32").
void StmtReader::symbolicSizes(const py::Call &call)
{
    py::Expr shape = call.args.empty() ? nullptr : call.args.front();
    for (const py::Keyword &keyword : call.keywords) {
        if (keyword.name == "shape")
            shape = keyword.value;
    }
    const std::vector<py::Expr> *items = nullptr;
    if (shape && shape->as<py::Tuple>())
        items = &shape->as<py::Tuple>()->items;
    else if (shape && shape->as<py::List>())
        items = &shape->as<py::List>()->items;
    for (std::size_t i = 0; items && i < items->size(); ++i) {
        const py::Expr &item = (*items)[i];
        const auto *name = item->as<py::StringLiteral>();
        if (!name) {
            nameSizes(item, false);
            continue;
        }
        if (m_context.find(name->value))
            continue;
        const auto size = py::parseExpression(name->value, "a size");
        if (!size)
            m_context.fail(item->at, "script.syntax", "the size \"" + name->value + "\" is no expression",
                           "write a name, or an expression of names and numbers");
        nameSizes(*size, true);
        if ((*size)->as<py::Name>())
            continue;
        try {
            m_context.define(name->value, {m_exprs.expr(*size)});
        } catch (const support::UserError &error) { // its position is that within the string
            m_context.fail(item->at, error.diagnostic().code,
                           "the size \"" + name->value + "\": " + error.diagnostic().message);
        }
    }
}

/// Names that nothing has defined yet are sizes where a string holds them, elsewhere where a later
/// parameter has the name.
void StmtReader::nameSizes(const py::Expr &e, bool isText)
{
    if (const auto *node = e->as<py::Binary>()) {
        nameSizes(node->left, isText);
        nameSizes(node->right, isText);
    } else if (const auto *unary = e->as<py::Unary>()) {
        nameSizes(unary->operand, isText);
    } else if (const auto *call = e->as<py::Call>()) {
        for (const py::Expr &argument : call->args)
            nameSizes(argument, isText);
    }
    const auto *name = e->as<py::Name>();
    if (!name || m_context.find(name->id) || !m_context.canonical(name->id).empty())
        return;
    const auto type = m_sizeTypes.find(name->id);
    if (!isText && type == m_sizeTypes.end())
        return;
    const ir::Var size(name->id, type == m_sizeTypes.end() ? ir::DataType::int32() : type->second);
    m_sizes[name->id] = size;
    m_context.define(name->id, {Expr(size)});
}

/// The variable that `name = T.int32()` declares: the size of that name where there is one, else a new
/// variable.
Expr StmtReader::declaredVariable(const std::string &name, const ir::Var &made, py::Position at)
{
    const Value *known = m_context.find(name);
    const auto *e = known ? known->as<Expr>() : nullptr;
    const ir::Var var = e ? ir::Var::from(*e) : ir::Var();
    const bool isParameter =
        var && std::ranges::any_of(*m_params, [&](const ir::Param &param) { return param.var == var; });
    if (isParameter)
        m_context.fail(at, "script.redefined", "the parameter '" + name + "' is declared again",
                       "leave this line out, or choose another name");
    const auto size = m_sizes.find(name);
    if (size == m_sizes.end())
        return ir::Var::like(made, name);
    if (size->second.dtype() != made.dtype())
        m_context.fail(at, "script.type",
                       "the size '" + name + "' is of type " + size->second.dtype().str()
                           + ", but here it is declared as " + made.dtype().str(),
                       "give both the same type, or choose another name");
    return size->second;
}

} // namespace nestwright::script
