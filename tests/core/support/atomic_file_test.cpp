// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/atomic_file.h"

#include "core/support/errors/stop.h"
#include "core/support/files/checksum.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nestwright::support;
namespace fs = std::filesystem;

namespace {

void put(const fs::path &path, std::string_view text)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::string get(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct stat statusOf(const fs::path &path)
{
    struct stat status{};
    ::stat(path.c_str(), &status);
    return status;
}

} // namespace

class AtomicFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path m_place;

    QStringList files() const
    {
        return QDir(QString::fromStdString(m_place.string()))
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }

private Q_SLOTS:
    void init()
    {
        m_place = m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction())).toStdString();
        fs::create_directory(m_place);
    }

    void filesAreMadeAndReplaced()
    {
        const fs::path path = m_place / "a.nest";
        const auto made = writeAtomically(path, "one");
        QVERIFY(made);
        QCOMPARE(get(path), "one");
        QCOMPARE(made->size, 3U);
        QCOMPARE(made->content, checksum("one"));
        QVERIFY(!isChanged(path, *made));
        QVERIFY(writeAtomically(path, "another"));
        QCOMPARE(get(path), "another");
        QCOMPARE(files(), QStringList{"a.nest"});
    }

    void newFilesHaveTheUsualPermissions()
    {
        const mode_t before = umask(027);
        const auto written = writeAtomically(m_place / "a", "one");
        umask(before);
        QVERIFY(written);
        QCOMPARE(statusOf(m_place / "a").st_mode & 0777, 0640U);
    }

    void permissionsAndOwnerAreKept()
    {
        const fs::path path = m_place / "a";
        put(path, "one");
        QCOMPARE(chmod(path.c_str(), 0604), 0);
        const bool isRoot = geteuid() == 0;
        if (isRoot)
            QCOMPARE(chown(path.c_str(), 4321, 1234), 0);
        QVERIFY(writeAtomically(path, "two"));
        QCOMPARE(statusOf(path).st_mode & 07777, 0604U);
        if (isRoot) {
            QCOMPARE(statusOf(path).st_uid, 4321U);
            QCOMPARE(statusOf(path).st_gid, 1234U);
        }
    }

    void linksAreKept()
    {
        fs::create_directory(m_place / "there");
        put(m_place / "there" / "real", "one");
        fs::create_symlink("there/real", m_place / "link");
        fs::create_symlink("link", m_place / "second");
        fs::create_symlink("there/new", m_place / "dangling");
        QVERIFY(writeAtomically(m_place / "second", "two"));
        QVERIFY(writeAtomically(m_place / "dangling", "three"));
        QVERIFY(fs::is_symlink(m_place / "second") && fs::is_symlink(m_place / "dangling"));
        QCOMPARE(get(m_place / "there" / "real"), "two");
        QCOMPARE(get(m_place / "there" / "new"), "three");
        fs::create_symlink("there/real", m_place / "link1");
        for (int i = 2; i <= 40; ++i)
            fs::create_symlink("link" + std::to_string(i - 1), m_place / ("link" + std::to_string(i)));
        QVERIFY(writeAtomically(m_place / "link39", "four"));
        QCOMPARE(get(m_place / "there" / "real"), "four");
        QCOMPARE(writeAtomically(m_place / "link40", "x").error().code, "file.write");
        fs::create_symlink("circle", m_place / "circle");
        QCOMPARE(writeAtomically(m_place / "circle", "x").error().code, "file.write");
    }

    void devicesAreWrittenThrough()
    {
        QVERIFY(writeAtomically("/dev/null", "gone"));
        const fs::path pipe = m_place / "pipe";
        QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
        std::string heard;
        std::jthread reader([&] { heard = get(pipe); });
        QVERIFY(writeAtomically(pipe, "through"));
        reader.join();
        QCOMPARE(heard, "through");
        QVERIFY(fs::is_fifo(pipe));
        QCOMPARE(writeAtomically(m_place, "x").error().code, "file.write");
    }

    void errorsNameTheFileAndTheRemedy()
    {
        const auto refused = writeAtomically(m_place / "no" / "such" / "folder.nest", "x");
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, "file.write");
        QVERIFY(refused.error().message.contains("folder.nest' cannot be written: No such file"));
        QVERIFY(refused.error().hint.contains("make the folder"));
        QVERIFY(writeAtomically("/proc/self/made.nest", "x").error().message.contains("cannot be written"));
        QCOMPARE(writeAtomically("/dev/full", "x").error().hint,
                 "free some space there, or choose another folder");
    }

    void remediesFitTheirReasons()
    {
        const auto hintFor = [](const fs::path &path) { return writeAtomically(path, "x").error().hint; };
        QCOMPARE(hintFor(m_place), "give the name of a file in it");
        QCOMPARE(hintFor(m_place / "missing" / ""), "give the name of a file in it");
        QCOMPARE(hintFor(m_place / "no" / "file"),
                 "make the folder '" + (m_place / "no").string() + "' first, or choose another");
        put(m_place / "file", "x");
        QCOMPARE(hintFor(m_place / "file" / "below"), "choose another folder");
    }

    void namesWithoutAFolderAreThoseOfThisOne()
    {
        const QString here = QDir::currentPath();
        QVERIFY(QDir::setCurrent(QString::fromStdString(m_place.string())));
        const auto written = writeAtomically("plain", "one");
        QDir::setCurrent(here);
        QVERIFY(written);
        QCOMPARE(get(m_place / "plain"), "one");
    }

    /// One descriptor is left, for the folder: none for the file. Said at once, not tried for ever.
    void withoutDescriptorsTheReasonIsSaid()
    {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            const int next = dup(STDERR_FILENO);
            close(next);
            const rlimit few{static_cast<rlim_t>(next) + 1, static_cast<rlim_t>(next) + 1};
            setrlimit(RLIMIT_NOFILE, &few);
            const auto refused = writeAtomically(m_place / "a", "x", {.durable = false});
            _exit(!refused && refused.error().message.contains("cannot be written: Too many open files")
                          && refused.error().hint == "raise it with ulimit -n"
                      ? 0
                      : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        QCOMPARE(status, 0);
        QVERIFY(files().isEmpty());
    }

    void stampsAreOfRegularFiles()
    {
        put(m_place / "a", "one");
        QCOMPARE(stampOf(m_place / "a")->size, 3U);
        QVERIFY(!stampOf(m_place) && !stampOf(m_place / "none") && !stampOf("/dev/null"));
    }

    void filesChangedByOthersAreNotReplaced()
    {
        const fs::path path = m_place / "a.nest";
        const FileStamp own = *writeAtomically(path, "mine");
        put(path, "more of another's");
        QVERIFY(isChanged(path, own));
        const auto refused = writeAtomically(path, "mine again", {.before = own});
        QCOMPARE(refused.error().code, "file.changed");
        QCOMPARE(get(path), "more of another's");
        QCOMPARE(files(), QStringList{"a.nest"});
        put(path, "same"); // as long, other bytes
        QVERIFY(isChanged(path, own));
        put(path, "mine"); // another time, the same bytes
        QVERIFY(!isChanged(path, own));
        fs::remove(path);
        QVERIFY(!isChanged(path, own)); // nothing there to lose
        QVERIFY(writeAtomically(path, "mine again", {.before = own}));
    }

    void filesOfTheUserAreLeftAlone()
    {
        const std::vector<std::string> own{"x.nest.part", ".x.nest.nestwright-notours",
                                           ".y.nestwright-0123456789ab", "x.nest~"};
        for (const std::string &name : own) {
            put(m_place / name, name);
            fs::last_write_time(m_place / name, fs::file_time_type::clock::now() - std::chrono::hours(9));
        }
        QVERIFY(writeAtomically(m_place / "x.nest", "text"));
        for (const std::string &name : own)
            QCOMPARE(get(m_place / name), name);
    }

    void leftoversOfTheFileGo()
    {
        const fs::path old = m_place / ".x.nest.nestwright-0123456789ab";
        const fs::path young = m_place / ".x.nest.nestwright-ba9876543210";
        put(old, "half");
        put(young, "half");
        fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::minutes(5));
        QVERIFY(writeAtomically(m_place / "x.nest", "text"));
        QCOMPARE(files(), QStringList({".x.nest.nestwright-ba9876543210", "x.nest"}));
        put(old, "half");
        fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::minutes(5));
        QVERIFY(writeAtomically(m_place / "x.nest", "text", {.durable = false})); // a cache does not look
        QVERIFY(fs::exists(old));
    }

    void longNamesAreNoTrouble()
    {
        const std::string name(255, 'n');
        QVERIFY(writeAtomically(m_place / name, "text"));
        QCOMPARE(get(m_place / name), "text");
        QCOMPARE(writeAtomically(m_place / (name + 'n'), "text").error().code, "file.write");
    }

    void waitingForAnotherWriterCanBeStopped()
    {
        const int folder = open(m_place.c_str(), O_RDONLY | O_DIRECTORY);
        QCOMPARE(flock(folder, LOCK_EX), 0);
        std::stop_source source;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            source.request_stop();
        });
        const auto began = std::chrono::steady_clock::now();
        bool stopped = false;
        try {
            const StopScope scope(source.get_token());
            (void)writeAtomically(m_place / "a", "x");
        } catch (const Stopped &) {
            stopped = true;
        }
        close(folder);
        QVERIFY(stopped);
        QVERIFY(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
        QVERIFY(files().isEmpty());
    }

    /// `flock FOLDER COMMAND` keeps the lock as long as the command runs.
    void aLockOfSomebodyElseKeepsNothingFromBeingWritten()
    {
        const int folder = open(m_place.c_str(), O_RDONLY | O_DIRECTORY);
        QCOMPARE(flock(folder, LOCK_EX), 0);
        const auto began = std::chrono::steady_clock::now();
        QVERIFY(writeAtomically(m_place / "a", "x"));
        QVERIFY(std::chrono::steady_clock::now() - began < std::chrono::seconds(8));
        QCOMPARE(get(m_place / "a"), "x");
        close(folder);
    }

    /// Of several processes that write one file each has its whole text there or none of it.
    void writersDoNotMix()
    {
        const fs::path path = m_place / "x.nest";
        constexpr int writers = 4, rounds = 50;
        std::vector<pid_t> children;
        for (int w = 0; w < writers; ++w) {
            const pid_t child = fork();
            if (child == 0) {
                const std::string text(20'000 + 1000 * static_cast<std::size_t>(w),
                                       static_cast<char>('a' + w));
                bool good = true;
                for (int i = 0; i < rounds; ++i)
                    good = writeAtomically(path, text).has_value() && good;
                _exit(good ? 0 : 1);
            }
            children.push_back(child);
        }
        const auto isWhole = [&](const std::string &text) {
            const auto w = text.empty() ? -1 : text.front() - 'a';
            return text == std::string(20'000 + 1000 * static_cast<std::size_t>(w), text.front());
        };
        int torn = 0, left = writers;
        while (left > 0) {
            if (fs::exists(path) && !isWhole(get(path)))
                ++torn;
            int status = 0;
            while (left > 0 && waitpid(-1, &status, WNOHANG) > 0) {
                QCOMPARE(status, 0);
                --left;
            }
        }
        QCOMPARE(torn, 0);
        QVERIFY(isWhole(get(path)));
        QCOMPARE(files(), QStringList{"x.nest"});
    }
};

QTEST_GUILESS_MAIN(AtomicFileTest)
#include "atomic_file_test.moc"
