// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/silence.h"

#include <QTest>
#include <csignal>
#include <filesystem>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using nestwright::measure::Silence;
using namespace std::chrono_literals;

namespace {

enum class Does : std::uint8_t { Count, Sleep };

/// A process that counts for ever, or sleeps, on the first of our processors.
class Child {
public:
    explicit Child(Does work, int niceness = 0) : m_process(fork())
    {
        if (m_process == 0) {
            cpu_set_t all, one;
            CPU_ZERO(&one);
            sched_getaffinity(0, sizeof all, &all);
            int first = 0;
            while (!CPU_ISSET(first, &all))
                ++first;
            CPU_SET(first, &one);
            sched_setaffinity(0, sizeof one, &one);
            setpriority(PRIO_PROCESS, 0, niceness);
        }
        while (m_process == 0) {
            if (work == Does::Count)
                m_count = m_count + 1;
            else
                pause();
        }
    }
    ~Child()
    {
        kill(m_process, SIGKILL);
        waitpid(m_process, nullptr, 0);
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    pid_t process() const { return m_process; }

private:
    volatile long m_count = 0;
    pid_t m_process;
};

} // namespace

class SilenceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whoHadTheProcessorIsGivenUp()
    {
        const Child child(Does::Count);
        const Silence silence(child.process());
        QVERIFY(!silence.isLongerThan(50ms));
        QTRY_VERIFY_WITH_TIMEOUT(silence.isLongerThan(50ms), 20000);
    }

    void whoWaitsForTheProcessorGetsMoreTime()
    {
        if (!std::filesystem::exists("/proc/self/schedstat"))
            QSKIP("the system does not tell how long threads wait");
        const Child others[] = {Child(Does::Count), Child(Does::Count), Child(Does::Count)};
        const Child child(Does::Count, 19);
        std::this_thread::sleep_for(100ms); // until it is on the processor of the others
        const Silence silence(child.process());
        std::this_thread::sleep_for(300ms);
        QVERIFY(!silence.isLongerThan(200ms));
        QVERIFY(silence.isLongerThan(50ms)); // six times that have passed
    }

    /// It needs no processor: more time would be of no use to it.
    void whoSleepsGetsNoMoreTime()
    {
        if (!std::filesystem::exists("/proc/self/schedstat"))
            QSKIP("the system does not tell how long threads wait");
        const Child child(Does::Sleep);
        const Silence silence(child.process());
        QVERIFY(!silence.isLongerThan(10s));
        QTRY_VERIFY_WITH_TIMEOUT(silence.isLongerThan(400ms), 1500);
    }

    void whoIsGoneIsGivenUpInTime()
    {
        const Silence silence(-1);
        std::this_thread::sleep_for(2ms);
        QVERIFY(silence.isLongerThan(1ms));
    }
};

QTEST_GUILESS_MAIN(SilenceTest)
#include "silence_test.moc"
