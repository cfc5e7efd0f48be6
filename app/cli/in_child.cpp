// SPDX-License-Identifier: Apache-2.0
#include "app/cli/in_child.h"

#include "app/cli/command.h"

#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace nestwright::cli {

using support::diagnostic;

int inChild(int timeout, const std::function<int()> &body)
{
    const pid_t child = fork();
    if (child < 0)
        return report(diagnostic("run.fork", "no process can be started for the kernel"));
    if (child == 0) {
        alarm(static_cast<unsigned>(timeout)); // ends the child by SIGALRM
        _exit(body());
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    switch (WTERMSIG(status)) {
    case SIGALRM:
        return report(diagnostic("kernel.time-out",
                                 "the kernel did not finish within " + std::to_string(timeout) + " s")
                          .withHint("raise --timeout if it is only slow"));
    case SIGPIPE: return Done; // whoever read the results has read enough
    case SIGFPE: return report(diagnostic("kernel.crash", "the kernel divided an integer by zero"));
    case SIGSEGV:
    case SIGBUS: return report(diagnostic("kernel.crash", "the kernel read or wrote outside its buffers"));
    default:
        return report(diagnostic("kernel.crash",
                                 "the kernel was stopped by signal " + std::to_string(WTERMSIG(status))));
    }
}

} // namespace nestwright::cli
