// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/kernel_cache.h"

#include "core/backend/backend.h"
#include "core/backend/tool_version.h"
#include "core/catalog/preset.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::graph;

namespace {

ir::Module matmul(std::int64_t size)
{
    return *catalog::makeModule("matmul", {{"M", size}, {"N", size}, {"K", size}});
}

} // namespace

class KernelCacheTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void storedKernelsAreFound()
    {
        const QTemporaryDir folder;
        const KernelCache cache(folder.filePath(QStringLiteral("kernels")).toStdString());
        QVERIFY(!cache.find(matmul(8), {}));
        const auto artifact = backend::compile(matmul(8), {});
        QVERIFY(artifact);
        cache.put(matmul(8), {}, *artifact);
        const auto found = cache.find(matmul(8), {});
        QVERIFY(found);
        QCOMPARE(found->bytes, artifact->bytes);
        QVERIFY(found->entries == artifact->entries);
        QVERIFY(!cache.find(matmul(9), {}));
        target::Target other;
        other.threads = 1;
        QVERIFY(!cache.find(matmul(8), other));
    }

    void damagedFilesAreNotTaken()
    {
        const QTemporaryDir folder;
        const KernelCache cache(folder.path().toStdString());
        cache.put(matmul(8), {}, *backend::compile(matmul(8), {}));
        for (const auto &entry : std::filesystem::directory_iterator(folder.path().toStdString()))
            std::ofstream(entry.path(), std::ios::trunc) << "nonsense";
        QVERIFY(!cache.find(matmul(8), {}));
    }

    /// A kernel with any byte lost or changed is compiled and kept again.
    void everyDamageIsNoticed()
    {
        const QTemporaryDir folder;
        const KernelCache cache(folder.path().toStdString());
        const auto artifact = backend::compile(matmul(8), {});
        cache.put(matmul(8), {}, *artifact);
        const std::filesystem::path path =
            std::filesystem::directory_iterator(folder.path().toStdString())->path();
        std::ifstream file(path, std::ios::binary);
        const std::string whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        QVERIFY(readCachedKernel(whole).has_value());
        const auto write = [&](const std::string &text) {
            std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
        };
        const std::size_t number = whole.find('\n', whole.find('\n') + 1);
        std::string otherEnd = whole; // of a number
        otherEnd[number] = ' ';
        std::vector<std::string> damaged{otherEnd, "", std::string(whole.size(), '\0'), whole + 'x'};
        for (std::size_t i = 0; i < whole.size(); i += 1 + whole.size() / 97) {
            damaged.push_back(whole.substr(0, i));
            damaged.push_back(whole);
            damaged.back()[i] = static_cast<char>(damaged.back()[i] ^ 0x10);
        }
        for (const std::string &text : damaged) {
            write(text);
            QVERIFY(!cache.find(matmul(8), {}));
        }
        cache.put(matmul(8), {}, *artifact);
        QCOMPARE(cache.find(matmul(8), {})->bytes, artifact->bytes);
    }

    void keysAreComparedWhole()
    {
        const std::string text = cachedKernelText("key", "code");
        const auto kernel = readCachedKernel(text);
        QCOMPARE(kernel->key, std::string_view("key"));
        QCOMPARE(kernel->code, std::string_view("code"));
        // A file that is whole, but of another kernel, under this one's name.
        const QTemporaryDir folder;
        const KernelCache cache(folder.path().toStdString());
        cache.put(matmul(8), {}, *backend::compile(matmul(8), {}));
        const std::filesystem::path path =
            std::filesystem::directory_iterator(folder.path().toStdString())->path();
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
        QVERIFY(!cache.find(matmul(8), {}));
    }

    void sizesAndSumMustFitTheText()
    {
        const std::string text = cachedKernelText("key", "code");
        const std::size_t sizes = text.find('\n') + 1;
        QCOMPARE(text.substr(sizes, 4), std::string("3\n4\n"));
        std::string changed; // what is read points into it
        const auto read = [&](const std::string &other) {
            changed = text;
            return readCachedKernel(changed.replace(sizes, 4, other));
        };
        QVERIFY(read("3\n4\n"));
        // The sum of what follows is right: it says nothing of where the key ends.
        for (const char *wrong : {"3\n5\n", "3\n3\n", "8\n4\n", "7\n1\n", "03\n4\n", "3\n", "\n4\n", "3 4\n",
                                  "ffffffffffffffff\n8\n"})
            QVERIFY2(!read(wrong), wrong);
        QCOMPARE(read("7\n0\n")->key, std::string_view("keycode"));
        QCOMPARE(read("0\n7\n")->code, std::string_view("keycode"));
        const std::string empty = cachedKernelText("", "");
        QVERIFY(readCachedKernel(empty) && readCachedKernel(empty)->key.empty());
    }

    void keysNameTheTools()
    {
        QVERIFY(backend::toolVersion(target::TargetKind::Llvm).starts_with("LLVM "));
        QVERIFY(!backend::toolVersion(target::TargetKind::C).empty());
        const QTemporaryDir folder;
        const KernelCache cache(folder.path().toStdString());
        const target::Target c = *target::parseTarget("c");
        for (const target::Target &target : {target::Target(), c})
            cache.put(matmul(8), target, *backend::compile(matmul(8), target));
        std::set<std::string> tools;
        for (const auto &entry : std::filesystem::directory_iterator(folder.path().toStdString())) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
            const std::string key(readCachedKernel(text)->key);
            for (const auto kind : {target::TargetKind::Llvm, target::TargetKind::C}) {
                if (key.contains(backend::toolVersion(kind)))
                    tools.insert(backend::toolVersion(kind));
            }
        }
        QCOMPARE(tools.size(), std::size_t{2});
    }

    /// Parts of files that a killed process left go with the next trim, when they are old.
    void leftoversAreRemoved()
    {
        namespace fs = std::filesystem;
        const QTemporaryDir folder;
        const fs::path place = folder.path().toStdString();
        for (const char *name :
             {".a.kernel.nestwright-0123456789ab", "b.kernel.4711", "c.kernel", "trimmed"}) {
            std::ofstream(place / name) << "x";
            fs::last_write_time(place / name, fs::file_time_type::clock::now() - std::chrono::hours(2));
        }
        std::ofstream(place / ".d.kernel.nestwright-0123456789ab") << "being written";
        KernelCache(place).trim(1000);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden),
                 QStringList({".d.kernel.nestwright-0123456789ab", "c.kernel", "trimmed"}));
    }

    void theOldestAreRemoved()
    {
        const QTemporaryDir folder;
        const KernelCache cache(folder.path().toStdString());
        backend::Artifact large;
        large.bytes.assign(100'000, 'x');
        for (const std::int64_t size : {8, 9, 10})
            cache.put(matmul(size), {}, large);
        cache.trim(250'000);
        int left = 0;
        for ([[maybe_unused]] const auto &entry :
             std::filesystem::directory_iterator(folder.path().toStdString()))
            ++left;
        QCOMPARE(left, 2);
    }

    void filesAreCountedOnceInAnHour()
    {
        namespace fs = std::filesystem;
        const QTemporaryDir folder;
        const KernelCache cache(folder.path().toStdString());
        const fs::path mark = fs::path(folder.path().toStdString()) / "trimmed";
        const auto now = fs::file_time_type::clock::now();
        cache.trimNowAndThen();
        QVERIFY(fs::exists(mark));
        fs::last_write_time(mark, now - std::chrono::minutes(30));
        cache.trimNowAndThen();
        QVERIFY(fs::last_write_time(mark) < now - std::chrono::minutes(29));
        fs::last_write_time(mark, now - std::chrono::hours(2));
        cache.trimNowAndThen();
        QVERIFY(fs::last_write_time(mark) > now - std::chrono::minutes(1));
    }

    /// Whoever can write a kernel has it run here.
    void filesOfOthersAreNotTaken_data()
    {
        QTest::addColumn<QString>("change");
        for (const char *change : {"none", "a link", "writable by a group", "writable by all", "another's"})
            QTest::newRow(change) << change;
    }
    void filesOfOthersAreNotTaken()
    {
        namespace fs = std::filesystem;
        QFETCH(QString, change);
        const QTemporaryDir folder, elsewhere;
        const KernelCache cache(folder.path().toStdString());
        cache.put(matmul(8), {}, *backend::compile(matmul(8), {}));
        const fs::path path = fs::directory_iterator(folder.path().toStdString())->path();
        if (change == "a link") {
            const fs::path moved = elsewhere.filePath("moved").toStdString();
            fs::copy(path, moved);
            fs::remove(path);
            fs::create_symlink(moved, path);
        } else if (change == "writable by a group") {
            fs::permissions(path, fs::perms(0620));
        } else if (change == "writable by all") {
            fs::permissions(path, fs::perms(0602));
        } else if (change == "another's" && chown(path.c_str(), 65534, 65534) != 0) {
            QSKIP("only a superuser can give files away");
        }
        QCOMPARE(bool(cache.find(matmul(8), {})), change == "none");
    }

    void kernelsAreKeptFromOthersWhateverTheMask()
    {
        const QTemporaryDir folder;
        const mode_t before = umask(0);
        const KernelCache cache(folder.filePath("kernels").toStdString());
        cache.put(matmul(8), {}, *backend::compile(matmul(8), {}));
        umask(before);
        QVERIFY(cache.find(matmul(8), {}));
        const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
        QVERIFY(!(QFile::permissions(folder.filePath("kernels")) & others));
    }

    /// Files in a folder that others can write to may be theirs.
    void anOpenFolderIsEmptiedAndClosed()
    {
        namespace fs = std::filesystem;
        const QTemporaryDir folder;
        const fs::path place = folder.path().toStdString();
        KernelCache(place).put(matmul(8), {}, *backend::compile(matmul(8), {}));
        fs::permissions(place, fs::perms(0777));
        const KernelCache cache(place);
        QVERIFY(cache.refusal().empty());
        QVERIFY(!cache.find(matmul(8), {}));
        QCOMPARE(int(fs::status(place).permissions()), 0700);
        cache.put(matmul(8), {}, *backend::compile(matmul(8), {}));
        QVERIFY(cache.find(matmul(8), {}));
    }

    void foldersOfOthersAreRefused()
    {
        namespace fs = std::filesystem;
        const QTemporaryDir folder;
        const fs::path place = folder.filePath("kernels").toStdString(),
                       link = folder.filePath("link").toStdString();
        KernelCache(place).put(matmul(8), {}, *backend::compile(matmul(8), {}));
        fs::create_symlink(place, link);
        const KernelCache linked(link);
        QVERIFY(linked.refusal().contains("link"));
        QVERIFY(!linked.find(matmul(8), {}));
        if (chown(place.c_str(), 65534, 65534) != 0)
            QSKIP("only a superuser can give folders away");
        const KernelCache others(place);
        QVERIFY(others.refusal().contains("another user's"));
        QVERIFY(!others.find(matmul(8), {}));
        others.put(matmul(9), {}, *backend::compile(matmul(9), {}));
        QCOMPARE(std::distance(fs::directory_iterator(place), fs::directory_iterator()), 1);
    }

    void noFolderIsNoCache()
    {
        const KernelCache cache{std::filesystem::path()};
        cache.put(matmul(8), {}, {});
        QVERIFY(!cache.find(matmul(8), {}));
    }
};

QTEST_GUILESS_MAIN(KernelCacheTest)
#include "kernel_cache_test.moc"
