// SPDX-License-Identifier: Apache-2.0
/// Reading the literals of Python: numbers and strings.
#pragma once

#include "core/script/python/cursor.h"
#include "core/script/python/lexer.h"

namespace nestwright::script::py {

/// Where a number begins: its value as a token of kind Int or Float, without its end.
Token readNumber(Cursor &cursor);

/// Whether a quote stands here, prefixes of a string before it.
bool isStringStart(const Cursor &cursor);
/// Where a string begins: what it holds, without its end.
Token readString(Cursor &cursor);

} // namespace nestwright::script::py
