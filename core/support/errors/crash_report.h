// SPDX-License-Identifier: Apache-2.0
/// A readable report where the program crashes: versions, stack, the last steps. It stays on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::support {

/// Lets a crash of this process, or an uncaught exception, leave "crash-….txt" in `folder`, which is made if
/// need be; then the process ends by its signal as it would have. That does not hold for processes that it
/// forks, where kernels may well crash, nor where NESTWRIGHT_CRASH_REPORTS is 0. `versions`: a line for each
/// thing whose version matters.
void writeCrashReports(const std::filesystem::path &folder, const std::string &versions);
void stopCrashReports();

/// A stack for signals of this thread, without which the overflow of its own leaves no report. Lives as long
/// as the thread.
void giveSignalStack();

/// Remembers a step for the report: the last of them stand in it.
void noteStep(std::string_view what);

/// "crashes" in stateFolder; empty (no reports) where there is none.
std::filesystem::path crashFolder();

/// Newest first. Names of functions are made readable on the way.
std::vector<std::filesystem::path> crashReports(const std::filesystem::path &folder);

} // namespace nestwright::support
