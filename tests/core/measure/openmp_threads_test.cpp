// SPDX-License-Identifier: Apache-2.0
// Threads have a core each in the sandbox, where a thread may place itself only.
#include "core/measure/peers/openmp_threads.h"

#include "core/backend/link/runtime.h"
#include "core/measure/sandbox/enclosure.h"
#include "tests/support/sanitized.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <sched.h>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

constexpr int threads = 2;
std::atomic<int> placed{0}; ///< threads that have one core
std::atomic<int> arrived{0};

void look()
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) == 1)
        ++placed;
    ++arrived;
    while (arrived.load() < threads) // so that each thread has a part
        continue;
}

/// The caller may run anywhere again: OpenMP's library has placed it.
void leavePlace()
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int core = 0; core < CPU_SETSIZE; ++core)
        CPU_SET(core, &all);
    sched_setaffinity(0, sizeof all, &all);
}

/// A region of OpenMP's library, as a kernel that a C compiler made has it.
bool runRegion()
{
    void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
    using Region = void (*)(void (*)(void *), void *, unsigned, unsigned);
    const auto region = library ? reinterpret_cast<Region>(dlsym(library, "GOMP_parallel")) : nullptr;
    if (region)
        region([](void *) { look(); }, nullptr, threads, 0);
    return region;
}

/// The threads with one core in a process that runs `body`; −1 where it ended otherwise.
int placedIn(const std::function<bool()> &body)
{
    auto enclosure = Enclosure::start([&](const Line &line) {
        Message message;
        message.number = body() ? placed.load() : -1;
        line.send(message);
        return 0;
    });
    const auto answer = enclosure ? enclosure->receive(std::chrono::seconds(20), [] {})
                                  : support::Result<Message>(std::unexpected(enclosure.error()));
    return answer ? answer->number : -1;
}

} // namespace

class OpenMpThreadsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (sysconf(_SC_NPROCESSORS_ONLN) < threads)
            QSKIP("there is one core only");
        if (tests::isSanitized || !probeSandbox().systemCalls)
            QSKIP("this system does not restrict calls");
    }

    void thoseOfOpenMpInTheSandbox()
    {
        if (placedIn([] { return dlopen("libgomp.so.1", RTLD_NOW) != nullptr; }) < 0)
            QSKIP("GCC's library of OpenMP is not there");
        QTemporaryDir folder;
        const std::string file = folder.filePath("kernel.so").toStdString();
        std::ofstream(file) << "needs" << '\0' << "libgomp.so.1" << '\0';
        const int found = placedIn([&] {
            confineLoading(file);
            enterSandbox({});
            return runRegion();
        });
        QCOMPARE(found, threads);
    }

    void thoseOfThePoolInTheSandbox()
    {
        const int found = placedIn([] {
            leavePlace();
            enterSandbox({});
            nestwright_set_threads(threads);
            const auto body = [](void *, std::int64_t, std::int64_t) {
                look();
                return 0;
            };
            return nestwright_parallel_for(body, nullptr, threads) == 0;
        });
        QVERIFY2(found >= threads - 1, qPrintable(QString::number(found))); // the caller is where it was
    }

    /// More threads than there were before the sandbox are made all the same.
    void laterThreadsAreMade()
    {
        QVERIFY(placedIn([] {
                    enterSandbox({});
                    nestwright_set_threads(4);
                    return nestwright_parallel_for([](void *, std::int64_t, std::int64_t) { return 0; },
                                                   nullptr, 64)
                           == 0;
                })
                >= 0);
    }
};

/// OpenMP's library reads these as it is loaded, which may be with this program.
int main(int argc, char *argv[])
{
    if (!std::getenv("OMP_PROC_BIND")) {
        setenv("OMP_PROC_BIND", "true", 1);
        setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
        execv("/proc/self/exe", argv);
    }
    QCoreApplication app(argc, argv);
    OpenMpThreadsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "openmp_threads_test.moc"
