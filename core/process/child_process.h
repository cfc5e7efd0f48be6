// SPDX-License-Identifier: Apache-2.0
/// Programs started so that neither they nor their descendants outlive this one.
#pragma once

#include "core/support/errors/result.h"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/types.h>
#include <vector>

namespace nestwright::process {

struct ChildOptions {
    std::string program; ///< a path, or a name that is looked for on the PATH
    std::vector<std::string> arguments;
    int input = -1, output = -1, errors = -1; ///< descriptors that become 0, 1 and 2; −1: /dev/null
    std::optional<std::vector<std::string>> environment; ///< "NAME=VALUE" each; nothing: that of this process
    /// The program starts others that know nothing of us: a copy of this process waits beside it and, when
    /// this one dies, ends them all. A program of ours, which ends when it is told, needs none.
    bool isGuarded = false;
};

/// A program at work, in a process group of its own. Ended, with its group, with the object.
class ChildProcess {
public:
    ChildProcess() = default;
    ChildProcess(ChildProcess &&other) noexcept { *this = std::move(other); }
    ChildProcess &operator=(ChildProcess &&other) noexcept;
    ~ChildProcess() { kill(); }

    /// The thread that calls this must live as long as the child: when it ends, the system ends the child.
    /// Errors: "process.none" (no such program), "process.start" (the system's reason).
    static support::Result<ChildProcess> start(const ChildOptions &options);

    bool isRunning() const { return m_process > 0; }
    pid_t id() const { return m_process; }
    /// The status as waitpid gives it, when it has ended; its group is then gone too.
    std::optional<int> poll() { return reap(false); }
    int wait() { return *reap(true); }
    /// Like `wait`, but ends the program with its group and returns nothing once `stop` is requested or
    /// `patience` is over.
    std::optional<int> wait(const std::stop_token &stop,
                            std::optional<std::chrono::milliseconds> patience = {});
    /// Ends it and all of its group, at once.
    void kill();

private:
    std::optional<int> reap(bool waits);

    pid_t m_process = -1;
};

/// For a process that was just forked by `parent`: it ends when the thread of `parent` that forked it does.
/// May be called between fork and exec.
void dieWithParent(pid_t parent);

/// Like `dieWithParent`, for a child that gets a process group of its own, so that all it starts can be ended
/// with it.
void beginGroup(pid_t parent);

/// Path of a program; empty when there is none.
std::string findProgram(const std::string &name);

} // namespace nestwright::process
