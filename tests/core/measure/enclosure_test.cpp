// SPDX-License-Identifier: Apache-2.0
/// Processes that share memory and a line with this one, and nothing else.
#include "core/measure/sandbox/enclosure.h"

#include "tests/support/sanitized.h"

#include <QElapsedTimer>
#include <QTest>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::measure;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

Message numbered(std::int32_t number)
{
    Message message;
    message.number = number;
    return message;
}

/// Code and message of an enclosed process that ends without a word.
std::string endOf(const Enclosure::Body &body, std::chrono::nanoseconds silence = 10s)
{
    auto enclosure = Enclosure::start(body);
    if (!enclosure)
        return enclosure.error().code;
    const auto said = enclosure->receive(silence, [] {});
    return said ? "said " + std::to_string(said->number) : said.error().code + ": " + said.error().message;
}

} // namespace

class EnclosureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void memoryIsSharedBothWays()
    {
        const SharedMemory memory(100);
        QCOMPARE(memory.bytes().size(), 100UL);
        for (const std::byte each : memory.bytes())
            QVERIFY(each == std::byte{0});
        memory.bytes()[0] = std::byte{7};
        QCOMPARE(endOf([&](const Line &line) {
                     memory.bytes()[99] = std::byte{9};
                     line.send(numbered(static_cast<int>(memory.bytes()[0])));
                     return 0;
                 }),
                 std::string("said 7"));
        QVERIFY(memory.bytes()[99] == std::byte{9});
        QCOMPARE(SharedMemory(0).bytes().size(), 0UL);
        SharedMemory first(3);
        const SharedMemory second(std::move(first));
        QCOMPARE(second.bytes().size(), 3UL);
        QVERIFY(first.bytes().empty()); // NOLINT(bugprone-use-after-move)
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, SharedMemory(std::size_t{1} << 60));
    }

    void textsAreCutAndCleaned()
    {
        Message message;
        message.setText("a\x1f \x7f~\xc3\xa9\n");
        QCOMPARE(message.cleanText(), std::string("a   ~\xc3\xa9 "));
        message.setText(std::string(511, 'x'));
        QCOMPARE(message.cleanText(), std::string(511, 'x'));
        message.setText(std::string(600, 'x'));
        QCOMPARE(message.cleanText(), std::string(511, 'x'));
        std::ranges::fill(message.text, 'y'); // as a process may send that does not end its text
        QCOMPARE(message.cleanText(), std::string(512, 'y'));
    }

    void messagesGoThereAndBack()
    {
        auto started = Enclosure::start([](const Line &line) {
            for (Message order; line.receive(order);)
                line.send(numbered(order.number + 1));
            return 0;
        });
        QVERIFY(started);
        Enclosure enclosure;
        enclosure = std::move(*started);
        for (const int i : {1, 41}) {
            enclosure.send(numbered(i));
            const auto answer = enclosure.receive(10s, [] {});
            QVERIFY(answer);
            QCOMPARE(answer->number, i + 1);
        }
        enclosure.kill();
        enclosure.send(numbered(1)); // to nobody: no signal
        enclosure.kill();
    }

    /// The line tells it whatever error an earlier call left.
    void aClosedLineIsSeen()
    {
        std::array<int, 2> ends{};
        QCOMPARE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), 0);
        const Line line(ends[0]);
        Message message;
        close(ends[1]);
        for (const int before : {0, EINTR}) {
            errno = before;
            QVERIFY(!line.receive(message));
        }
        close(ends[0]);
        QVERIFY(!line.receive(message)); // no socket
    }

    void endsAreTold()
    {
        QCOMPARE(endOf([](const Line &) { return 0; }),
                 std::string("worker.crash: the kernel's process ended with status 0"));
        QCOMPARE(endOf([](const Line &) { return 42; }),
                 std::string("worker.crash: the kernel's process ended with status 42"));
        QCOMPARE(endOf([](const Line &) -> int { throw std::runtime_error("of which the status tells"); }),
                 std::string("worker.crash: the kernel's process ended with status 3"));
        QCOMPARE(endOf([](const Line &) -> int { throw std::bad_alloc(); }),
                 "worker.crash: " + describeSignal(SIGKILL));
        QCOMPARE(endOf([](const Line &) { return raise(SIGILL); }),
                 "worker.crash: " + describeSignal(SIGILL));
        QCOMPARE(endOf([](const Line &) {
                     close(3);
                     return pause();
                 }),
                 std::string("worker.crash: the kernel's process broke off the line to the worker"));
        // Neither shorter nor longer than a message.
        QVERIFY(endOf([](const Line &) {
                    const std::string more(sizeof(Message) + 1, 'x');
                    return send(3, more.data(), more.size(), 0) > 0 ? pause() : 1;
                }).contains("broke off"));
        QVERIFY(
            endOf([](const Line &) { return send(3, "x", 1, 0) > 0 ? pause() : 1; }).contains("broke off"));
    }

    void eachSignalHasItsWords()
    {
        const std::vector<std::pair<int, const char *>> words{{SIGSEGV, "outside its buffers"},
                                                              {SIGBUS, "outside its buffers"},
                                                              {SIGFPE, "by zero"},
                                                              {SIGILL, "this processor does not have"},
                                                              {SIGABRT, "gave up"},
                                                              {SIGKILL, "want of memory"},
                                                              {SIGTRAP, "a trap"},
                                                              {SIGXCPU, "processor time"},
                                                              {SIGSYS, "files, network or processes"}};
        for (const auto &[signal, word] : words)
            QVERIFY2(describeSignal(signal).contains(word), describeSignal(signal).c_str());
        QCOMPARE(describeSignal(SIGUSR1), "the worker died of signal " + std::to_string(SIGUSR1));
    }

    void silenceEnds()
    {
        int waits = 0;
        auto enclosure = Enclosure::start([](const Line &) { return pause(); });
        QVERIFY(enclosure);
        QElapsedTimer timer;
        timer.start();
        const auto said = enclosure->receive(50ms, [&] { ++waits; });
        QVERIFY(!said);
        QCOMPARE(said.error().code, std::string("worker.time-out"));
        QVERIFY(said.error().message.contains("within 0 s"));
        QVERIFY(timer.elapsed() >= 50 && waits >= 1);
        // It is gone: no more is to be had of it.
        QVERIFY(!enclosure->receive(1ms, [] {}));
    }

    void cancelEndsIt()
    {
        std::stop_source stop;
        auto enclosure = Enclosure::start([](const Line &) { return pause(); });
        QVERIFY(enclosure);
        const auto said = enclosure->receive(60s, [&] { stop.request_stop(); }, stop.get_token());
        QVERIFY(!said);
        QCOMPARE(said.error().code, std::string("cancelled"));
    }

    /// A word that was said before the end counts.
    void lastWordsAreHeard()
    {
        QCOMPARE(endOf([](const Line &line) {
                     line.send(numbered(5));
                     return 1;
                 }),
                 std::string("said 5"));
    }

    void nothingElseIsOpen()
    {
        const int other = open("/dev/null", O_RDONLY);
        QVERIFY(other > 3);
        QCOMPARE(endOf([&](const Line &line) {
                     int open = 0;
                     for (int i = 0; i < 256; ++i)
                         open += fcntl(i, F_GETFD) >= 0 ? 1 << std::min(i, 4) : 0;
                     line.send(numbered(open));
                     return 0;
                 }),
                 std::string("said 15")); // 0, 1, 2 and the line
        close(other);
        QCOMPARE(endOf([](const Line &line) {
                     char nothing = 0;
                     line.send(numbered(static_cast<int>(read(STDIN_FILENO, &nothing, 1))));
                     return 0;
                 }),
                 std::string("said 0"));
    }

    void theSandboxBoundsMemoryAndFiles()
    {
        const auto status = [](const SandboxLimits &limits, const std::function<bool()> &can) {
            return endOf([&](const Line &line) {
                enterSandbox(limits);
                line.send(numbered(can() ? 1 : 0));
                return 0;
            });
        };
        const auto takes = [](std::size_t bytes) {
            return [bytes] {
                return mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                       != MAP_FAILED;
            };
        };
        if (tests::isSanitized)
            return;
        QCOMPARE(status({2048 * mebibyte, 0}, takes(4096 * mebibyte)), std::string("said 0"));
        QCOMPARE(status({2048 * mebibyte, 0}, takes(16 * mebibyte)), std::string("said 1"));
        QCOMPARE(status({0, 0}, takes(4096 * mebibyte)), std::string("said 1"));
        QCOMPARE(status({0, 0}, [] { return open("/dev/null", O_RDONLY) >= 0; }), std::string("said 0"));
        QCOMPARE(status({},
                        [] {
                            int last = 0;
                            for (int next = 0; next >= 0; next = fcntl(3, F_DUPFD, 0))
                                last = std::max(last, next);
                            return last == 63; // of 64 descriptors
                        }),
                 std::string("said 1"));
        // A loop ends with its second, threads are not counted by the clock on the wall.
        QCOMPARE(status({0, 1},
                        [] {
                            volatile bool isOver = false;
                            while (!isOver)
                                continue;
                            return true;
                        }),
                 "worker.crash: " + describeSignal(SIGKILL));
        if (probeSandbox().systemCalls) {
            QCOMPARE(status({}, [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }),
                     "worker.crash: " + describeSignal(SIGSYS));
            QCOMPARE(status({}, [] { return fork() >= 0; }), "worker.crash: " + describeSignal(SIGSYS));
            QCOMPARE(status({},
                            [] {
                                bool ran = false;
                                std::jthread([&] { ran = true; }).join();
                                return ran;
                            }),
                     std::string("said 1"));
        }
    }

    void partsAreToldEachByItself()
    {
        const auto applied = [](const Sandbox &sandbox) {
            std::string names;
            for (const SandboxPart &part : partsOf(sandbox))
                names += part.isApplied ? part.name + ' ' : "";
            return names;
        };
        QCOMPARE(applied({}), std::string());
        QCOMPARE(applied({.noNewPrivileges = true}), std::string("privileges "));
        QCOMPARE(applied({.limits = true}), std::string("limits "));
        QCOMPARE(applied({.systemCalls = true}), std::string("system-calls "));
        QCOMPARE(applied({.files = true}), std::string("files "));
        QCOMPARE(applied({.network = true}), std::string("network "));
        QCOMPARE(applied({.rights = true}), std::string("rights "));
        QCOMPARE(applied({.environment = true}), std::string("environment "));
    }

    void theEnvironmentKeepsWhatIsListed()
    {
        for (const char *name : {"LC_NW_TEST", "OMP_NW_TEST", "GOMP_NW_TEST", "NESTWRIGHT_NW_TEST", "TMPDIR",
                                 "NW_TEST", "LC", "PATHS", "XLC_NW_TEST"})
            qputenv(name, "1");
        const auto kept = process::cleanEnvironment();
        const auto isKept = [&](const std::string &variable) {
            return std::ranges::contains(kept, variable);
        };
        for (const char *name :
             {"LC_NW_TEST=1", "OMP_NW_TEST=1", "GOMP_NW_TEST=1", "NESTWRIGHT_NW_TEST=1", "TMPDIR=1"})
            QVERIFY2(isKept(name), name);
        for (const char *name : {"NW_TEST=1", "LC=1", "PATHS=1", "XLC_NW_TEST=1"})
            QVERIFY2(!isKept(name), name);
        qunsetenv("TMPDIR");
    }
};

QTEST_GUILESS_MAIN(EnclosureTest)
#include "core/process/environment.h"
#include "enclosure_test.moc"
