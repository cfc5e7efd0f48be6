// SPDX-License-Identifier: Apache-2.0
/// Reasons of failed system calls as a person reads them, with the limit of the process that was reached.
#pragma once

#include <optional>
#include <string>

namespace nestwright::support {

/// A limit of this process, as `ulimit` sets it, that explains the error number; none where there is none.
struct ReachedLimit {
    std::string sentence; ///< "this process may have 8 files open (ulimit -n)"
    std::string remedy;   ///< "raise it with ulimit -n"
};
std::optional<ReachedLimit> limitBehind(int error);

/// The system's text for the error number, and the limit behind it: "Too many open files: this process may
/// have 8 files open (ulimit -n)".
std::string reasonOf(int error);

/// How to get past the limit behind the error number; `otherwise` where there is none.
std::string remedyOf(int error, const std::string &otherwise);

} // namespace nestwright::support
