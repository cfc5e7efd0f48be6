// SPDX-License-Identifier: Apache-2.0
// Registers of processors come from the target, whatever machine this is.
#include "core/backend/vector_unit.h"

#include "core/backend/backend.h"

#include <QtTest>

using namespace nestwright;

class VectorUnitTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ofProcessors_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("bits");
        QTest::addColumn<int>("registers");
        QTest::newRow("SSE") << "llvm -mcpu=x86-64 -mtriple=x86_64-linux-gnu" << 128 << 16;
        QTest::newRow("AVX2") << "llvm -mcpu=haswell -mtriple=x86_64-linux-gnu" << 256 << 16;
        QTest::newRow("AVX-512") << "llvm -mcpu=skylake-avx512 -mtriple=x86_64-linux-gnu" << 512 << 32;
        QTest::newRow("NEON") << "llvm -mtriple=aarch64-linux-gnu" << 128 << 32;
    }

    void ofProcessors()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
        QFETCH(QString, target);
        const auto unit = backend::vectorUnitOf(target::parseTarget(target.toStdString()).value());
        QVERIFY(unit);
        QTEST(unit->bits, "bits");
        QTEST(unit->registers, "registers");
    }

    void othersAreNotKnown()
    {
        for (const char *target : {"c", "cuda", "opencl", "llvm -mcpu=nonsense"})
            QVERIFY2(!backend::vectorUnitOf(target::parseTarget(target).value()), target);
    }

    void ratesByModelsOfProcessors_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("multiplyAdds");
        QTest::addColumn<int>("latency");
        QTest::addColumn<int>("loads");
        QTest::addRow("fused") << "llvm -mcpu=haswell" << 2 << 5 << 2;
        QTest::addRow("512 bits") << "llvm -mcpu=skylake-avx512" << 2 << 4 << 2;
        QTest::addRow("a product, then a sum") << "llvm -mcpu=x86-64-v2" << 1 << 3 << 2;
        QTest::addRow("AVX without FMA") << "llvm -mcpu=sandybridge" << 1 << 3 << 2;
        QTest::addRow("Arm") << "llvm -mcpu=cortex-a72 -mtriple=aarch64-linux-gnu" << 1 << 4 << 1;
    }
    void ratesByModelsOfProcessors()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
        QFETCH(QString, target);
        QFETCH(int, multiplyAdds);
        QFETCH(int, latency);
        QFETCH(int, loads);
        const auto unit = backend::vectorUnitOf(target::parseTarget(target.toStdString()).value());
        QVERIFY(unit.has_value());
        QCOMPARE(unit->multiplyAdds, multiplyAdds);
        QCOMPARE(unit->latency, latency);
        QCOMPARE(unit->loads, loads);
    }
};

QTEST_GUILESS_MAIN(VectorUnitTest)
#include "vector_unit_test.moc"
