// SPDX-License-Identifier: Apache-2.0
/// Parsing the Python subset; nothing is ever executed as Python.
#pragma once

#include "core/script/python/ast.h"
#include "core/support/errors/result.h"

#include <string_view>

namespace nestwright::script::py {

using support::Result;

/// Any text, valid or not. Errors have code "script.syntax", the place (file, line, column from 1) and say
/// what was expected and what was found.
Result<Module> parse(std::string_view text, const std::string &fileName);

/// One expression alone (a `lambda` of an index map, say); nothing but a comment may follow it.
Result<Expr> parseExpression(std::string_view text, const std::string &fileName);

} // namespace nestwright::script::py
