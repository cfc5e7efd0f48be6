// SPDX-License-Identifier: Apache-2.0
#include "core/graph/kernel_cache.h"

#include "core/backend/backend.h"
#include "core/ops/operator.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

using namespace nestwright;
using namespace nestwright::graph;

namespace {

ir::Module matmul(std::int64_t size)
{
    return *ops::makeOp("matmul", {{"M", size}, {"N", size}, {"K", size}});
}

} // namespace

class KernelCacheTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsPutIsFound()
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
        lower::Target other;
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

    void noFolderIsNoCache()
    {
        const KernelCache cache{std::filesystem::path()};
        cache.put(matmul(8), {}, {});
        QVERIFY(!cache.find(matmul(8), {}));
    }
};

QTEST_GUILESS_MAIN(KernelCacheTest)
#include "kernel_cache_test.moc"
