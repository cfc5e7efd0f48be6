// SPDX-License-Identifier: Apache-2.0
// How busy others keep the machine: with a program that does, without one, and with one's own threads.
#include "core/measure/machine/other_load.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QtTest>

#include <array>
#include <ctime>
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nestwright::measure;

namespace {

/// Keeps one processor busy until it goes out of scope.
class BusyProcess {
public:
    BusyProcess()
    {
        m_process.start(QStringLiteral("sh"), {QStringLiteral("-c"), QStringLiteral("while :; do :; done")});
    }
    ~BusyProcess()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    bool started() { return m_process.waitForStarted(); }
    pid_t id() const { return static_cast<pid_t>(m_process.processId()); }

private:
    QProcess m_process;
};

void spin(std::chrono::milliseconds time)
{
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

/// A process that has used so much of a processor, nearly all of it within the system, and has ended.
void askTheSystem(double seconds)
{
    const pid_t child = fork();
    if (child == 0) {
        static std::array<char, 1 << 20> zeros;
        const int file = open("/dev/zero", O_RDONLY);
        while (static_cast<double>(clock()) < seconds * CLOCKS_PER_SEC
               && read(file, zeros.data(), zeros.size()) > 0) {
        }
        _exit(0);
    }
    waitpid(child, nullptr, 0);
}

} // namespace

class OtherLoadTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anotherProgramIsOther()
    {
        BusyProcess busy;
        QVERIFY(busy.started());
        const OtherLoad with({getpid()}), without({getpid(), busy.id()});
        std::this_thread::sleep_for(std::chrono::milliseconds(600));
        const auto all = with.processors(), rest = without.processors();
        QVERIFY(all && rest);
        // A machine that others keep busy too leaves less to it.
        QVERIFY2(*all > 0.2 && *all <= usableCores(), qPrintable(QString::number(*all)));
        QVERIFY2(*all - *rest > 0.15, qPrintable(QStringLiteral("%1 %2").arg(*all).arg(*rest)));
    }

    void ownWorkIsNot()
    {
        const OtherLoad own({getpid()}), nobody({});
        spin(std::chrono::milliseconds(600));
        const auto others = own.processors(), all = nobody.processors();
        QVERIFY(others && all);
        QVERIFY2(*all - *others > 0.15, qPrintable(QStringLiteral("%1 %2").arg(*all).arg(*others)));
    }

    /// A compiler, say, whose time the system adds to ours when it ends.
    void childrenThatHaveEndedAreOwn()
    {
        QElapsedTimer timer;
        timer.start();
        const OtherLoad own({getpid()}), nobody({});
        askTheSystem(0.4);
        const auto others = own.processors(), all = nobody.processors();
        QVERIFY(others && all);
        const double seconds = (*all - *others) * static_cast<double>(timer.nsecsElapsed()) * 1e-9;
        QVERIFY2(seconds > 0.2, qPrintable(QString::number(seconds)));
    }

    /// Only those processors count that this process may use.
    void otherProcessorsDoNotCount()
    {
        cpu_set_t before, one;
        CPU_ZERO(&before);
        CPU_ZERO(&one);
        QCOMPARE(sched_getaffinity(0, sizeof before, &before), 0);
        if (CPU_COUNT(&before) < 2)
            QSKIP("there is one processor only");
        int last = CPU_SETSIZE - 1;
        while (!CPU_ISSET(last, &before))
            --last;
        CPU_SET(last, &one);
        QCOMPARE(sched_setaffinity(0, sizeof one, &one), 0);
        const OtherLoad load({getpid()});
        const int usable = usableCores();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const auto others = load.processors();
        QCOMPARE(sched_setaffinity(0, sizeof before, &before), 0);
        QCOMPARE(usable, 1);
        QVERIFY(others);
        QVERIFY2(*others >= 0 && *others <= 1, qPrintable(QString::number(*others)));
    }

    void whatOthersDoIsSaid()
    {
        QVERIFY(disturbance(1.25).starts_with("other programs kept 1.2 processors busy"));
        QVERIFY(usableCores() >= 1);
    }

    void tooSoonOrGoneIsNotTold()
    {
        QVERIFY(!OtherLoad({getpid()}).processors());
        std::optional<OtherLoad> load;
        {
            BusyProcess busy;
            QVERIFY(busy.started());
            load.emplace(std::vector{busy.id()});
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        QVERIFY(!load->processors());
    }

    void disturbingLoads_data()
    {
        QTest::addColumn<double>("others");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("cores");
        QTest::addColumn<bool>("disturbs");
        QTest::newRow("a desktop by itself") << 0.1 << 2 << 2 << false;
        QTest::newRow("all processors wanted, one taken") << 1.0 << 2 << 2 << true;
        QTest::newRow("a little is taken of all that are wanted") << 0.25 << 2 << 2 << true;
        QTest::newRow("one processor is free") << 0.4 << 1 << 2 << false;
        QTest::newRow("another thread beside it") << 1.0 << 1 << 2 << true;
        QTest::newRow("many are free") << 4.0 << 8 << 64 << false;
        QTest::newRow("many are taken") << 17.0 << 8 << 64 << true;
    }
    void disturbingLoads()
    {
        QFETCH(double, others);
        QFETCH(int, threads);
        QFETCH(int, cores);
        QTEST(disturbs(others, threads, cores), "disturbs");
    }
};

QTEST_GUILESS_MAIN(OtherLoadTest)
#include "other_load_test.moc"
