// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/standard_streams.h"

#include "core/support/errors/system_reason.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

namespace nestwright::support {

namespace {

std::atomic<int> lostBecause = 0; ///< an error number

} // namespace

void holdStandardStreams()
{
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF)
            continue;
        // The lowest free number is this one. Opened the wrong way round, it refuses as a closed one does.
        [[maybe_unused]] const int held = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

void outliveFileLimit() { std::signal(SIGXFSZ, SIG_IGN); }

void noteLostOutput(int error)
{
    int none = 0;
    lostBecause.compare_exchange_strong(none, error);
}

Result<void> flushStandardOutput()
{
    errno = 0;
    const bool isWhole = static_cast<bool>(std::cout.flush());
    if (!isWhole)
        noteLostOutput(errno);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && isWhole)
        return {};
    noteLostOutput(errno);
    const int reason = lostBecause;
    return fail(diagnostic("file.write", "standard output cannot be written"
                                             + (reason != 0 ? ": " + reasonOf(reason) : std::string()))
                    .withHint(remedyOf(reason, "free some space where it goes, or give a file")));
}

} // namespace nestwright::support
