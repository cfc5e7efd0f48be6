// SPDX-License-Identifier: Apache-2.0
/// Refusals of Python's own operations, to which each reader gives a code of its own.
#pragma once

#include "core/script/python/ast.h"

#include <expected>
#include <string>

namespace nestwright::script::py {

enum class FaultKind : std::uint8_t { Type, Index, Argument, Unpack, DivisionByZero, Overflow };

struct Fault {
    FaultKind kind = FaultKind::Type;
    std::string message;
    std::string hint{};
    Position at{}; ///< where one part of the operation is to blame; else line 0
};
template <class T> using Checked = std::expected<T, Fault>;

} // namespace nestwright::script::py
