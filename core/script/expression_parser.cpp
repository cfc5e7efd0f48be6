// SPDX-License-Identifier: Apache-2.0
#include "core/script/expression_parser.h"

#include "core/script/python/parser.h"
#include "core/script/tvmscript/expr.h"
#include "core/support/errors/errors.h"

namespace nestwright::script {

support::Result<ir::Expr> parseTvmExpression(std::string_view text, std::span<const ir::Var> variables,
                                             const std::string &fileName)
{
    const auto tree = py::parseExpression(text, fileName);
    if (!tree)
        return std::unexpected(tree.error());
    try {
        Context context(fileName);
        const auto imports = py::parse("from tvm.script import tir as T\n", fileName);
        for (const py::Stmt &statement : imports->body)
            context.import(*statement->as<py::Import>());
        const ScopeGuard scope(context);
        for (const ir::Var &variable : variables)
            context.define(variable.name(), Value{ir::Expr(variable)});
        return ExprReader(context).expr(*tree);
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    }
}

} // namespace nestwright::script
