// SPDX-License-Identifier: Apache-2.0
// Processes that crash in every way, and their reports.
#include "core/support/errors/crash_report.h"

#include "core/support/errors/errors.h"
#include "core/support/errors/stack_walk.h"

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nestwright::support;
namespace fs = std::filesystem;

namespace {

int *volatile nowhere = nullptr;

__attribute__((noinline, no_sanitize("address", "undefined"))) void functionThatCrashes()
{
    *const_cast<volatile int *>(nowhere) = 1;
}

[[noreturn]] void goWrong() { throw InternalError("what went wrong"); }

__attribute__((noinline)) int overflowStack(volatile int *before, int depth)
{
    volatile int frame[1000] = {};
    frame[0] = before ? before[0] + depth : 0;
    if (frame[0] < 0) // never: the depth only grows
        return 0;
    return overflowStack(frame, depth + 1) + frame[999];
}

std::string textOf(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

class CrashReportTest : public QObject {
    Q_OBJECT

    /// The wait status of a process that does this with reports switched on.
    template <class Body> int statusOf(const fs::path &folder, const Body &body)
    {
        const pid_t child = fork();
        if (child == 0) {
            const rlimit none{};
            setrlimit(RLIMIT_CORE, &none);
            close(STDERR_FILENO);
            open("/dev/null", O_WRONLY);
            writeCrashReports(folder, "Program: test 1\n");
            noteStep("opened matmul.py");
            noteStep("split i by 32");
            body();
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        return status;
    }

private Q_SLOTS:
    void initTestCase() { unsetenv("NESTWRIGHT_CRASH_REPORTS"); }

    void crashesLeaveAReport()
    {
        const QTemporaryDir temporary;
        const fs::path folder = fs::path(temporary.path().toStdString()) / "crashes";
        const int status = statusOf(folder, [] { functionThatCrashes(); });
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), SIGSEGV);
        const auto reports = crashReports(folder);
        QCOMPARE(reports.size(), std::size_t{1});
        const std::string text = textOf(reports.front());
        for (const char *part : {"Program: test 1", "System: Linux", "SIGSEGV", "opened matmul.py",
                                 "split i by 32", "Stack:\n  ", "End of the report"})
            QVERIFY2(text.contains(part), text.c_str());
        QCOMPARE(text.contains("functionThatCrashes"), hasSymbolNames());
        QCOMPARE(text.contains("built without libbacktrace"), !hasSymbolNames());
        QVERIFY(!text.contains(" _Z"));
    }

    void everyWayOfCrashingIsReported()
    {
        const std::vector<std::function<void()>> ways{
            [] { std::abort(); },
            [] { raise(SIGFPE); },
            [] { overflowStack(nullptr, 0); },
            [] { std::thread([] { functionThatCrashes(); }).join(); },
            [] {
                std::thread([] {
                    giveSignalStack();
                    overflowStack(nullptr, 0);
                }).join();
            },
            [] {
                while (open("/dev/null", O_RDONLY) >= 0) { // no descriptor is left
                }
                functionThatCrashes();
            },
        };
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const QTemporaryDir folder;
            QVERIFY(WIFSIGNALED(statusOf(folder.path().toStdString(), ways[i])));
            const auto reports = crashReports(folder.path().toStdString());
            QVERIFY2(reports.size() == 1 && textOf(reports.front()).contains("End of the report"),
                     std::to_string(i).c_str());
        }
    }

    /// 32 of them, each as long as a line.
    void onlyTheLastStepsStandInIt()
    {
        const QTemporaryDir folder;
        statusOf(folder.path().toStdString(), [] {
            for (int i = 1; i <= 40; ++i)
                noteStep("step " + std::to_string(i) + (i == 40 ? std::string(300, 'x') : "."));
            std::abort();
        });
        const std::string text = textOf(crashReports(folder.path().toStdString()).front());
        QVERIFY2(!text.contains("step 8.") && text.contains("step 9.") && text.contains("step 39."),
                 text.c_str());
        QVERIFY(text.contains("step 40xxx") && !text.contains(std::string(160, 'x')));
        QVERIFY(text.contains(std::string(130, 'x')));
        QVERIFY2(text.contains("x\n\nAddresses:"), text.c_str()); // nothing stands behind the newest
        QCOMPARE(text.find("step 9."), text.rfind("step 9."));
    }

    /// Files that other programs put there are theirs.
    void otherFilesAreNoReports()
    {
        const QTemporaryDir folder;
        for (const char *name : {"crash-1.log", "crush-1.txt", "crash-10-1.txt", "crash-9-1.txt"})
            std::ofstream(folder.filePath(name).toStdString()) << " _Z3foov _Z\n";
        const auto reports = crashReports(folder.path().toStdString());
        QCOMPARE(reports.size(), std::size_t{2});
        QCOMPARE(textOf(reports.front()), std::string(" foo() _Z\n"));
        QCOMPARE(textOf(folder.filePath("crush-1.txt").toStdString()), std::string(" _Z3foov _Z\n"));
        QVERIFY(crashReports(folder.filePath("none").toStdString()).empty());
    }

    void uncaughtExceptionsSayTheirMessage()
    {
        const QTemporaryDir folder;
        const auto thrower = []() noexcept { goWrong(); };
        QCOMPARE(WTERMSIG(statusOf(folder.path().toStdString(), thrower)), SIGABRT);
        QVERIFY(textOf(crashReports(folder.path().toStdString()).front())
                    .contains("uncaught exception: what went wrong"));
    }

    void reportsCanBeSwitchedOff()
    {
        const QTemporaryDir folder;
        setenv("NESTWRIGHT_CRASH_REPORTS", "0", 1);
        QVERIFY(WIFSIGNALED(statusOf(folder.path().toStdString(), [] { functionThatCrashes(); })));
        unsetenv("NESTWRIGHT_CRASH_REPORTS");
        QVERIFY(WIFSIGNALED(statusOf(folder.path().toStdString(), [] {
            stopCrashReports();
            functionThatCrashes();
        })));
        QVERIFY(crashReports(folder.path().toStdString()).empty());
    }

    /// Kernels that are measured crash in processes of their own, and that is an answer.
    void forkedProcessesLeaveNone()
    {
        const QTemporaryDir folder;
        const int status = statusOf(folder.path().toStdString(), [] {
            const pid_t child = fork();
            if (child == 0)
                functionThatCrashes();
            int inner = 0;
            waitpid(child, &inner, 0);
            _exit(WIFSIGNALED(inner) ? 7 : 8);
        });
        QCOMPARE(WEXITSTATUS(status), 7);
        QVERIFY(crashReports(folder.path().toStdString()).empty());
    }

    void onlyTheNewestAreKept()
    {
        const QTemporaryDir folder;
        for (int i = 10; i < 40; ++i)
            std::ofstream(folder.filePath(QStringLiteral("crash-%1-1.txt").arg(i)).toStdString()) << "x";
        const auto reports = crashReports(folder.path().toStdString());
        QCOMPARE(reports.size(), std::size_t{20});
        QCOMPARE(reports.front().filename().string(), std::string("crash-39-1.txt"));
        QCOMPARE(QDir(folder.path()).count(), 22U);
    }
};

QTEST_GUILESS_MAIN(CrashReportTest)
#include "crash_report_test.moc"
