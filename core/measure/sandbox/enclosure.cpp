// SPDX-License-Identifier: Apache-2.0
#include "core/measure/sandbox/enclosure.h"

#include "core/measure/codes.h"
#include "core/measure/worker/silence.h"
#include "core/process/child_process.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/system_reason.h"
#include "core/support/sanitized.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace nestwright::measure {

using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr int linePollMilliseconds = 50;
constexpr int patienceWithTheEnding =
    200;                       ///< milliseconds from the end of the line to the end of its process
constexpr int socketPlace = 3; ///< in the enclosed process, where all behind it is closed
constexpr int brokenLine = 3;  ///< exit status

/// Closes all descriptors of this process but the line. Those of standard input and output may be lines to
/// somebody else, or a terminal that does what is written to it: they lead nowhere from here.
void closeOthers(int socket)
{
    const int nothing = open("/dev/null", O_RDWR);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (support::isSanitized && standard == STDERR_FILENO) // where it reports what it found
            continue;
        if (nothing < 0 || dup2(nothing, standard) < 0)
            close(standard);
    }
    if (socket != socketPlace)
        dup2(socket, socketPlace);
    close_range(socketPlace + 1, ~0U, 0);
}

[[noreturn]] void runEnclosed(const Enclosure::Body &body, int socket, pid_t parent)
{
    process::dieWithParent(parent);
    closeOthers(socket);
    int status = 0;
    try {
        status = body(Line(socketPlace));
    } catch (const std::bad_alloc &) {
        raise(SIGKILL);                // as where the system itself finds no memory
    } catch (const std::exception &) { // the status tells of it
        status = brokenLine;
    }
    _exit(status);
}

} // namespace

SharedMemory::SharedMemory(std::size_t bytes)
{
    const std::size_t taken = std::max<std::size_t>(bytes, 1);
    void *memory = mmap(nullptr, taken, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::bad_alloc();
    m_bytes = {static_cast<std::byte *>(memory), bytes};
}

SharedMemory::SharedMemory(SharedMemory &&other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}

SharedMemory::~SharedMemory()
{
    if (m_bytes.data())
        munmap(m_bytes.data(), std::max<std::size_t>(m_bytes.size(), 1));
}

std::size_t bytesOf(std::span<const ir::NdArray> arrays)
{
    std::size_t bytes = 0;
    for (const ir::NdArray &array : arrays)
        bytes += array.bytes().size();
    return bytes;
}

void copyInto(const SharedMemory &memory, std::span<const ir::NdArray> arrays)
{
    auto place = memory.bytes().begin();
    for (const ir::NdArray &array : arrays)
        place = std::ranges::copy(array.bytes(), place).out;
}

void copyFrom(const SharedMemory &memory, std::span<ir::NdArray> arrays)
{
    auto place = memory.bytes().begin();
    for (ir::NdArray &array : arrays) {
        const auto end = place + static_cast<std::ptrdiff_t>(array.bytes().size());
        std::copy(place, end, array.bytes().begin());
        array.normalizeBools(); // generated code may have written any byte
        place = end;
    }
}

void Message::setText(std::string_view said)
{
    const std::size_t length = std::min(said.size(), sizeof text - 1);
    std::copy_n(said.begin(), length, text);
    text[length] = '\0';
}

std::string Message::cleanText() const
{
    std::string clean(text, strnlen(text, sizeof text));
    std::ranges::replace_if(
        clean, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }, ' ');
    return clean;
}

bool Line::receive(Message &message) const
{
    while (true) {
        const ssize_t count = recv(m_socket, &message, sizeof message, 0);
        if (count == static_cast<ssize_t>(sizeof message))
            return true;
        if (count >= 0 || errno != EINTR)
            return false;
    }
}

void Line::send(const Message &message) const { ::send(m_socket, &message, sizeof message, MSG_NOSIGNAL); }

Result<Enclosure> Enclosure::start(const Body &body)
{
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return fail("worker.start", "no line to a process for the kernel: " + support::reasonOf(errno));
    std::fflush(nullptr); // pending output is written once
    const pid_t parent = getpid();
    const pid_t process = fork();
    if (process == 0)
        runEnclosed(body, ends[1], parent);
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return fail("worker.start", "no process for the kernel: " + support::reasonOf(errno));
    }
    Enclosure enclosure;
    enclosure.m_process = process;
    enclosure.m_socket = ends[0];
    return enclosure;
}

Enclosure &Enclosure::operator=(Enclosure &&other) noexcept
{
    if (this != &other) {
        kill();
        m_process = std::exchange(other.m_process, -1);
        m_socket = std::exchange(other.m_socket, -1);
    }
    return *this;
}

void Enclosure::kill()
{
    if (m_socket >= 0)
        close(m_socket);
    m_socket = -1;
    if (m_process > 0) {
        ::kill(m_process, SIGKILL);
        waitpid(m_process, nullptr, 0);
    }
    m_process = -1;
}

Result<void> Enclosure::pause()
{
    int status = 0;
    if (m_process <= 0 || ::kill(m_process, SIGSTOP) != 0)
        return fail(codes::crash, "the kernel's process is gone");
    pid_t changed = 0;
    while ((changed = waitpid(m_process, &status, WUNTRACED)) < 0 && errno == EINTR) {
    }
    if (changed == m_process && WIFSTOPPED(status))
        return {};
    m_process = -1;
    return fail(codes::crash, WIFSIGNALED(status)
                                  ? describeSignal(WTERMSIG(status))
                                  : "the kernel's process ended while it was not asked for anything");
}

void Enclosure::resume()
{
    if (m_process > 0)
        ::kill(m_process, SIGCONT);
}

void Enclosure::send(const Message &message) const
{
    ::send(m_socket, &message, sizeof message, MSG_NOSIGNAL); // one that is gone is noticed at the answer
}

Diagnostic Enclosure::howItDied()
{
    int status = 0;
    pid_t ended = 0;
    for (int i = 0; i < patienceWithTheEnding && (ended = waitpid(m_process, &status, WNOHANG)) == 0; ++i)
        poll(nullptr, 0, 1);
    if (ended == 0) {
        kill();
        return diagnostic(codes::crash, "the kernel's process broke off the line to the worker");
    }
    m_process = -1;
    return diagnostic(codes::crash, WIFSIGNALED(status) ? describeSignal(WTERMSIG(status))
                                                        : "the kernel's process ended with status "
                                                              + std::to_string(WEXITSTATUS(status)));
}

Result<Message> Enclosure::receive(std::chrono::nanoseconds silence, const std::function<void()> &wait,
                                   const std::stop_token &stop)
{
    const Silence since(m_process);
    while (true) {
        if (stop.stop_requested()) {
            kill();
            return fail(support::codes::cancelled, "running the kernel was cancelled");
        }
        pollfd ready{m_socket, POLLIN, 0};
        if (::poll(&ready, 1, linePollMilliseconds) > 0) {
            Message message;
            const ssize_t count = recv(m_socket, &message, sizeof message, MSG_DONTWAIT | MSG_TRUNC);
            if (count == static_cast<ssize_t>(sizeof message))
                return message;
            if (count >= 0 || (errno != EINTR && errno != EAGAIN))
                return fail(howItDied());
        }
        wait();
        if (since.isLongerThan(silence)) {
            kill();
            const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silence).count();
            return fail(diagnostic(codes::timeOut,
                                   "the kernel did not finish within " + std::to_string(seconds) + " s")
                            .withHint("it may loop for ever; raise the time limit if it is only slow"));
        }
    }
}

std::string describeSignal(int signal)
{
    switch (signal) {
    case SIGSEGV:
    case SIGBUS: return "the kernel read or wrote outside its buffers (signal SIGSEGV)";
    case SIGFPE: return "the kernel divided an integer by zero (signal SIGFPE)";
    case SIGILL: return "the kernel used an instruction this processor does not have (signal SIGILL)";
    case SIGABRT: return "the kernel or its compiler gave up (signal SIGABRT)";
    case SIGKILL: return "the system stopped the worker, probably for want of memory (signal SIGKILL)";
    case SIGTRAP: return "the kernel ran into a trap (signal SIGTRAP)";
    case SIGXCPU: return "the kernel took more processor time than it may (signal SIGXCPU)";
    case SIGSYS:
        return "the kernel asked the system for something that only programs may do: files, network or "
               "processes (signal SIGSYS)";
    default: return "the worker died of signal " + std::to_string(signal);
    }
}

} // namespace nestwright::measure
