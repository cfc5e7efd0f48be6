// SPDX-License-Identifier: Apache-2.0
/// Reading the literals of Python: numbers and strings.
#pragma once

#include "core/script/python/cursor.h"
#include "core/script/python/lexer.h"

namespace nestwright::script::py {

/// Reads the number at the cursor: its value as a token of kind Int or Float, without `end`.
Token readNumber(Cursor &cursor);

/// Whether a quote stands here, prefixes of a string before it.
bool isStringStart(const Cursor &cursor);
/// Reads the string at the cursor: its contents, without `end`.
Token readString(Cursor &cursor);

} // namespace nestwright::script::py
