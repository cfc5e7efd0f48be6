// SPDX-License-Identifier: Apache-2.0
/// The functions of TVM and of Python that TE scripts may call.
#pragma once

#include "core/frontend/te_script/arguments.h"

#include <span>
#include <string_view>

namespace nestwright::te {

struct BuiltinFunction {
    std::string_view name;
    Value (*call)(const Arguments &);
};

// te_functions.cpp, math_functions.cpp, kernel_functions.cpp, python_functions.cpp
std::span<const BuiltinFunction> teFunctions();
std::span<const BuiltinFunction> mathFunctions();
std::span<const BuiltinFunction> kernelFunctions();
std::span<const BuiltinFunction> pythonFunctions();

/// A tir.Schedule as a skipped value: lines with it are no matter of the TE script and not worth a
/// note.
inline constexpr const char *tirScheduleName = "tir.Schedule";

/// The function behind a BuiltinValue ("te.compute", "py.len"); null when there is none.
const BuiltinFunction *findBuiltin(std::string_view name);

/// The value that `import path` or `from … import …` binds: a module or function of TVM, or something that is
/// not carried out.
Value importedValue(Interpreter &interpreter, const std::string &path, py::Position at);
/// `module.name`
Value moduleAttribute(Interpreter &interpreter, const ModuleValue &module, const std::string &name,
                      py::Position at);

/// dict[key] = value, for keys that are strings or ints.
void setItem(const DictValue &dict, const Value &key, const Value &value);
/// Null when there is no such key.
const Value *findItem(const DictValue &dict, const Value &key);
/// Whether two plain values are equal; nothing where that is not known.
std::optional<bool> plainEqual(const Value &a, const Value &b);

} // namespace nestwright::te
