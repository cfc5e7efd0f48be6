// SPDX-License-Identifier: Apache-2.0
#include "core/support/errors.h"
#include "core/support/temporary_folder.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/file.h>
#include <unistd.h>

using namespace nestwright::support;
namespace fs = std::filesystem;

namespace {

/// A folder as a process leaves it behind that is killed.
fs::path leftBehind(const fs::path &parent, const std::string &name)
{
    fs::create_directory(parent / name);
    std::ofstream(parent / name / ".nestwright-lock") << "";
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
            QVERIFY(path.filename().string().starts_with("nestwright-"));
            std::ofstream(path / "file") << "text";
        }
        QVERIFY(!fs::exists(path));
    }

    void onlyWhatNobodyHoldsIsSwept()
    {
        const TemporaryFolder held;
        QVERIFY(fs::exists(held.path() / ".nestwright-lock"));
        const fs::path left = leftBehind(parent(), "nestwright-gone");
        const fs::path other = leftBehind(parent(), "another-gone");
        fs::create_directory(parent() / "nestwright-without-a-lock");
        fs::create_directory_symlink(other, parent() / "nestwright-link");
        std::ofstream(parent() / "nestwright-file") << "";
        QCOMPARE(sweepTemporaryFolders(parent()), 1);
        QVERIFY(!fs::exists(left));
        for (const fs::path &stays : {held.path(), other, parent() / "nestwright-without-a-lock",
                                      parent() / "nestwright-link", parent() / "nestwright-file"})
            QVERIFY2(fs::exists(stays), stays.c_str());
        QCOMPARE(sweepTemporaryFolders(parent()), 0);
        QCOMPARE(sweepTemporaryFolders(parent() / "nothing"), 0);
    }

    void lockLastsAsLongAsTheFolder()
    {
        const TemporaryFolder folder;
        const int lock = ::open((folder.path() / ".nestwright-lock").c_str(), O_RDWR | O_CLOEXEC);
        QVERIFY(lock >= 0);
        QCOMPARE(::flock(lock, LOCK_EX | LOCK_NB), -1);
        ::close(lock);
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
