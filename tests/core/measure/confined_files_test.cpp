// SPDX-License-Identifier: Apache-2.0
// A device's driver that compiles kernels reads what is the system's, and writes to one folder.
#include "core/measure/sandbox/sandbox.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace nestwright::measure;

namespace {

bool canOpen(const QString &path, int how = O_RDONLY)
{
    const int opened = open(path.toUtf8().constData(), how | O_CLOEXEC, 0600);
    if (opened >= 0)
        close(opened);
    return opened >= 0;
}

bool canWrite(const QString &path) { return canOpen(path, O_WRONLY | O_CREAT); }

/// Whether `body` holds in a process of its own.
bool inAnotherProcess(const std::function<bool()> &body)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(body() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0;
}

} // namespace

class ConfinedFilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_own, m_other, m_libraries;

private Q_SLOTS:
    void initTestCase()
    {
        if (!probeSandbox().files)
            QSKIP("this system does not restrict files");
        for (const QTemporaryDir *folder : {&m_own, &m_other, &m_libraries})
            QVERIFY(canWrite(folder->filePath("there")));
    }

    /// Every right was given: those over single files too.
    void allThatIsGrantedIs()
    {
        const QString folder = m_own.path();
        QVERIFY(inAnotherProcess([&] { return confineFiles(folder.toStdString()); }));
    }

    void theFolderIsItsOwn()
    {
        QVERIFY(inAnotherProcess([&] {
            confineFiles(m_own.path().toStdString());
            return canWrite(m_own.filePath("new")) && canOpen(m_own.filePath("there"))
                   && unlink(m_own.filePath("there").toUtf8().constData()) == 0;
        }));
        QVERIFY(canOpen(m_own.filePath("new")));
    }

    void theSystemIsReadOnly()
    {
        QVERIFY(inAnotherProcess([&] {
            confineFiles(m_own.path().toStdString());
            return canOpen("/usr/bin/env") && canOpen("/proc/self/status") && canOpen("/dev/null", O_RDWR)
                   && (access("/etc/ld.so.cache", R_OK) != 0 || canOpen("/etc/ld.so.cache"))
                   && !canWrite("/usr/nw-test") && !canOpen("/etc/passwd");
        }));
        QVERIFY(!QFile::exists("/usr/nw-test"));
    }

    /// Names of its own threads, as NVIDIA's driver gives them.
    void threadsAreNamed()
    {
        QVERIFY(inAnotherProcess([&] {
            confineFiles(m_own.path().toStdString());
            return canOpen(QString("/proc/self/task/%1/comm").arg(getpid()), O_WRONLY | O_CREAT | O_TRUNC)
                   && !canOpen(QString("/proc/%1/comm").arg(getppid()), O_WRONLY);
        }));
    }

    /// Disks, terminals and other processes are no business of a compute device's driver.
    void onlyDevicesThatComputeAreThere()
    {
        QVERIFY(canOpen("/dev/ptmx", O_RDWR));
        const QString parent = QString("/proc/%1/").arg(getpid());
        QVERIFY(canOpen(parent + "environ"));
        QVERIFY(inAnotherProcess([&] {
            confineFiles(m_own.path().toStdString());
            return canOpen("/dev/zero") && canOpen("/dev/urandom") && canOpen("/proc/cpuinfo")
                   && !canOpen("/dev/ptmx", O_RDWR) && !canOpen("/dev/tty") && !canOpen("/dev/kmsg")
                   && !canWrite("/dev/shm/nw-test") && !canOpen(parent + "environ")
                   && !canOpen(parent + "mem") && !canOpen(parent + "cmdline");
        }));
        QVERIFY(!QFile::exists("/dev/shm/nw-test"));
    }

    void foldersOfOthersAreOutOfReach()
    {
        QVERIFY(inAnotherProcess([&] {
            confineFiles(m_own.path().toStdString());
            return !canOpen(m_other.filePath("there")) && !canWrite(m_other.filePath("new"));
        }));
        QVERIFY(!QFile::exists(m_other.filePath("new")));
    }

    /// The folder of the library is a pipe, over which nobody has rights.
    void whatCannotBeGrantedIsTold()
    {
        int ends[2];
        QVERIFY(pipe(ends) == 0);
        const std::string none = "/proc/self/fd/" + std::to_string(ends[0]) + "/libdriver.so";
        QVERIFY(inAnotherProcess([&] {
            return !confineFiles(m_own.path().toStdString(), none) && !canOpen(m_other.filePath("there"));
        }));
        close(ends[0]);
        close(ends[1]);
    }

    /// A driver that a person named lies where its other parts do.
    void theLibrarysFolderIsRead()
    {
        const QString library = m_libraries.filePath("libdriver.so");
        QVERIFY(inAnotherProcess([&] {
            confineFiles(m_own.path().toStdString(), library.toStdString());
            return canOpen(m_libraries.filePath("there")) && !canWrite(m_libraries.filePath("new"))
                   && !canOpen(m_other.filePath("there"));
        }));
        QVERIFY(inAnotherProcess([&] {
            return confineFiles(m_own.path().toStdString(), "libdriver.so")
                   && !canOpen(m_libraries.filePath("there"));
        }));
    }
};

QTEST_GUILESS_MAIN(ConfinedFilesTest)
#include "confined_files_test.moc"
