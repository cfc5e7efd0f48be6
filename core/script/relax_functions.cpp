// SPDX-License-Identifier: Apache-2.0
#include "core/script/relax_functions.h"

#include <algorithm>

namespace nestwright::script {

bool isRelaxFunction(const py::FunctionDef &def)
{
    return std::ranges::any_of(def.decorators, [](const py::Expr &decorator) {
        const auto *call = decorator->as<py::Call>();
        const std::string name = py::dottedName(call ? call->callee : decorator);
        return name == "R.function" || name == "relax.function" || name.ends_with(".relax.function");
    });
}

std::vector<support::Diagnostic> leftOutFunctions(const py::Module &file)
{
    std::vector<support::Diagnostic> notes;
    for (const py::Stmt &statement : file.body) {
        const auto *type = statement->as<py::ClassDef>();
        if (!type)
            continue;
        for (const py::Stmt &member : type->body) {
            const auto *def = member->as<py::FunctionDef>();
            if (!def || !isRelaxFunction(*def))
                continue;
            support::Diagnostic note = support::diagnostic(
                "script.relax-function",
                "the function '" + def->name + "' of Relax is left out: functions of @T.prim_func are read");
            note.locations.push_back({.file = file.fileName,
                                      .line = def->at.line,
                                      .column = def->at.column,
                                      .stmt = {},
                                      .label = {}});
            notes.push_back(std::move(note));
        }
    }
    return notes;
}

} // namespace nestwright::script
