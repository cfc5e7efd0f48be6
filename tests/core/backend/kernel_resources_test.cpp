// SPDX-License-Identifier: Apache-2.0
// Blocks of a kernel that a multiprocessor holds: the answers of NVIDIA's occupancy calculator.
#include "core/backend/device/kernel_resources.h"

#include <QtTest>

using namespace nestwright::backend;
using namespace nestwright::target;

class KernelResourcesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void occupancy_data()
    {
        QTest::addColumn<QString>("architecture");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("registers");
        QTest::addColumn<int>("shared");
        QTest::addColumn<int>("blocks");
        QTest::addColumn<int>("warps");
        QTest::addColumn<int>("limit");
        QTest::addColumn<int>("forOneMore");
        const auto row = [](const char *name, const char *architecture, int threads, int registers,
                            int shared, int blocks, int warps, OccupancyLimit limit, int forOneMore = -1) {
            QTest::newRow(name) << architecture << threads << registers << shared << blocks << warps
                                << static_cast<int>(limit) << forOneMore;
        };
        using enum OccupancyLimit;
        row("full", "sm_90", 256, 32, 0, 8, 64, Warps);
        row("128 registers", "sm_90", 256, 128, 0, 2, 16, Registers, 80);
        row("registers by four warps", "sm_80", 96, 168, 0, 4, 12, Registers, 128);
        row("shared memory", "sm_90", 256, 32, 48 * 1024, 4, 32, SharedMemory, 45568);
        row("one block of shared memory", "sm_80", 128, 32, 100 * 1024, 1, 4, SharedMemory, 82944);
        row("small blocks", "sm_80", 32, 16, 0, 32, 32, Blocks);
        row("a part of a warp counts whole", "sm_80", 33, 16, 0, 32, 64, Warps);
        row("blocks of 48 warps", "sm_86", 128, 40, 0, 12, 48, Warps);
        row("the greatest block", "sm_75", 1024, 64, 0, 1, 32, Warps);
        row("too many registers", "sm_90", 1024, 128, 0, 0, 0, Registers, 64);
        row("too much shared memory", "sm_80", 128, 32, 200 * 1024, 0, 0, SharedMemory, 163 * 1024);
    }
    void occupancy()
    {
        QFETCH(QString, architecture);
        QFETCH(int, threads);
        QFETCH(int, registers);
        QFETCH(int, shared);
        const Multiprocessor *processor = multiprocessorOf(architecture.toStdString());
        QVERIFY(processor);
        KernelResources resources;
        resources.threads = threads;
        resources.registers = registers;
        resources.sharedBytes = shared;
        const Occupancy occupancy = occupancyOf(resources, *processor);
        QTEST(occupancy.blocks, "blocks");
        QTEST(occupancy.warps, "warps");
        QTEST(static_cast<int>(occupancy.limit), "limit");
        QTEST(static_cast<int>(occupancy.forOneMore.value_or(-1)), "forOneMore");
        QCOMPARE(occupancy.mostWarps, processor->warps);
        if (!occupancy.forOneMore)
            return;
        const auto blocksWith = [&](std::int64_t amount) {
            KernelResources other = resources;
            if (occupancy.limit == OccupancyLimit::SharedMemory)
                other.sharedBytes = amount;
            else
                other.registers = static_cast<int>(amount);
            return occupancyOf(other, *processor).blocks;
        };
        QVERIFY(blocksWith(*occupancy.forOneMore) > occupancy.blocks);
        QCOMPARE(blocksWith(*occupancy.forOneMore + 1), occupancy.blocks);
    }

    /// Memory that the system takes for itself may leave no room for another block, however small a block is.
    void lessWouldNotAlwaysDo()
    {
        Multiprocessor processor = *multiprocessorOf("sm_90");
        processor.sharedBytes = 2048;
        processor.sharedOfBlock = processor.sharedReserved = 1024;
        KernelResources resources;
        resources.threads = 32;
        resources.registers = 16;
        resources.sharedBytes = 100;
        const Occupancy roomy = occupancyOf(resources, processor);
        QCOMPARE(roomy.blocks, 1);
        QCOMPARE(roomy.forOneMore, std::optional(std::int64_t{0}));
        processor.sharedBytes = 1536;
        const Occupancy full = occupancyOf(resources, processor);
        QCOMPARE(full.blocks, 1);
        QCOMPARE(full.limit, OccupancyLimit::SharedMemory);
        QVERIFY(!full.forOneMore);
        QVERIFY(occupancySentence(resources, full).ends_with("; there is no room for one more"));
        resources.sharedBytes = 0;
        QVERIFY(!occupancyOf(resources, processor).forOneMore);
    }

    void inWords_data()
    {
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("registers");
        QTest::addColumn<int>("shared");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("full") << 256 << 32 << 0 << "8 blocks of 256 threads run side by side, all 64 warps";
        QTest::newRow("registers") << 256 << 128 << 0
                                   << "2 blocks of 256 threads run side by side, 16 of 64 warps; with 80 "
                                      "registers instead of 128 one more would";
        QTest::newRow("one") << 1024 << 32 << 200000
                             << "1 block of 1024 threads runs at a time, 32 of 64 warps; with 115712 bytes "
                                "shared instead of 200000 one more would";
        QTest::newRow("none") << 1024 << 128 << 0
                              << "No block of 1024 threads fits; with 64 registers instead of 128 one would";
        QTest::newRow("two limits")
            << 1024 << 64 << 200000
            << "1 block of 1024 threads runs at a time, 32 of 64 warps; there is no room "
               "for one more";
        QTest::newRow("small")
            << 32 << 16 << 0
            << "32 blocks of 32 threads run side by side, 32 of 64 warps; larger blocks would "
               "fill the rest";
        QTest::newRow("a rest")
            << 768 << 16 << 0
            << "2 blocks of 768 threads run side by side, 48 of 64 warps; there is no room "
               "for one more";
    }
    void inWords()
    {
        QFETCH(int, threads);
        QFETCH(int, registers);
        QFETCH(int, shared);
        KernelResources resources;
        resources.threads = threads;
        resources.registers = registers;
        resources.sharedBytes = shared;
        const Occupancy occupancy = occupancyOf(resources, *multiprocessorOf("sm_90"));
        QTEST(QString::fromStdString(occupancySentence(resources, occupancy)), "sentence");
    }

    void whichCodeRunsWhere()
    {
        QVERIFY(runsOn("sm_80", "sm_80") && runsOn("sm_80", "sm_86") && runsOn("sm_90a", "sm_90"));
        QVERIFY(!runsOn("sm_86", "sm_80")); // newer than the GPU
        QVERIFY(!runsOn("sm_70", "sm_80")); // of another generation
        QVERIFY(!runsOn("sm_90", "sm_100"));
        QVERIFY(!runsOn("sm_100a", "sm_103")); // with what later ones do not have
        QVERIFY(!runsOn("", "sm_80") && !runsOn("gfx90a", "sm_90"));
    }

    void whatAKernelTakes()
    {
        KernelResources resources;
        resources.registers = 48;
        QCOMPARE(resourcesText(resources), std::string("48 registers"));
        resources.sharedBytes = 8192;
        QCOMPARE(resourcesText(resources), std::string("48 registers, 8192 bytes shared"));
        resources.spillStores = 8;
        QCOMPARE(resourcesText(resources), std::string("48 registers, 8192 bytes shared, 8 bytes spilled"));
        resources.spillStores = 0;
        resources.spillLoads = 4; // of what was stored before
        QVERIFY(resourcesText(resources).ends_with(", 0 bytes spilled"));
    }

    void occupancyNeedsThreadsAndAnArchitecture()
    {
        KernelResources resources;
        resources.architecture = "sm_90";
        resources.registers = 32;
        QVERIFY(!occupancyOf(resources));
        resources.threads = 1;
        QCOMPARE(occupancyOf(resources)->blocks, 32);
        resources.architecture = "sm_1";
        QVERIFY(!occupancyOf(resources));
    }

    void limitsHaveNames()
    {
        QCOMPARE(limitName(OccupancyLimit::Warps), std::string_view("warps"));
        QCOMPARE(limitName(OccupancyLimit::Blocks), std::string_view("blocks"));
        QCOMPARE(limitName(OccupancyLimit::Registers), std::string_view("registers"));
        QCOMPARE(limitName(OccupancyLimit::SharedMemory), std::string_view("shared-memory"));
    }

    void architecturesByName()
    {
        QCOMPARE(multiprocessorOf("sm_90a"), multiprocessorOf("sm_90"));
        QCOMPARE(multiprocessorOf("sm_100f")->architecture, std::string_view("sm_100"));
        QVERIFY(!multiprocessorOf("sm_35"));
        QVERIFY(!multiprocessorOf(""));
    }
};

QTEST_GUILESS_MAIN(KernelResourcesTest)
#include "kernel_resources_test.moc"
