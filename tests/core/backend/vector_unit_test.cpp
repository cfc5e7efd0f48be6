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
};

QTEST_GUILESS_MAIN(VectorUnitTest)
#include "vector_unit_test.moc"
