// SPDX-License-Identifier: Apache-2.0
// How lanes meet in banks and sectors, against a count of all lanes by hand, and what programs do.
#include "core/analysis/device/warp_accesses.h"

#include "core/ir/threads.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <map>
#include <random>
#include <set>

using namespace nestwright;
using namespace nestwright::analysis;
using namespace nestwright::tests;

namespace {

std::vector<LaneAccess> lanes(const std::function<std::int64_t(int lane)> &address, int bytes)
{
    std::vector<LaneAccess> all;
    for (int lane = 0; lane < ir::warpSize; ++lane)
        all.push_back({address(lane), bytes});
    return all;
}

/// By the definition: each group of lanes that is served at once, each bank, each of its words.
int countedDegree(const std::vector<LaneAccess> &all, int bytes)
{
    const std::size_t group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    std::size_t degree = 1;
    for (std::size_t first = 0; first < all.size(); first += group) {
        std::map<std::int64_t, std::set<std::int64_t>> wordsOf;
        for (std::size_t lane = first; lane < std::min(first + group, all.size()); ++lane) {
            for (std::int64_t byte = all[lane].address; byte < all[lane].address + all[lane].bytes; ++byte)
                wordsOf[byte / 4 % 32].insert(byte / 4);
        }
        for (const auto &[bank, words] : wordsOf)
            degree = std::max(degree, words.size());
    }
    return static_cast<int>(degree);
}

Sectors countedSectors(const std::vector<LaneAccess> &all)
{
    std::set<std::int64_t> sectors, bytes;
    for (const LaneAccess &lane : all) {
        for (std::int64_t byte = lane.address; byte < lane.address + lane.bytes; ++byte) {
            sectors.insert(byte / 32);
            bytes.insert(byte);
        }
    }
    return {static_cast<int>(sectors.size()), static_cast<int>((bytes.size() + 31) / 32)};
}

/// "A read 1 4/4", …: the buffer, what is done, the degree, the sectors and the fewest.
QStringList accessesOf(const QString &body)
{
    const ir::Module module = parsed(("@T.prim_func\ndef main(A: T.Buffer((4096,), \"float32\"), "
                                      "B: T.Buffer((4096,), \"float32\"), n: T.int32):"
                                      + body)
                                         .toStdString());
    QStringList found;
    for (const WarpAccess &access : warpAccesses(*module.mainEntry()->function))
        found << QStringLiteral("%1 %2 %3 %4/%5")
                     .arg(QString::fromStdString(access.buffer.name()),
                          access.isStore ? QStringLiteral("write") : QStringLiteral("read"))
                     .arg(access.conflictDegree)
                     .arg(access.sectors.touched)
                     .arg(access.sectors.fewest);
    return found;
}

} // namespace

class WarpAccessesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void conflicts()
    {
        QCOMPARE(bankConflictDegree(lanes([](int lane) { return lane * 4; }, 4)), 1);
        QCOMPARE(bankConflictDegree(lanes([](int) { return 64; }, 4)), 1); // all read one word
        QCOMPARE(bankConflictDegree(lanes([](int lane) { return lane * 8; }, 4)), 2);
        QCOMPARE(bankConflictDegree(lanes([](int lane) { return lane * 128; }, 4)), 32);
        QCOMPARE(bankConflictDegree(lanes([](int lane) { return lane * 132; }, 4)), 1);
        QCOMPARE(bankConflictDegree(lanes([](int lane) { return lane; }, 1)), 1);
        QCOMPARE(bankConflictDegree(lanes([](int lane) { return lane * 8; }, 8)), 1);
        QCOMPARE(bankConflictDegree(lanes([](int lane) { return lane * 16; }, 16)), 1);
        QCOMPARE(bankConflictDegree(lanes([](int lane) { return lane * 64; }, 16)), 4);
        QCOMPARE(bankConflictDegree({}), 1);
    }

    void sectors()
    {
        const auto are = [](const std::vector<LaneAccess> &all, int touched, int fewest) {
            const Sectors found = sectorsOf(all);
            return found.touched == touched && found.fewest == fewest;
        };
        QVERIFY(are(lanes([](int lane) { return lane * 4; }, 4), 4, 4));
        QVERIFY(are(lanes([](int lane) { return lane * 4 + 4; }, 4), 5, 4));
        QVERIFY(are(lanes([](int lane) { return lane * 128; }, 4), 32, 4));
        QVERIFY(are(lanes([](int) { return 0; }, 4), 1, 1));
        QVERIFY(are(lanes([](int lane) { return (31 - lane) * 16; }, 16), 16, 16));
        QVERIFY(are({}, 0, 0));
    }

    /// Equal to the counts for random layouts: rows that are padded, swizzled, read by columns, at random.
    void randomLayouts()
    {
        std::mt19937_64 random(qEnvironmentVariable("NESTWRIGHT_FUZZ_SEED", "1").toULongLong());
        const auto number = [&](std::int64_t most) {
            return static_cast<std::int64_t>(random() % (most + 1));
        };
        for (int i = 0; i < 3000; ++i) {
            const int bytes = 1 << number(4);
            const std::int64_t row = number(200), column = number(4), swizzle = number(31),
                               wide = 1 + number(31);
            const std::int64_t kind = number(2);
            std::vector<LaneAccess> all = lanes(
                [&](int lane) {
                    const std::int64_t index = kind == 0   ? lane / wide * row + lane % wide * column
                                               : kind == 1 ? (lane ^ swizzle) * row + (lane & swizzle)
                                                           : number(2000);
                    return index * bytes;
                },
                bytes);
            all.resize(1 + number(31));
            if (number(3) == 0)
                all[number(static_cast<std::int64_t>(all.size()) - 1)].bytes = 0;
            const int group = std::ranges::max(all, {}, &LaneAccess::bytes).bytes;
            QCOMPARE(bankConflictDegree(all), countedDegree(all, group));
            const Sectors found = sectorsOf(all), counted = countedSectors(all);
            QCOMPARE(found.touched, counted.touched);
            QCOMPARE(found.fewest, counted.fewest);
        }
    }

    void programs_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QStringList>("accesses");
        QTest::newRow("neighbours") << R"(
    for b in T.thread_binding(16, thread="blockIdx.x"):
        for t in T.thread_binding(256, thread="threadIdx.x"):
            B[b * 256 + t] = A[b * 256 + t]
)" << QStringList{"B write 1 4/4", "A read 1 4/4"};
        QTest::newRow("columns of the device's memory") << R"(
    for t in T.thread_binding(32, thread="threadIdx.x"):
        for i in range(32):
            B[t * 32 + i] = A[i * 32 + t]
)" << QStringList{"B write 1 32/4", "A read 1 4/4"};
        QTest::newRow("columns of shared memory") << R"(
    with T.decl_buffer((1024,), scope="shared") as S:
        for y in T.thread_binding(8, thread="threadIdx.y"):
            for x in T.thread_binding(32, thread="threadIdx.x"):
                for i in range(4):
                    S[(i * 8 + y) * 32 + x] = A[(i * 8 + y) * 32 + x]
                for i in range(4):
                    B[(i * 8 + y) * 32 + x] = S[x * 32 + i * 8 + y]
)" << QStringList{"S write 1 0/0", "A read 1 4/4", "B write 1 4/4", "S read 32 0/0"};
        QTest::newRow("rows that are spaced") << R"(
    with T.decl_buffer((1056,), scope="shared") as S:
        for x in T.thread_binding(32, thread="threadIdx.x"):
            for i in range(32):
                S[i * 33 + x] = A[i * 32 + x]
            for i in range(32):
                B[i * 32 + x] = S[x * 33 + i]
)" << QStringList{"S write 1 0/0", "A read 1 4/4", "B write 1 4/4", "S read 1 0/0"};
        QTest::newRow("vectors") << R"(
    for x in T.thread_binding(64, thread="threadIdx.x"):
        B[T.Ramp(x * 4, 1, 4)] = A[T.Ramp(x * 4, 1, 4)]
)" << QStringList{"B write 1 16/16", "A read 1 16/16"};
        QTest::newRow("some threads only") << R"(
    for x in T.thread_binding(64, thread="threadIdx.x"):
        if x < 8:
            B[x * 8] = A[x]
)" << QStringList{"B write 1 8/1", "A read 1 1/1"};
        QTest::newRow("what depends on data or sizes is left out") << R"(
    for x in T.thread_binding(64, thread="threadIdx.x"):
        B[x] = A[T.Cast("int32", A[x])] + A[x * n]
)" << QStringList{"B write 1 4/4", "A read 1 4/4"};
        QTest::newRow("no threads") << R"(
    for i in range(64):
        B[i] = A[i]
)" << QStringList{"B write 1 1/1", "A read 1 1/1"};
    }
    void programs()
    {
        QFETCH(QString, body);
        QTEST(accessesOf(body), "accesses");
    }
};

QTEST_GUILESS_MAIN(WarpAccessesTest)
#include "warp_accesses_test.moc"
