// SPDX-License-Identifier: Apache-2.0
/// Reductions taken apart: their identities, new terms and results of combining, or why they are none.
#include "core/analysis/kernel/index.h"
#include "core/analysis/kernel/reduction.h"
#include "core/ir/build/builder.h"
#include "core/script/print/printer.h"
#include "core/support/errors/errors.h"
#include "tests/support/outcomes.h"
#include "tests/support/programs.h"

#include <format>

using namespace nestwright;

namespace {

/// `text` is the init of the block "R" and, behind a line "..", its body; v and k are its variables, A
/// float32 and I int32 what it reads, M float32 and N int32 what it writes, Z int32 of another shape.
QString outcomeOf(const QString &text)
{
    std::string program = R"(
@T.prim_func
def main(A: T.Buffer((8, 4), "float32"), I: T.Buffer((8, 4), "int32"), M: T.Buffer((8,), "float32"),
         N: T.Buffer((8,), "int32"), Z: T.Buffer((9,), "int32")):
    for i, j in T.grid(8, 4):
        with T.block("R"):
            v, k = T.axis.remap("SR", [i, j])
)";
    const QStringList parts = text.split("\n..\n");
    const auto add = [&program](const QString &lines, const char *indent) {
        for (const QString &line : lines.split('\n', Qt::SkipEmptyParts))
            program += indent + line.toStdString() + '\n';
    };
    if (!parts[0].isEmpty() && parts[0] != "none") {
        program += "            with T.init():\n";
        add(parts[0], "                ");
    }
    add(parts[1], "            ");
    const ir::Module module = tests::parsed(program);
    const analysis::FunctionIndex index(module.mainEntry()->function);
    try {
        const analysis::Reduction reduction = analysis::reductionOf(*index.block(*index.blockByName("R")));
        std::string outcome;
        const auto line = [&outcome](const char *name, const std::vector<ir::Expr> &values) {
            outcome += name;
            for (const ir::Expr &value : values)
                outcome += ' ' + script::printExpr(value) + ';';
            outcome += '\n';
        };
        for (const ir::Buffer &buffer : reduction.buffers)
            outcome += buffer.name() + ' ';
        line("at", reduction.indices);
        line("identities", reduction.identities);
        line("terms", reduction.terms);
        std::vector<ir::Expr> x, y;
        for (const ir::Buffer &buffer : reduction.buffers) {
            x.push_back(ir::Var("x" + std::to_string(x.size()), buffer.dtype()));
            y.push_back(ir::Var("y" + std::to_string(y.size()), buffer.dtype()));
        }
        line("combined", reduction.combine(x, y));
        return QString::fromStdString(outcome).trimmed();
    } catch (const support::UserError &error) {
        return QString::fromStdString(error.diagnostic().message);
    }
}

} // namespace

NW_OUTCOMES_TEST("tests/core/analysis/reductions.txt", outcomeOf)
