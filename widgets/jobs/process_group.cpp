// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/jobs/process_group.h"

#include "core/process/child_process.h"

#include <QProcess>

#include <unistd.h>

namespace nestwright::jobs {

void startInOwnGroup(QProcess &process)
{
    process.setChildProcessModifier([parent = getpid()] { process::beginGroup(parent); });
    // After a fork, the copy waits for its parent's leave before it calls the modifier: for ever, where the
    // parent is killed in between.
    process.setUnixProcessParameters(QProcess::UnixProcessFlag::UseVFork);
}

} // namespace nestwright::jobs
