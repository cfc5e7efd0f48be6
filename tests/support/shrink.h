// SPDX-License-Identifier: Apache-2.0
/// Making a failing program and schedule small.
#pragma once

#include "core/schedule/script/reader.h"

#include <functional>
#include <string>

namespace nestwright::tests {

/// The fault in a run, or nothing.
using Judge = std::function<std::string(const schedule::State &initial, const schedule::ScriptRun &run)>;

struct Failure {
    schedule::State initial;
    std::string script; ///< schedule script
    std::string why;    ///< the judge's answer
};

/// The failure with as few lines in the script, blocks in the program and elements in its buffers as still
/// fail in the same way: lines are left out with those that use what they yield, nests of the program (of
/// whose buffers those that are no longer both written and read become parameters), and numbers in it made
/// less. A smaller program must run by itself.
Failure shrunk(Failure failure, const Judge &judge);

/// The failure as text: why, the program, the script. Where NESTWRIGHT_FUZZ_OUT names a folder the program is
/// written to NAME.py in it and the script to NAME_schedule.py; the text says so.
std::string report(const Failure &failure, const std::string &name);

} // namespace nestwright::tests
