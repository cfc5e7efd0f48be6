// SPDX-License-Identifier: Apache-2.0
#include "core/process/child_process.h"

#include "core/support/errors/codes.h"
#include "core/support/errors/system_reason.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace nestwright::process {

namespace {

constexpr int errorPlace = 3; ///< the descriptor that tells of a failed exec, in the child
constexpr int notStarted = 127;

/// Everything that the child needs, made before the fork: between fork and exec nothing may be allocated.
struct Prepared {
    std::string program;
    std::vector<char *> arguments, environment;
    std::array<int, 4> places{}; ///< become 0, 1, 2 and errorPlace
    pid_t parent = 0;
};

std::vector<char *> pointersTo(const std::vector<std::string> &texts)
{
    std::vector<char *> pointers;
    for (const std::string &text : texts)
        pointers.push_back(const_cast<char *>(text.c_str())); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    pointers.push_back(nullptr);
    return pointers;
}

/// Moves the descriptors to their places and closes all others. A descriptor in the place of another is moved
/// out of the way.
void placeDescriptors(std::array<int, 4> places)
{
    constexpr int clear = 64;
    for (int &place : places)
        place = fcntl(place, F_DUPFD, clear);
    for (int i = 0; i < 4; ++i)
        dup2(places[static_cast<std::size_t>(i)], i);
    fcntl(errorPlace, F_SETFD, FD_CLOEXEC);
    close_range(errorPlace + 1, ~0U, 0);
}

void restoreSignals()
{
    for (const int each : {SIGPIPE, SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGCHLD})
        signal(each, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void runProgram(const Prepared &prepared)
{
    execve(prepared.program.c_str(), prepared.arguments.data(), prepared.environment.data());
    const int error = errno;
    [[maybe_unused]] const auto told = write(errorPlace, &error, sizeof error);
    _exit(notStarted);
}

void endGroup(int) { ::kill(0, SIGKILL); }

/// Waits beside the program, in one group with all that it starts, and ends the group when the parent dies.
[[noreturn]] void guard(const Prepared &prepared)
{
    signal(SIGTERM, endGroup);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != prepared.parent)
        _exit(notStarted);
    const pid_t self = getpid();
    const pid_t child = _Fork();
    if (child == 0) {
        signal(SIGTERM, SIG_DFL);
        dieWithParent(self);
        runProgram(prepared);
    }
    close_range(0, ~0U, 0);
    int status = notStarted << 8;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

[[noreturn]] void runChild(const Prepared &prepared, bool isGuarded)
{
    restoreSignals();
    setpgid(0, 0);
    placeDescriptors(prepared.places);
    if (isGuarded)
        guard(prepared);
    dieWithParent(prepared.parent);
    runProgram(prepared);
}

/// Descriptors that are closed again.
class Descriptors {
public:
    ~Descriptors()
    {
        for (const int each : m_open)
            close(each);
    }
    int add(int descriptor)
    {
        if (descriptor >= 0)
            m_open.push_back(descriptor);
        return descriptor;
    }
    void closeNow(int descriptor)
    {
        std::erase(m_open, descriptor);
        close(descriptor);
    }

private:
    std::vector<int> m_open;
};

support::Diagnostic notStartedBecause(const std::string &program, int error)
{
    return support::diagnostic("process.start",
                               "the program '" + program + "' does not start: " + support::reasonOf(error));
}

} // namespace

void dieWithParent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) // it died before it was asked for
        _exit(notStarted);
}

void beginGroup(pid_t parent)
{
    setpgid(0, 0);
    dieWithParent(parent);
}

std::string findProgram(const std::string &name)
{
    if (name.find('/') != std::string::npos)
        return access(name.c_str(), X_OK) == 0 ? name : std::string();
    const char *path = std::getenv("PATH");
    const std::string folders = path ? path : "/usr/local/bin:/usr/bin:/bin";
    for (std::size_t begin = 0; begin <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        const std::string folder = folders.substr(begin, end - begin);
        const std::string candidate = (folder.empty() ? "." : folder) + '/' + name;
        if (access(candidate.c_str(), X_OK) == 0)
            return candidate;
        begin = end + 1;
    }
    return {};
}

support::Result<ChildProcess> ChildProcess::start(const ChildOptions &options)
{
    Prepared prepared;
    prepared.program = findProgram(options.program);
    if (prepared.program.empty())
        return support::fail(support::codes::noProgram, "there is no program '" + options.program + '\'');
    std::vector<std::string> words = options.arguments;
    words.insert(words.begin(), options.program);
    prepared.arguments = pointersTo(words);
    if (options.environment) {
        prepared.environment = pointersTo(*options.environment);
    } else {
        for (char **each = environ; *each; ++each)
            prepared.environment.push_back(*each);
        prepared.environment.push_back(nullptr);
    }
    Descriptors open;
    std::array<int, 2> errorPipe{-1, -1};
    const int nothing = open.add(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (nothing < 0 || pipe2(errorPipe.data(), O_CLOEXEC) != 0)
        return support::fail(notStartedBecause(options.program, errno));
    open.add(errorPipe[0]);
    open.add(errorPipe[1]);
    const auto orNothing = [nothing](int descriptor) { return descriptor < 0 ? nothing : descriptor; };
    prepared.places = {orNothing(options.input), orNothing(options.output), orNothing(options.errors),
                       errorPipe[1]};
    prepared.parent = getpid();
    const pid_t process = _Fork();
    if (process < 0)
        return support::fail(notStartedBecause(options.program, errno));
    if (process == 0)
        runChild(prepared, options.isGuarded);
    setpgid(process, process); // also here, so that it is done when either goes on
    ChildProcess child;
    child.m_process = process;
    open.closeNow(errorPipe[1]);
    int error = 0;
    ssize_t count = 0;
    while ((count = read(errorPipe[0], &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (count > 0)
        return support::fail(notStartedBecause(options.program, error));
    return child;
}

ChildProcess &ChildProcess::operator=(ChildProcess &&other) noexcept
{
    if (this != &other) {
        kill();
        m_process = std::exchange(other.m_process, -1);
    }
    return *this;
}

void ChildProcess::kill()
{
    if (m_process <= 0)
        return;
    ::kill(-m_process, SIGKILL);
    ::kill(m_process, SIGKILL);
    reap(true);
}

std::optional<int> ChildProcess::wait(const std::stop_token &stop,
                                      std::optional<std::chrono::milliseconds> patience)
{
    const auto started = std::chrono::steady_clock::now();
    while (true) {
        if (const std::optional<int> status = poll())
            return status;
        if (stop.stop_requested() || (patience && std::chrono::steady_clock::now() - started > *patience)) {
            kill();
            return std::nullopt;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

std::optional<int> ChildProcess::reap(bool waits)
{
    if (m_process <= 0)
        return notStarted << 8;
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(m_process), &info, WEXITED | WNOWAIT | (waits ? 0 : WNOHANG)) < 0
           && errno == EINTR) {
    }
    if (info.si_pid == 0 && !waits)
        return std::nullopt;
    ::kill(-m_process, SIGKILL); // its descendants; the number of the group is still ours
    int status = 0;
    waitpid(m_process, &status, 0);
    m_process = -1;
    return status;
}

} // namespace nestwright::process
