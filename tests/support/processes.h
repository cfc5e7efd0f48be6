// SPDX-License-Identifier: Apache-2.0
/// Descendants of this process, for tests that kill it. They must be a subreaper (prctl
/// PR_SET_CHILD_SUBREAPER).
#pragma once

#include <QByteArray>
#include <QString>

#include <sys/types.h>
#include <vector>

namespace nestwright::tests {

/// All descendants of this process that still run. Orphans count: they are given to this process.
std::vector<pid_t> descendants();

/// The name of a process; empty where there is none.
QByteArray nameOf(pid_t id);

/// "123 nestc R; 124 …"
QString describe(const std::vector<pid_t> &ids);

/// Kills them. A process that outlives a failed test must not hold its output open: the runner waits for the
/// end of it.
void endDescendants();

/// Waits for them to end; whether they did. Those that the system has ended, and that only wait for a
/// processor on which to go, are waited for longer.
bool allGone(int milliseconds);

} // namespace nestwright::tests
