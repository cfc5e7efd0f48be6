// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors/crash_report.h"

#include "core/support/errors/stack_walk.h"
#include "core/support/files/atomic_file.h"
#include "core/support/host.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cxxabi.h>
#include <exception>
#include <fcntl.h>
#include <format>
#include <fstream>
#include <iterator>
#include <memory>
#include <sys/utsname.h>
#include <unistd.h>

namespace nestwright::support {

namespace fs = std::filesystem;

namespace {

constexpr std::array signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr unsigned secondsToReport = 10; ///< then the process ends without the rest
constexpr int mostReportsKept = 20;

/// All that a handler may touch was made before: it can neither allocate nor wait for a lock.
struct Reporter {
    std::array<char, 4096> folder{}, versions{};
    pid_t process = 0;
    std::atomic<int> reserved = -1; ///< a descriptor, for a process that has used up all of them
};
Reporter reporter;

struct Note {
    std::atomic<bool> isWhole = false;
    std::array<char, 160> text{};
};
std::array<Note, 32> notes;
std::atomic<unsigned> nextNote = 0;

/// Writes text and numbers to a descriptor by system calls alone.
class Writer {
public:
    explicit Writer(int file) : m_file(file) {}
    Writer &operator<<(const char *text)
    {
        for (std::size_t left = std::strlen(text); left > 0;) {
            const ssize_t written = ::write(m_file, text, left);
            if (written <= 0)
                break;
            text += written;
            left -= static_cast<std::size_t>(written);
        }
        return *this;
    }
    Writer &number(std::uint64_t value, unsigned base)
    {
        std::array<char, 24> digits{};
        std::size_t at = digits.size() - 1;
        do {
            digits[--at] = "0123456789abcdef"[value % base];
            value /= base;
        } while (value != 0);
        return *this << (digits.data() + at);
    }

private:
    int m_file;
};

const char *nameOf(int signal)
{
    switch (signal) {
    case SIGSEGV: return "SIGSEGV, memory that is not there";
    case SIGBUS: return "SIGBUS, memory that cannot be had";
    case SIGFPE: return "SIGFPE, an integer division";
    case SIGILL: return "SIGILL, an instruction that is none";
    default: return "SIGABRT, the program gave itself up";
    }
}

void writeAddress(void *writer, const StackFrame &frame)
{
    (*static_cast<Writer *>(writer) << " 0x").number(frame.address, 16);
}

void writeFrame(void *writer, const StackFrame &frame)
{
    Writer &out = *static_cast<Writer *>(writer);
    (out << "  0x").number(frame.address, 16) << " " << (frame.function ? frame.function : "?");
    if (frame.file)
        out << " " << frame.file;
    if (frame.file && frame.line > 0)
        (out << ":").number(static_cast<std::uint64_t>(frame.line), 10);
    out << "\n";
}

/// "…/crash-SECONDS-PROCESS.txt"
void makePath(std::array<char, 4200> &path)
{
    std::size_t length = 0;
    const auto append = [&](const char *text) {
        while (*text && length + 1 < path.size())
            path[length++] = *text++;
    };
    const auto number = [&](std::uint64_t value) {
        std::array<char, 24> digits{};
        std::size_t at = digits.size() - 1;
        do {
            digits[--at] = static_cast<char>('0' + value % 10);
            value /= 10;
        } while (value != 0);
        append(digits.data() + at);
    };
    append(reporter.folder.data());
    append("/crash-");
    number(static_cast<std::uint64_t>(time(nullptr)));
    append("-");
    number(static_cast<std::uint64_t>(getpid()));
    append(".txt");
}

void writeReport(Writer out, int signal, const siginfo_t *info)
{
    out << "Nestwright ended by a fault of its own. This report was sent to nobody.\n\n";
    out << reporter.versions.data() << "\n";
    out << "Signal: " << nameOf(signal) << "\n";
    if (signal != SIGABRT)
        (out << "Address: 0x").number(reinterpret_cast<std::uintptr_t>(info->si_addr), 16) << "\n";
    out << "\nLast steps, the newest at the end:\n";
    const unsigned end = nextNote;
    const auto count = static_cast<unsigned>(notes.size());
    for (unsigned i = end > count ? end - count : 0; i < end; ++i) {
        if (const Note &note = notes[i % count]; note.isWhole)
            out << "  " << note.text.data() << "\n";
    }
    out << "\nAddresses:";
    walkStack(false, writeAddress, &out);
    out << "\n\nStack:\n";
    if (!hasSymbolNames())
        out << "  (built without libbacktrace: functions that no library exports have no names)\n";
    walkStack(true, writeFrame, &out);
    out << "\nEnd of the report.\n";
}

void handle(int signal, siginfo_t *info, void *)
{
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    for (const int each : signals) // a fault of this function ends the process
        sigaction(each, &usual, nullptr);
    if (getpid() == reporter.process) {
        sigaction(SIGALRM, &usual, nullptr);
        alarm(secondsToReport);
        if (const int reserved = reporter.reserved.exchange(-1); reserved >= 0)
            close(reserved);
        std::array<char, 4200> path{};
        makePath(path);
        const int file = open(path.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0) {
            writeReport(Writer(file), signal, info);
            close(file);
            Writer(STDERR_FILENO) << "A report of this crash is in " << path.data() << "\n";
        }
    }
    raise(signal); // blocked until this function returns
}

/// The message of an exception that nobody caught is the best that there is to know.
[[noreturn]] void terminated()
{
    if (const std::exception_ptr thrown = std::current_exception()) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception &error) {
            noteStep(std::string("uncaught exception: ") + error.what());
        } catch (...) {
            noteStep("uncaught exception of an unknown type");
        }
    }
    std::abort();
}

template <std::size_t N> void copyText(std::array<char, N> &to, std::string_view text)
{
    const std::size_t length = std::min(text.size(), N - 1);
    std::ranges::copy(text.substr(0, length), to.data());
    to[length] = '\0';
}

/// "_ZN…" within a text, as people read it.
std::string demangled(const std::string &text)
{
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = text.find(" _Z", at);
        if (begin == std::string::npos)
            return result + text.substr(at);
        const std::size_t end = std::min(text.find_first_of(" \n", begin + 1), text.size());
        const std::string name = text.substr(begin + 1, end - begin - 1);
        int status = 0;
        const std::unique_ptr<char, void (*)(void *)> readable(
            abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
        result += text.substr(at, begin + 1 - at) + (readable ? readable.get() : name);
        at = end;
    }
    return result;
}

void makeReadable(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (const std::string readable = demangled(text); readable != text)
        (void)writeAtomically(path, readable, {.durable = false});
}

struct SignalStack {
    static constexpr std::size_t size = std::size_t{256} * 1024; // names of functions are looked up on it
    std::unique_ptr<std::byte[]> memory = std::make_unique<std::byte[]>(size);

    SignalStack()
    {
        stack_t stack{};
        stack.ss_sp = memory.get();
        stack.ss_size = size;
        sigaltstack(&stack, nullptr);
    }
    ~SignalStack()
    {
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
    }
    SignalStack(const SignalStack &) = delete;
    SignalStack &operator=(const SignalStack &) = delete;
};

} // namespace

fs::path crashFolder()
{
    const fs::path folder = stateFolder();
    return folder.empty() ? folder : folder / "crashes";
}

void writeCrashReports(const fs::path &folder, const std::string &versions)
{
    const char *wanted = std::getenv("NESTWRIGHT_CRASH_REPORTS");
    if (folder.empty() || (wanted && std::string_view(wanted) == "0"))
        return;
    std::error_code error;
    fs::create_directories(folder, error);
    utsname system{};
    uname(&system);
    copyText(reporter.folder, folder.string());
    copyText(reporter.versions, std::format("{}System: {} {}\nProcessor: {}\n", versions, system.sysname,
                                            system.release, processorName()));
    reporter.process = getpid();
    prepareStackWalk();
    if (reporter.reserved < 0)
        reporter.reserved = open("/dev/null", O_RDONLY | O_CLOEXEC);
    giveSignalStack();
    std::set_terminate(terminated);
    struct sigaction action{};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : signals)
        sigaction(signal, &action, nullptr);
}

void stopCrashReports()
{
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    for (const int signal : signals)
        sigaction(signal, &usual, nullptr);
}

void giveSignalStack() { thread_local const SignalStack stack; }

void noteStep(std::string_view what)
{
    Note &note = notes[nextNote++ % notes.size()];
    note.isWhole = false;
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    copyText(note.text, std::format("{:02}:{:02}:{:02} {}", parts.tm_hour, parts.tm_min, parts.tm_sec, what));
    note.isWhole = true;
}

std::vector<fs::path> crashReports(const fs::path &folder)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
         at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with("crash-") && name.ends_with(".txt"))
            found.push_back(at->path());
    }
    std::ranges::sort(found, std::ranges::greater()); // names begin with the time
    for (std::size_t i = mostReportsKept; i < found.size(); ++i)
        fs::remove(found[i], error);
    found.resize(std::min<std::size_t>(found.size(), mostReportsKept));
    for (const fs::path &path : found)
        makeReadable(path);
    return found;
}

} // namespace nestwright::support
