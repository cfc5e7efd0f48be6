// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors/errors.h"
#include "core/support/files/temporary_folder.h"

#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sys/file.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace nestwright::support;
namespace fs = std::filesystem;

namespace {

std::function<void()> beforeNextLock; ///< what another process does meanwhile

} // namespace

/// In place of the system's own, so that others can come between opening a file and locking it.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the system's have no names to use
extern "C" int flock(int handle, int operation) noexcept
{
    if (beforeNextLock)
        std::exchange(beforeNextLock, nullptr)();
    return static_cast<int>(syscall(SYS_flock, handle, operation));
}

namespace {

/// A folder as a process leaves it behind that is killed.
fs::path leftBehind(const fs::path &parent, const std::string &name)
{
    fs::create_directory(parent / name);
    std::ofstream(parent / (name + ".lock")) << "";
    std::ofstream(parent / name / "kernel.c") << "text";
    return parent / name;
}

} // namespace

class TemporaryFolderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        qunsetenv("TMPDIR"); // the folder of the test before is gone
        m_parent = std::make_unique<QTemporaryDir>();
        qputenv("TMPDIR", m_parent->path().toUtf8());
    }

    void goesWithTheObject()
    {
        fs::path path;
        {
            const TemporaryFolder folder;
            path = folder.path();
            QCOMPARE(path.parent_path(), parent());
            QVERIFY(path.filename().string().starts_with("nestwright-tmp-"));
            std::ofstream(path / "file") << "text";
        }
        QVERIFY(fs::is_empty(parent()));
    }

    void onlyWhatNobodyHoldsIsSwept()
    {
        const TemporaryFolder held;
        leftBehind(parent(), "nestwright-tmp-gone");
        const fs::path other = leftBehind(parent(), "nestwright-other");
        std::ofstream(parent() / "nestwright-tmp-killed-at-once.lock") << "";
        fs::create_directory(parent() / "nestwright-tmp-without-a-lock");
        fs::create_symlink(other.string() + ".lock", parent() / "nestwright-tmp-link.lock");
        fs::create_directory(parent() / "nestwright-tmp-folder.lock");
        QCOMPARE(sweepTemporaryFolders(parent()), 2);
        for (const char *gone :
             {"nestwright-tmp-gone", "nestwright-tmp-gone.lock", "nestwright-tmp-killed-at-once.lock"})
            QVERIFY2(!fs::exists(parent() / gone), gone);
        for (const fs::path &stays :
             {held.path(), other, parent() / "nestwright-tmp-without-a-lock",
              parent() / "nestwright-tmp-link.lock", parent() / "nestwright-tmp-folder.lock"})
            QVERIFY2(fs::exists(stays), stays.c_str());
        QCOMPARE(sweepTemporaryFolders(parent()), 0);
        QCOMPARE(sweepTemporaryFolders(parent() / "nothing"), 0);
    }

    /// A process that sweeps while another makes folders takes none away that is in use.
    void foldersAreMadeBesideSweeps()
    {
        std::atomic<bool> isOver = false;
        std::thread sweeping([&] {
            while (!isOver)
                sweepTemporaryFolders(parent());
        });
        int lost = 0;
        for (int round = 0; round < 2000; ++round) {
            const TemporaryFolder folder;
            std::ofstream(folder.path() / "file") << "text";
            const bool hasLock = fs::exists(folder.path().string() + ".lock"); // else it is never swept
            lost += hasLock && fs::exists(folder.path() / "file") ? 0 : 1;
        }
        isOver = true;
        sweeping.join();
        QCOMPARE(lost, 0);
    }

    /// A sweep takes the lock of a folder that is about to be made: another is made, with its own.
    void locksThatWereSweptAreNotKept()
    {
        fs::path swept;
        beforeNextLock = [&] {
            swept = fs::directory_iterator(parent())->path();
            fs::remove(swept);
        };
        const TemporaryFolder folder;
        const fs::path lock = folder.path().string() + ".lock";
        QVERIFY(swept.string().ends_with(".lock") && swept != lock);
        QVERIFY(fs::exists(lock) && fs::is_directory(folder.path()));
    }

    /// The lock that was looked at is another's by now, which may hold it.
    void foldersWhoseLockChangedAreNotSwept()
    {
        const fs::path left = leftBehind(parent(), "nestwright-tmp-gone");
        beforeNextLock = [&] {
            fs::rename(left.string() + ".lock", parent() / "elsewhere");
            std::ofstream(left.string() + ".lock") << "";
        };
        QCOMPARE(sweepTemporaryFolders(parent()), 0);
        QVERIFY(fs::exists(left / "kernel.c"));
        QCOMPARE(sweepTemporaryFolders(parent()), 1);
        QVERIFY(!fs::exists(left));
    }

    void lockLastsAsLongAsTheFolder()
    {
        auto folder = std::make_unique<TemporaryFolder>();
        const int handle = ::open((folder->path().string() + ".lock").c_str(), O_RDWR | O_CLOEXEC);
        QVERIFY(handle >= 0);
        QCOMPARE(::flock(handle, LOCK_EX | LOCK_NB), -1);
        folder.reset();
        QCOMPARE(::flock(handle, LOCK_EX | LOCK_NB), 0);
        ::close(handle);
    }

    void foldersOfOthersAreTheirs()
    {
        leftBehind(parent(), "nestwright-tmp-other");
        if (::chown((parent() / "nestwright-tmp-other.lock").c_str(), 4321, 4321) != 0)
            QSKIP("only root can give files to others");
        QCOMPARE(sweepTemporaryFolders(parent()), 0);
        QVERIFY(fs::exists(parent() / "nestwright-tmp-other" / "kernel.c"));
    }

    void withoutAnyTheReasonIsSaid()
    {
        qputenv("TMPDIR", "/proc"); // where nobody makes files
        try {
            const TemporaryFolder folder;
            QFAIL("made");
        } catch (const UserError &error) {
            QCOMPARE(error.diagnostic().code, std::string("backend.files"));
            QVERIFY2(error.diagnostic().message.starts_with(
                         "no temporary folder can be made: '/proc/nestwright-tmp-"),
                     error.what());
            QVERIFY(error.diagnostic().hint.contains("TMPDIR"));
        }
    }

    void missingParentIsNamed()
    {
        qputenv("TMPDIR", (m_parent->path() + "/nothing").toUtf8());
        try {
            const TemporaryFolder folder;
            QFAIL("made");
        } catch (const UserError &error) {
            QCOMPARE(error.diagnostic().code, std::string("backend.files"));
            QVERIFY(error.diagnostic().message.contains("/nothing'"));
        }
    }

private:
    fs::path parent() const { return m_parent->path().toStdString(); }
    std::unique_ptr<QTemporaryDir> m_parent;
};

QTEST_GUILESS_MAIN(TemporaryFolderTest)
#include "temporary_folder_test.moc"
