// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors.h"
#include "core/support/temporary_folder.h"

#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

using namespace nestwright::support;
namespace fs = std::filesystem;

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
            lost += fs::exists(folder.path() / "file") ? 0 : 1;
        }
        isOver = true;
        sweeping.join();
        QCOMPARE(lost, 0);
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
