// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/reading_time.h"

#include "app/cli/command.h"
#include "core/support/errors/shortened.h"

#include <csignal>
#include <sys/time.h>
#include <unistd.h>

namespace nestwright::cli {

namespace {

int depth = 0;
std::string message; // made before the signal, whose handler may not allocate

extern "C" void readingTookTooLong(int)
{
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), message.size());
    _exit(BadInput);
}

void setTimer(int seconds)
{
    const itimerval time{{0, 0}, {seconds, 0}};
    setitimer(ITIMER_PROF, &time, nullptr);
}

} // namespace

ReadingTime::ReadingTime(const std::string &name) : m_isOuter(depth++ == 0)
{
    if (!m_isOuter)
        return;
    message = support::shortened(
        support::diagnostic("open.too-slow", "reading \"" + name + "\" takes more than "
                                                 + std::to_string(readingSeconds) + " s of processor time")
            .withHint("use simpler index expressions, or fewer steps and statements")
            .render()
        + '\n');
    struct sigaction action{};
    action.sa_handler = readingTookTooLong;
    sigaction(SIGPROF, &action, nullptr);
    setTimer(readingSeconds);
}

ReadingTime::~ReadingTime()
{
    --depth;
    if (m_isOuter)
        setTimer(0);
}

} // namespace nestwright::cli
