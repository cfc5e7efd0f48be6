// SPDX-License-Identifier: Apache-2.0
/// Functions of Relax beside those of a module of TVMScript: they are not read.
#pragma once

#include "core/script/python/ast.h"
#include "core/support/errors/diagnostic.h"

#include <vector>

namespace nestwright::script {

/// Whether it has the decorator @R.function.
bool isRelaxFunction(const py::FunctionDef &def);

/// A note for each function of Relax in the module of a file, which reading it leaves out:
/// "script.relax-function".
std::vector<support::Diagnostic> leftOutFunctions(const py::Module &file);

} // namespace nestwright::script
