// SPDX-License-Identifier: GPL-3.0-or-later
/// Programs that the window starts, each in a process group of its own.
#pragma once

class QProcess;

namespace nestwright::jobs {

/// Makes a process that is about to be started begin a group, which can be ended with all that it starts,
/// and end when this program dies, at whatever moment.
void startInOwnGroup(QProcess &process);

} // namespace nestwright::jobs
