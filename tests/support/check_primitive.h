// SPDX-License-Identifier: Apache-2.0
/// Checks of schedule primitives. Programs are TVMScript, steps are lines of a schedule script on `sch`.
#pragma once

#include "core/schedule/script/reader.h"
#include "tests/support/check.h"

#include <source_location>
#include <string_view>

namespace nestwright::tests {

/// The state of a program; aborts when the text is no program.
schedule::State scheduled(std::string_view program);

/// Runs `script` on `before` and fails the running test, at the caller's line, unless the result equals
/// `expected`, computes the same as `before`, is well-formed, and comes out again, ids included, from the
/// script and from the trace written of its steps; and unless `before` stays as it was. A parameter that was
/// laid out anew leaves nothing to compute the same on. Returns whether all is well.
bool checkPrimitive(std::string_view before, std::string_view script, std::string_view expected,
                    std::source_location where = std::source_location::current());

/// The same without a program to compare with.
bool checkSchedule(std::string_view before, std::string_view script,
                   std::source_location where = std::source_location::current());

/// The fault in a run of steps on `initial`: the checks of checkSchedule; empty when there is none.
std::string firstFault(const schedule::State &initial, const schedule::ScriptRun &run,
                       const Equivalence &options = {});

/// Fails the running test unless the script stops at a step that is refused with `code`, naming a place and
/// changing nothing. `said` must occur in its message or hint.
bool checkRefused(std::string_view before, std::string_view script, std::string_view code,
                  std::string_view said = {}, std::source_location where = std::source_location::current());

} // namespace nestwright::tests
