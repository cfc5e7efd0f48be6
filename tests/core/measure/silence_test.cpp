// SPDX-License-Identifier: Apache-2.0
#include "core/measure/silence.h"

#include <QTest>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using nestwright::measure::Silence;
using namespace std::chrono_literals;

namespace {

/// A process that counts for ever, or sleeps.
class Child {
public:
    explicit Child(bool isBusy) : m_process(fork())
    {
        while (m_process == 0) {
            if (isBusy)
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
        const Child child(true);
        const Silence silence(child.process());
        QVERIFY(!silence.isLongerThan(50ms));
        QTRY_VERIFY_WITH_TIMEOUT(silence.isLongerThan(50ms), 20000);
    }

    void whoWaitsForTheProcessorGetsMoreTime()
    {
        const Child child(false);
        const Silence silence(child.process());
        std::this_thread::sleep_for(300ms);
        QVERIFY(!silence.isLongerThan(200ms));
        QVERIFY(silence.isLongerThan(50ms)); // six times that have passed
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
