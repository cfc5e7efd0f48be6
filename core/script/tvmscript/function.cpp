// SPDX-License-Identifier: Apache-2.0
// Functions: parameters, attributes, and the root block that is only implied.
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/script/tvmscript/objects.h"
#include "core/script/tvmscript/parser.h"
#include "core/script/tvmscript/stmt.h"
#include "core/support/errors/errors.h"

#include <set>

namespace nestwright::script {

using ir::Expr;
using ir::Stmt;

ir::Param StmtReader::parameter(const py::Param &param)
{
    if (param.kind != py::Param::Kind::Plain || param.defaultValue)
        m_context.fail(param.at, "script.unsupported", "a function of TVMScript has plain parameters only");
    if (!param.annotation)
        m_context.fail(param.at, "script.argument", "the parameter '" + param.name + "' has no type",
                       "write '" + param.name
                           + ": T.Buffer(shape, dtype)', T.handle or a type such as T.int32");
    // T.Buffer[(128, 128), "float32"] is the older T.Buffer((128, 128), "float32").
    const auto *subscript = param.annotation->as<py::Subscript>();
    const auto *call = param.annotation->as<py::Call>();
    std::optional<CallArgs> args;
    if (subscript && m_exprs.functionName(subscript->value) == "T.Buffer") {
        std::vector<Argument> items;
        for (const py::Expr &item : subscript->items)
            items.push_back({"", m_exprs.value(item), item->at});
        args.emplace(m_context, "T.Buffer", param.annotation->at, std::move(items));
    } else if (call && m_exprs.functionName(call->callee) == "T.Buffer") {
        symbolicSizes(*call);
        args.emplace(m_exprs.callArgs(*call, "T.Buffer"));
    }
    if (args) {
        const ir::Buffer buffer = readBuffer(*args, param.name);
        m_context.define(param.name, {buffer});
        return {ir::Var(param.name + "_handle", ir::DataType::handle()), buffer};
    }
    const Value annotation = m_exprs.value(param.annotation);
    const auto *e = annotation.as<Expr>();
    const bool isPointer = e && e->as<ir::VarNode>() && e->dtype().isHandle();
    const ir::DataType type = isPointer ? e->dtype() : toType(m_context, annotation, param.annotation->at);
    if (type.isVector() || type.code == ir::TypeCode::Void)
        m_context.fail(param.at, "script.type", "a parameter cannot be of type " + type.str());
    const auto size = m_sizes.find(param.name);
    const bool isSize = size != m_sizes.end(); // a string has named it before
    const ir::Var var = isSize      ? size->second
                        : isPointer ? ir::Var::like(ir::Var::from(*e), param.name)
                                    : ir::Var(param.name, type);
    m_context.define(param.name, {Expr(var)});
    return {var, {}};
}

bool StmtReader::decoratorSays(const py::FunctionDef &def, std::string_view wanted, bool absent)
{
    for (const py::Expr &decorator : def.decorators) {
        const auto *call = decorator->as<py::Call>();
        for (std::size_t i = 0; call && i < call->keywords.size(); ++i) {
            const py::Keyword &keyword = call->keywords[i];
            if (keyword.name == wanted)
                return toBool(m_context, m_exprs.value(keyword.value), keyword.at, "'" + keyword.name + '\'');
        }
    }
    return absent;
}

ir::DataType StmtReader::returnType(const py::FunctionDef &def)
{
    if (!def.returns || def.returns->as<py::NoneLiteral>())
        return ir::DataType::void_();
    const ir::DataType type = toType(m_context, m_exprs.value(def.returns), def.returns->at);
    if (type.isVector())
        m_context.fail(def.returns->at, "script.type", "a function cannot return the type " + type.str());
    return type;
}

void StmtReader::functionAttrs(const py::Call &call)
{
    CallArgs args = m_exprs.callArgs(call, "T.func_attr");
    const Argument &attrs = args.need("attrs");
    args.done();
    for (auto &[key, value] : toAttrs(m_context, attrs.value, attrs.at)) {
        if (key == ir::globalSymbolKey && m_isPrivate)
            m_context.fail(attrs.at, "script.argument",
                           "a private function cannot have the attribute \"global_symbol\"",
                           "leave out 'private=True'");
        requireParameters(m_context, value, *m_params, attrs.at);
        (*m_attrs)[key] = value;
    }
}

ir::Function StmtReader::function(const py::FunctionDef &def)
{
    const ScopeGuard scope(m_context);
    ir::PrimFunc function;
    m_hasScalars = decoratorSays(def, "s_tir");
    m_isLater = m_context.isLater() || m_hasScalars;
    noteReassignments(def.body);
    m_isPrivate = decoratorSays(def, "private");
    if (!m_isPrivate)
        function.attrs.emplace(ir::globalSymbolKey, def.name);
    std::set<std::string> names;
    for (const py::Param &param : def.params) {
        if (!names.insert(param.name).second)
            m_context.fail(param.at, "script.argument", "two parameters have the name '" + param.name + '\'');
    }
    noteSizeTypes(def);
    typeParameters(def, names);
    for (const py::Param &param : def.params)
        function.params.push_back(parameter(param));
    function.returnType = returnType(def);
    BlockFrame root;
    root.isImplied = true;
    root.block.name = "root";
    root.block.predicate = ir::boolImm(true);
    m_blocks.assign(1, &root);
    m_params = &function.params;
    m_attrs = &function.attrs;
    const Stmt read = body(def.body);
    m_blocks.clear();
    function.body = withRoot(std::move(root), read);
    return std::make_shared<const ir::PrimFunc>(std::move(function));
}

/// A function that has blocks or buffers of its own has a root block; one without is in lowered form.
Stmt StmtReader::withRoot(BlockFrame root, Stmt body) const
{
    const auto *explicitRoot = body.as<ir::Block>();
    if (explicitRoot && explicitRoot->iterVars.empty() && root.block.allocBuffers.empty()) {
        // A root block accesses everything; its regions stay empty unless they are given.
        ir::Block block = *explicitRoot;
        block.annotations.erase(std::string(detectAccessKey));
        return ir::make(std::move(block));
    }
    bool hasBlock = false;
    ir::forEachStmt(body, [&](const Stmt &s) {
        hasBlock = hasBlock || s.as<ir::Block>();
        return !hasBlock;
    });
    if (!hasBlock && root.block.allocBuffers.empty())
        return body;
    root.block.body = std::move(body);
    return ir::make(std::move(root.block));
}

} // namespace nestwright::script
