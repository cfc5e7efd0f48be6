// SPDX-License-Identifier: Apache-2.0
/// The two exceptions of the core: a user's error deep in a recursion, and our own bugs.
#pragma once

#include "core/support/errors/diagnostic.h"

#include <stdexcept>
#include <string>

namespace nestwright::support {

/// Carries a Diagnostic out of a recursion; turned into a Result once, at the entry point (`schedule::apply`,
/// …).
class UserError : public std::exception {
public:
    explicit UserError(Diagnostic diagnostic) : m_diagnostic(std::move(diagnostic)) {}
    const Diagnostic &diagnostic() const { return m_diagnostic; }
    const char *what() const noexcept override { return m_diagnostic.message.c_str(); }

private:
    Diagnostic m_diagnostic;
};

/// A bug of ours; caught only where a job or a command begins.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] void internalError(const char *file, int line, const char *condition,
                                const std::string &message);

} // namespace nestwright::support

/// Checks an invariant of the program; `message` is evaluated only on failure (an IR dump, say).
#define NW_ASSERT(condition, message)                                                                        \
    ((condition) ? void() : ::nestwright::support::internalError(__FILE__, __LINE__, #condition, message))
