// SPDX-License-Identifier: Apache-2.0
/// Python's operators on the values of a TE script.
#pragma once

#include "core/frontend/te_script/arguments.h"

#include <optional>
#include <string_view>

namespace nestwright::te {

Value unaryOperator(Interpreter &interpreter, py::UnaryOp op, const Value &operand, py::Position at);
/// Numbers as Python computes them, expressions as TVM does; anything with a skipped value is skipped.
Value binaryOperator(Interpreter &interpreter, py::BinaryOp op, const Value &a, const Value &b,
                     py::Position at);
/// A bool, an expression of bool, or a skipped value.
Value compareOperator(Interpreter &interpreter, py::CompareOp op, const Value &a, const Value &b,
                      py::Position at);

/// The reduction that a reducer of te.comm_reducer makes of its arguments.
Value applyReducer(const ReducerValue &reducer, const Arguments &arguments);
/// Python's own functions that are known but not carried out ("open", "isinstance", …).
bool isSkippedPythonFunction(std::string_view name);

} // namespace nestwright::te
