// SPDX-License-Identifier: Apache-2.0
// Caches of processors by name.
#include "core/target/processors.h"

#include <QtTest>

using namespace nestwright;

class ProcessorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void caches_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QList<int>>("kilobytes");
        QTest::addRow("haswell") << "haswell" << QList<int>{32, 256, 8192};
        QTest::addRow("znver4") << "znver4" << QList<int>{32, 1024, 32768};
        QTest::addRow("the second name of a row") << "cascadelake" << QList<int>{32, 1024, 11264};
        QTest::addRow("no third cache") << "cortex-a72" << QList<int>{32, 1024};
    }
    void caches()
    {
        QFETCH(QString, name);
        QFETCH(QList<int>, kilobytes);
        const auto levels = target::cachesOf(name.toStdString());
        QVERIFY(levels.has_value());
        QCOMPARE(levels->size(), static_cast<std::size_t>(kilobytes.size()) + 1);
        for (int i = 0; i < kilobytes.size(); ++i) {
            const target::MemoryLevel &level = (*levels)[static_cast<std::size_t>(i)];
            QCOMPARE(level.bytes, kilobytes[i] * target::kilobyte);
            QCOMPARE(level.sets() * level.ways * level.lineBytes, level.bytes);
        }
        QCOMPARE(levels->back().name, std::string("DRAM"));
    }

    void namesOfInstructionsAlone()
    {
        for (const char *name : {"", "x86-64", "x86-64-v3", "native", "generic", "hasw", "core"})
            QVERIFY2(!target::cachesOf(name), name);
    }

    void whereModelsOfCompilersAreWrong()
    {
        QCOMPARE(target::multiplyAddsOf("sapphirerapids", 512), 2);
        QCOMPARE(target::multiplyAddsOf("sapphirerapids", 256), 0);
        QCOMPARE(target::multiplyAddsOf("znver4", 512), 0);
    }
};

QTEST_GUILESS_MAIN(ProcessorsTest)
#include "processors_test.moc"
