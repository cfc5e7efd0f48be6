// SPDX-License-Identifier: Apache-2.0
#include "core/target/machine_file.h"

#include "core/support/text/json.h"
#include "core/target/machine.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace nestwright;
using support::Json;
using target::Machine;

class MachineTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string written(const std::string &text) const
    {
        const std::string path = m_folder.filePath(QStringLiteral("machine.json")).toStdString();
        std::ofstream(path) << text;
        return path;
    }

private Q_SLOTS:
    /// The sizes that were found by trial follow from the caches they were found on.
    void tunedMachineIsFitted()
    {
        const Machine &tuned = target::tunedMachine();
        QCOMPARE(tuned.first, Machine().first);
        QCOMPARE(tuned.second, Machine().second);
        QCOMPARE(tuned.vectors, Machine().vectors);
    }

    void sizesFollowTheCaches()
    {
        Machine machine;
        machine.vectors = {.bytes = 32, .registers = 16};
        machine.levels = {{"L1", 32 * target::kilobyte, 0, 8}, {"L2", 256 * target::kilobyte, 0, 4}};
        target::fitSizes(machine);
        QCOMPARE(machine.vectors.sums, 12);
        QCOMPARE(machine.lanes(4), 8);
        QCOMPARE(machine.first.sets, 64);
        QCOMPARE(machine.first.waysOfTile, 5);
        QVERIFY(machine.first.tile <= machine.levels[0].bytes / 2);
        QCOMPARE(machine.second.kept, 128 * target::kilobyte);
        QCOMPARE(machine.second.passing, 256 * target::kilobyte);
    }

    void unknownCachesLeaveSizesAlone()
    {
        Machine machine;
        const Machine before = machine;
        target::fitSizes(machine);
        QCOMPARE(machine.first, before.first);
        QCOMPARE(machine.second, before.second);
    }

    void jsonComesBack()
    {
        Machine machine = target::tunedMachine();
        machine.flops = 1e11;
        machine.levels.push_back({"DRAM", 0, 2e10});
        machine.threads = 12;
        const auto again = target::machineFrom(target::toJson(machine), Machine());
        QVERIFY(again);
        QCOMPARE(*again, machine);
    }

    /// Members that a file leaves out stay as they were.
    void fileNamesSomeMembers()
    {
        const auto machine = target::readMachine(written(R"({"vector_bytes": 16, "threads": 3})"));
        QVERIFY(machine);
        QCOMPARE(machine->vectors.bytes, 16);
        QCOMPARE(machine->threads, 3);
        QCOMPARE(machine->levels, target::tunedMachine().levels);
    }

    void badFiles_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        const auto row = [](const char *name, const char *text, const char *code) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(code);
        };
        row("no JSON", "vectors: 64", "machine.file");
        row("a list", "[1]", "machine.file");
        row("nested deeply", (std::string(100'000, '[')).c_str(), "machine.file");
        row("a fraction", R"({"threads": 1.5})", "machine.value");
        row("no threads", R"({"threads": 0})", "machine.value");
        row("vast", R"({"threads": 18446744073709551615})", "machine.value");
        row("no power of two", R"({"vector_bytes": 48})", "machine.value");
        row("caches of text", R"({"caches": ["32k"]})", "machine.value");
        row("caches of nothing", R"({"caches": [{"bytes": 0}]})", "machine.value");
        row("caches below a line", R"({"caches": [{"bytes": 64, "ways": 8}]})", "machine.value");
        row("a negative rate", R"({"flops": -1})", "machine.value");
        row("many caches", R"({"caches": [{}, {}, {}, {}, {}]})", "machine.value");
    }
    void badFiles()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, code);
        const std::string path = written(text.toStdString());
        const auto machine = target::readMachine(path);
        QVERIFY(!machine);
        QCOMPARE(machine.error().code, code.toStdString());
        QVERIFY(!machine.error().hint.empty() || code == QStringLiteral("machine.file"));
        QCOMPARE(machine.error().locations.front().file, path);
    }

    void missingFile() { QVERIFY(!target::readMachine("no/such/machine.json")); }
};

QTEST_GUILESS_MAIN(MachineTest)
#include "machine_test.moc"
