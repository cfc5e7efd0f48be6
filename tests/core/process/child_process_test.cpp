// SPDX-License-Identifier: Apache-2.0
// Programs that are started: what they get, how they end, and that nothing of them is left.
#include "core/process/child_process.h"

#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nestwright::process;
using namespace std::chrono_literals;

namespace {

/// A pipe whose ends stay here, unless a program is given one.
class Pipe {
public:
    Pipe()
    {
        if (pipe2(m_ends.data(), O_CLOEXEC) != 0)
            qFatal("no pipe");
    }
    ~Pipe()
    {
        ::close(m_ends[0]);
        closeWriting();
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;
    int reading() const { return m_ends[0]; }
    int writing() const { return m_ends[1]; }
    void closeWriting()
    {
        if (m_ends[1] >= 0)
            ::close(m_ends[1]);
        m_ends[1] = -1;
    }
    /// To the end, or the first line only.
    std::string said(bool isLine = false)
    {
        closeWriting();
        std::string text;
        for (char c = 0; (!isLine || !text.ends_with('\n')) && ::read(m_ends[0], &c, 1) == 1;)
            text += c;
        return text;
    }

private:
    std::array<int, 2> m_ends{};
};

ChildOptions shell(const std::string &script, bool isGuarded = false)
{
    ChildOptions options{.program = "sh", .arguments = {"-c", script}, .environment = {}};
    options.isGuarded = isGuarded;
    return options;
}

/// 128 more than the signal where one ended it.
int codeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

int codeOf(const ChildOptions &options)
{
    auto child = ChildProcess::start(options);
    return child ? codeOf(child->wait()) : -1;
}

/// Nothing of it runs, though nobody may have asked how it ended.
bool isGone(pid_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name = text.rfind(')');
    return name == std::string::npos || text.at(name + 2) == 'Z' || text.at(name + 2) == 'X';
}

/// A variable of the environment, for as long as a test needs it.
class PathVariable {
public:
    explicit PathVariable(const QByteArray &value) : m_old(qgetenv("PATH")) { qputenv("PATH", value); }
    ~PathVariable() { qputenv("PATH", m_old); }
    PathVariable(const PathVariable &) = delete;
    PathVariable &operator=(const PathVariable &) = delete;

private:
    QByteArray m_old;
};

void makeFile(const QString &path, const char *text, QFile::Permissions more = {})
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) >= 0);
    file.close();
    QVERIFY(file.setPermissions(file.permissions() | more));
}

void bothKinds()
{
    QTest::addColumn<bool>("isGuarded");
    QTest::newRow("by itself") << false;
    QTest::newRow("guarded") << true;
}

} // namespace

class ChildProcessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void programsTellHowTheyEnded_data() { bothKinds(); }
    void programsTellHowTheyEnded()
    {
        QFETCH(bool, isGuarded);
        QCOMPARE(codeOf(shell("exit 0", isGuarded)), 0);
        QCOMPARE(codeOf(shell("exit 7", isGuarded)), 7);
        QCOMPARE(codeOf(shell("kill -KILL $$", isGuarded)), 128 + SIGKILL);
        QCOMPARE(codeOf(shell("kill -TERM $$", isGuarded)), 128 + SIGTERM);
    }

    void programsGetWhatTheyAreGiven_data() { bothKinds(); }
    void programsGetWhatTheyAreGiven()
    {
        QFETCH(bool, isGuarded);
        Pipe in, out, errors;
        ChildOptions options = shell(R"(read -r line; echo "$0 $1 $line"; echo "$NW_A$NW_B" >&2)", isGuarded);
        options.arguments.insert(options.arguments.end(), {"a b", "c"});
        options.input = in.reading();
        options.output = out.writing();
        options.errors = errors.writing();
        options.environment = std::vector<std::string>{"NW_A=1"};
        qputenv("NW_B", "2");
        auto child = ChildProcess::start(options);
        qunsetenv("NW_B");
        QVERIFY(child);
        QCOMPARE(::write(in.writing(), "line\n", 5), ssize_t{5});
        QCOMPARE(out.said(), std::string("a b c line\n"));
        QCOMPARE(errors.said(), std::string("1\n")); // not the variables of this process
        QCOMPARE(codeOf(child->wait()), 0);
    }

    /// Descriptors that lie in each other's place reach their own, and no others are passed on.
    void descriptorsAreMovedToTheirPlaces()
    {
        Pipe out;
        const int input = ::dup(STDIN_FILENO);
        const int low = ::dup2(out.writing(), STDIN_FILENO); // where the program's input has to be
        const int other = ::open("/dev/null", O_RDONLY);     // passed on, if nobody closes it
        QVERIFY(low == STDIN_FILENO && other > 3);
        ChildOptions options = shell("read -r line || echo none; for i in 3 " + std::to_string(other)
                                     + "; do test -e /proc/self/fd/$i && echo $i; done; echo end");
        options.output = low;
        auto child = ChildProcess::start(options);
        ::close(other);
        ::dup2(input, STDIN_FILENO);
        ::close(input);
        QVERIFY(child);
        QCOMPARE(out.said(), std::string("none\nend\n"));
    }

    void theEnvironmentIsThisOneUnlessGiven()
    {
        qputenv("NW_B", "2");
        QCOMPARE(codeOf(shell("exit $NW_B")), 2);
        qunsetenv("NW_B");
    }

    /// Who ignores or blocks a signal does not do so for its programs.
    void signalsAreAsUsual()
    {
        sigset_t blocked, before;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGINT);
        const auto old = std::signal(SIGTERM, SIG_IGN);
        pthread_sigmask(SIG_BLOCK, &blocked, &before);
        const int ignored = codeOf(shell("kill -TERM $$; exit 3"));
        const int masked = codeOf(shell("kill -INT $$; exit 3"));
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        std::signal(SIGTERM, old);
        QCOMPARE(ignored, 128 + SIGTERM);
        QCOMPARE(masked, 128 + SIGINT);
    }

    void programsThatDoNotStart_data() { bothKinds(); }
    void programsThatDoNotStart()
    {
        QFETCH(bool, isGuarded);
        const auto none = ChildProcess::start(
            {.program = "nw-no-such-program", .arguments = {}, .environment = {}, .isGuarded = isGuarded});
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("process.none"));
        QVERIFY(none.error().message.contains("'nw-no-such-program'"));
        const QTemporaryDir folder;
        const QString path = folder.filePath("broken");
        makeFile(path, "#!/nowhere/interpreter\n", QFile::ExeOwner);
        const auto broken = ChildProcess::start(
            {.program = path.toStdString(), .arguments = {}, .environment = {}, .isGuarded = isGuarded});
        QVERIFY(!broken);
        QCOMPARE(broken.error().code, std::string("process.start"));
        QCOMPARE(broken.error().message,
                 "the program '" + path.toStdString() + "' does not start: " + std::strerror(ENOENT));
    }

    /// A signal in between changes nothing.
    void interruptionsHideNoFailure()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("broken");
        makeFile(path, "#!/nowhere/interpreter\n", QFile::ExeOwner);
        struct sigaction handled{}, before{};
        handled.sa_handler = [](int) {};
        sigaction(SIGALRM, &handled, &before); // without SA_RESTART
        const itimerval often{{0, 300}, {0, 300}}, never{};
        int started = 0;
        setitimer(ITIMER_REAL, &often, nullptr);
        for (int i = 0; i < 100; ++i)
            started +=
                ChildProcess::start({.program = path.toStdString(), .arguments = {}, .environment = {}}) ? 1
                                                                                                         : 0;
        setitimer(ITIMER_REAL, &never, nullptr);
        sigaction(SIGALRM, &before, nullptr);
        QCOMPARE(started, 0);
    }

    void statusIsThereWhenItEnds()
    {
        Pipe in;
        ChildOptions options = shell("read -r line; exit 5");
        options.input = in.reading();
        auto child = ChildProcess::start(options);
        QVERIFY(child && child->isRunning());
        QVERIFY(!child->poll());
        QVERIFY(!isGone(child->id()));
        QCOMPARE(::write(in.writing(), "\n", 1), ssize_t{1});
        std::optional<int> status;
        while (!status)
            status = child->poll();
        QCOMPARE(codeOf(*status), 5);
        QVERIFY(!child->isRunning());
        QCOMPARE(codeOf(child->wait()), 127); // there is none any more
    }

    void waitingHasAnEnd_data() { bothKinds(); }
    void waitingHasAnEnd()
    {
        QFETCH(bool, isGuarded);
        auto quick = ChildProcess::start(shell("exit 4", isGuarded));
        QVERIFY(quick);
        QCOMPARE(codeOf(quick->wait(std::stop_token(), 60s).value_or(0)), 4);
        auto slow = ChildProcess::start(shell("sleep 60", isGuarded));
        QVERIFY(slow);
        const pid_t process = slow->id();
        QVERIFY(!slow->wait(std::stop_token(), 20ms));
        QVERIFY(!slow->isRunning() && isGone(process));
        std::stop_source stop;
        auto stopped = ChildProcess::start(shell("sleep 60", isGuarded));
        QVERIFY(stopped);
        stop.request_stop();
        QVERIFY(!stopped->wait(stop.get_token()));
        QVERIFY(!stopped->isRunning());
    }

    /// Processes that a program has started end when it does, or when it is ended.
    void descendantsEndWithTheProgram_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<bool>("isGuarded");
        for (const bool isGuarded : {false, true}) {
            const char *kind = isGuarded ? "guarded" : "by itself";
            QTest::addRow("%s, ended", kind) << "sleep 60 & echo $!; wait" << isGuarded;
            QTest::addRow("%s, over", kind) << "sleep 60 >/dev/null & echo $!" << isGuarded;
        }
    }
    void descendantsEndWithTheProgram()
    {
        QFETCH(QString, script);
        QFETCH(bool, isGuarded);
        Pipe out;
        ChildOptions options = shell(script.toStdString(), isGuarded);
        options.output = out.writing();
        auto child = ChildProcess::start(options);
        QVERIFY(child);
        const pid_t descendant = std::atoi(out.said(true).c_str());
        QVERIFY(descendant > 1);
        if (script.endsWith("wait")) {
            QVERIFY(!isGone(descendant));
            child->kill();
        } else {
            QCOMPARE(codeOf(child->wait()), 0);
        }
        QTRY_VERIFY(isGone(descendant));
    }

    void objectsEndTheirPrograms()
    {
        auto first = ChildProcess::start(shell("sleep 60")), second = ChildProcess::start(shell("sleep 60"));
        QVERIFY(first && second);
        const pid_t ofFirst = first->id(), ofSecond = second->id();
        *first = std::move(*second);
        QVERIFY(isGone(ofFirst) && !isGone(ofSecond));
        QCOMPARE(first->id(), ofSecond);
        QVERIFY(!second->isRunning()); // NOLINT(bugprone-use-after-move)
        {
            const ChildProcess last(std::move(*first));
        }
        QVERIFY(isGone(ofSecond));
        ChildProcess none;
        none.kill(); // nothing, and nobody else
        QVERIFY(!none.isRunning());
    }

    /// As where this process is killed: the system sees to it.
    void programsEndWithTheThreadThatStartedThem_data() { bothKinds(); }
    void programsEndWithTheThreadThatStartedThem()
    {
        QFETCH(bool, isGuarded);
        Pipe out;
        ChildOptions options = shell("sleep 60 & echo $!; wait", isGuarded);
        options.output = out.writing();
        ChildProcess child;
        pid_t descendant = 0;
        std::thread([&] {
            if (auto started = ChildProcess::start(options))
                child = std::move(*started);
            descendant = std::atoi(out.said(true).c_str());
        }).join();
        if (isGuarded) // it knows nothing of us, so all that it started goes too, before anybody asks
            QTRY_VERIFY(isGone(descendant));
        QCOMPARE(codeOf(child.wait()), 128 + SIGKILL);
        QTRY_VERIFY(isGone(descendant));
    }

    void forkedProcessesKnowTheirParent()
    {
        const auto statusOf = [](auto body) {
            const pid_t parent = getpid(), child = fork();
            if (child == 0)
                _exit(body(parent));
            int status = 0;
            waitpid(child, &status, 0);
            return codeOf(status);
        };
        QCOMPARE(statusOf([](pid_t parent) { return dieWithParent(parent), 3; }), 3);
        QCOMPARE(statusOf([](pid_t parent) { return dieWithParent(parent + 1), 3; }), 127);
        QCOMPARE(statusOf([](pid_t parent) {
                     beginGroup(parent);
                     return getpgid(0) == getpid() ? 3 : 4;
                 }),
                 3);
    }

    void programsAreFoundOnThePath()
    {
        const QTemporaryDir first, second;
        makeFile(first.filePath("nw-both"), "", QFile::ExeOwner);
        makeFile(first.filePath("nw-text"), "");
        makeFile(second.filePath("nw-both"), "", QFile::ExeOwner);
        makeFile(second.filePath("nw-text"), "", QFile::ExeOwner);
        const std::string one = first.path().toStdString(), two = second.path().toStdString();
        const PathVariable path((one + ':' + two).c_str());
        QCOMPARE(findProgram("nw-both"), one + "/nw-both");
        QCOMPARE(findProgram("nw-text"), two + "/nw-text"); // the other cannot be run
        QCOMPARE(findProgram("nw-none"), std::string());
        QCOMPARE(findProgram(one + "/nw-both"), one + "/nw-both");
        QCOMPARE(findProgram(one + "/nw-text"), std::string());
        const QString here = QDir::currentPath();
        QVERIFY(QDir::setCurrent(second.path()));
        qputenv("PATH", (one + ':').c_str()); // nothing between colons is the folder we are in
        const std::string found = findProgram("nw-text");
        qunsetenv("PATH");
        const std::string usual = findProgram("sh");
        QDir::setCurrent(here);
        QCOMPARE(found, std::string("./nw-text"));
        QVERIFY2(usual.ends_with("bin/sh"), usual.c_str());
    }
};

QTEST_GUILESS_MAIN(ChildProcessTest)
#include "child_process_test.moc"
