// SPDX-License-Identifier: Apache-2.0
// Rates of this machine for code of narrower vectors than it has.
#include "core/backend/vector_unit.h"
#include "core/measure/machine/this_machine.h"

#include <QtTest>

using namespace nestwright;

class ThisMachineTest : public QObject {
    Q_OBJECT

    static target::Machine machineOf(const char *text)
    {
        return measure::machineOf(target::parseTarget(text).value());
    }

private Q_SLOTS:
    void initTestCase() { qunsetenv("NESTWRIGHT_MACHINE"); } // another machine's file

    /// At least the share of the width, and all where the processor takes its widest vectors in two halves.
    void narrowerVectors()
    {
        const auto unit = backend::vectorUnitOf({});
        if (!unit || unit->bits < 256 || QSysInfo::currentCpuArchitecture() != QLatin1String("x86_64"))
            QSKIP("this processor has no vectors of AVX");
        const target::Machine widest = machineOf("llvm");
        for (const auto &[text, bits] :
             {std::pair{"llvm -mcpu=x86-64-v3", 256}, std::pair{"llvm -mcpu=x86-64", 128}}) {
            const target::Machine narrow = machineOf(text);
            QCOMPARE(narrow.vectors.bits(), bits);
            QVERIFY(narrow.flops <= widest.flops * 1.0001);
            QVERIFY(narrow.flops >= widest.flops * bits / widest.vectors.bits() * 0.9999);
        }
        if (unit->processor == "znver4")
            QCOMPARE(machineOf("llvm -mcpu=x86-64-v3").flops, widest.flops);
        QCOMPARE(measure::machineToScheduleFor({}).flops, 0.0);
    }
};

QTEST_APPLESS_MAIN(ThisMachineTest)
#include "this_machine_test.moc"
