// SPDX-License-Identifier: Apache-2.0
/// What this process has started, for tests that kill it. They must be a subreaper (prctl
/// PR_SET_CHILD_SUBREAPER).
#pragma once

#include <QByteArray>
#include <QString>

#include <sys/types.h>
#include <vector>

namespace nestwright::tests {

/// All that descends from this process and still runs. Orphans count: this process is what they are given to.
std::vector<pid_t> descendants();

/// Of a process: what it is called; empty where there is none.
QByteArray nameOf(pid_t id);

/// "123 nestc R; 124 …"
QString describe(const std::vector<pid_t> &ids);

/// Kills them. What a test leaves when it fails must not hold its output open, for whose end the runner
/// waits.
void endDescendants();

/// Waits for them to end; whether they did.
bool allGone(int milliseconds);

} // namespace nestwright::tests
