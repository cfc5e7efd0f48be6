// SPDX-License-Identifier: Apache-2.0
/// Refusals of Python's own operations, to which each reader gives a code of its own.
#pragma once

#include "core/script/python/ast.h"

#include <expected>
#include <string>
#include <type_traits>
#include <utility>

namespace nestwright::script::py {

enum class FaultKind : std::uint8_t { Type, Index, Argument, Unpack, DivisionByZero, Overflow };

struct Fault {
    FaultKind kind = FaultKind::Type;
    std::string message;
    std::string hint{};
    Position at{}; ///< where one part of the operation is to blame; else line 0
};
template <class T> using Checked = std::expected<T, Fault>;

/// The result of an operation at a place; where there is none, `reader` fails with the fault.
template <class T, class Reader> T orFail(const Reader &reader, Checked<T> result, Position at)
{
    if (!result)
        reader.fail(at, result.error());
    if constexpr (!std::is_void_v<T>)
        return *std::move(result);
}

} // namespace nestwright::script::py
