// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/packed_arithmetic.h"

#include <QtTest>

using namespace nestwright;

class PackedArithmeticTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linesOfAssembly()
    {
        for (const char *line : {"\tvfmadd231ps\t(%rdi), %zmm0, %zmm1", "  addps %xmm0, %xmm1",
                                 "\tvpmaddwd\t%ymm0, %ymm1, %ymm2", "\tvmulpd %ymm0, %ymm1, %ymm2",
                                 "\tfmla\tv0.4s, v1.4s, v2.s[0]", "\tvpdpbusd %zmm1, %zmm2, %zmm3"})
            QVERIFY2(suggest::isPackedArithmetic(line), line);
        for (const char *line :
             {"\tvfmadd231ss\t(%rdi), %xmm0, %xmm1", "\tvmovups (%rdi), %ymm0", "\taddq $32, %rax", "# addps",
              "\tvaddsd %xmm0, %xmm1, %xmm1", "\tfmadd s0, s1, s2, s0", "\tvbroadcastss (%rax), %ymm0", ""})
            QVERIFY2(!suggest::isPackedArithmetic(line), line);
    }
};

QTEST_APPLESS_MAIN(PackedArithmeticTest)
#include "packed_arithmetic_test.moc"
