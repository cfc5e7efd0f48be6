// SPDX-License-Identifier: Apache-2.0
/// Result<T>: a value, or the Diagnostic that says why there is none.
#pragma once

#include "core/support/errors/diagnostic.h"

#include <expected>
#include <utility>

namespace nestwright::support {

template <class T> using Result = std::expected<T, Diagnostic>;

/// `return fail("code", "message")` from a function that returns a Result.
inline std::unexpected<Diagnostic> fail(Diagnostic diagnostic)
{
    return std::unexpected(std::move(diagnostic));
}
inline std::unexpected<Diagnostic> fail(std::string_view code, std::string message)
{
    return std::unexpected(diagnostic(code, std::move(message)));
}

} // namespace nestwright::support
