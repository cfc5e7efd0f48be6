// SPDX-License-Identifier: Apache-2.0
/// The one form in which an expected failure is reported to a person.
#pragma once

#include "core/support/stmt_id.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::support {

/// A place a Diagnostic speaks of: a position in a text, a loop or block, or both.
struct Location {
    std::string file;  ///< empty when the place is no text
    int line = 0;      ///< from 1; 0 when unknown
    int column = 0;    ///< from 1; 0 when unknown
    StmtId stmt;       ///< the loop or block concerned, if any
    std::string label; ///< names the place, e.g. "the second write"

    bool operator==(const Location &) const = default;
};

/// An error: one sentence on the fault, its places, and the remedy.
///
/// `code` is stable and dotted ("schedule.not-a-chain"): tests and the window match on it, people read
/// `message`.
struct Diagnostic {
    std::string code;
    std::string message;
    std::vector<Location> locations;
    std::string hint; ///< tells how to proceed; may be empty

    /// "file:line:column: message" and the hint on its own line, for a terminal or a log.
    std::string render() const;

    Diagnostic &&withHint(std::string text) &&;
    Diagnostic &&at(StmtId stmt, std::string label = {}) &&;
    Diagnostic &&at(std::string file, int line, int column) &&;

    bool operator==(const Diagnostic &) const = default;
};

/// The subject that an error is of, the part of its code before the point: "schedule".
std::string_view familyOf(const Diagnostic &diagnostic);

/// A Diagnostic without place and hint; add those with `.at()` and `.withHint()`.
Diagnostic diagnostic(std::string_view code, std::string message);

} // namespace nestwright::support
