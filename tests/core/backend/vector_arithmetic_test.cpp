// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/isa/processor_family.h"

#include <QtTest>

using namespace nestwright;

namespace {

/// Of the family that knows it.
std::optional<backend::Arithmetic> arithmeticOf(const char *line)
{
    for (const backend::ProcessorFamily *family : backend::processorFamilies()) {
        if (auto found = family->arithmeticOf(line))
            return found;
    }
    return std::nullopt;
}

bool isPackedArithmetic(const char *line)
{
    const auto found = arithmeticOf(line);
    return found && found->lanes > 1;
}

} // namespace

class VectorArithmeticTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linesOfAssembly()
    {
        for (const char *line : {"\tvfmadd231ps\t(%rdi), %zmm0, %zmm1", "  addps %xmm0, %xmm1",
                                 "\tvpmaddwd\t%ymm0, %ymm1, %ymm2", "\tvmulpd %ymm0, %ymm1, %ymm2",
                                 "\tfmla\tv0.4s, v1.4s, v2.s[0]", "\tvpdpbusd %zmm1, %zmm2, %zmm3",
                                 "\t{vex}\tvpdpbusd\t%ymm0, %ymm1, %ymm2", "\tusdot\tv0.4s, v1.16b, v2.16b"})
            QVERIFY2(isPackedArithmetic(line), line);
        for (const char *line :
             {"\tvfmadd231ss\t(%rdi), %xmm0, %xmm1", "\tvmovups (%rdi), %ymm0", "\taddq $32, %rax", "# addps",
              "\tvaddsd %xmm0, %xmm1, %xmm1", "\tfmadd s0, s1, s2, s0", "\tvbroadcastss (%rax), %ymm0", ""})
            QVERIFY2(!isPackedArithmetic(line), line);
    }

    void everyFamilyIsKnown()
    {
        for (const char *line : {"subpd %a, %b",
                                 "mulph %a, %b",
                                 "divps %a, %b",
                                 "minpd %a, %b",
                                 "maxps %a, %b",
                                 "sqrtps %a, %b",
                                 "vfmsub213pd %a, %b",
                                 "vfnmadd132ph %a, %b",
                                 "fnmsub231ps %a, %b",
                                 "paddd %a, %b",
                                 "vpsubw %a, %b",
                                 "vpmulld %a, %b",
                                 "pmaxsd %a, %b",
                                 "vpminud %a, %b",
                                 "pslld $1, %a",
                                 "vpsrlq $1, %a",
                                 "psrad $1, %a",
                                 "add\tz3.d, z1.d, z2.d",
                                 "smax v1.8h, v2.8h, v3.8h",
                                 "umin v1.16b, v2.16b, v3.16b",
                                 "mla v1.2s, v2.2s, v3.2s",
                                 "fmls v1.2d, v2.2d, v3.2d"})
            QVERIFY2(isPackedArithmetic(line), line);
    }

    void whatOnlyLooksLikeIt()
    {
        for (const char *line :
             {"addps", "\taddps", "addpsx %a, %b", "vaddss %a, %b", "fmadd231 %a, %b", "pand %a, %b",
              "add x0, x1, x2", "fadd s0, s1, s2", "add v.4s, v1.4s, v2.4s", "add v1.s, v2.s, v3.s",
              "add v1 4s", "add z.d, z1.d, z2.d", "fmla q0, q1, q2", "mov v1.4s, v2.4s", "add v1.4q, v2.4q"})
            QVERIFY2(!isPackedArithmetic(line), line);
    }

    void lanesAndOperations()
    {
        using backend::Arithmetic;
        const auto of = [](const char *line) { return arithmeticOf(line).value(); };
        QVERIFY((of("\tvfmadd231ps\t(%rdi), %zmm0, %zmm1") == Arithmetic{16, true, true}));
        QVERIFY((of("vfmadd231pd %ymm2, %ymm0, %ymm1") == Arithmetic{4, true, true}));
        QVERIFY((of("vaddss %xmm0, %xmm1, %xmm2") == Arithmetic{1, true, false}));
        QVERIFY((of("vsqrtsd %xmm0, %xmm1, %xmm2") == Arithmetic{1, true, false}));
        QVERIFY((of("mulph %xmm0, %xmm1") == Arithmetic{8, true, false}));
        QVERIFY((of("vpaddb %ymm0, %ymm1, %ymm2") == Arithmetic{32, false, false}));
        QVERIFY((of("vpmullw %ymm0, %ymm1, %ymm2") == Arithmetic{16, false, false}));
        QVERIFY((of("vpaddq %zmm0, %zmm1, %zmm2") == Arithmetic{8, false, false}));
        QVERIFY((of("vpmaddwd %zmm0, %zmm1, %zmm2") == Arithmetic{16, false, true}));
        QVERIFY((of("vpmaddubsw %zmm0, %zmm1, %zmm2") == Arithmetic{32, false, true}));
        QVERIFY((of("vpdpbusd %ymm0, %ymm1, %ymm2") == Arithmetic{8, false, true}));
        QVERIFY((of("vdpbf16ps %zmm0, %zmm1, %zmm2") == Arithmetic{16, true, true}));
        QVERIFY((of("fmla\tv0.4s, v1.4s, v2.s[0]") == Arithmetic{4, true, true}));
        QVERIFY((of("fadd v0.2d, v1.2d, v2.2d") == Arithmetic{2, true, false}));
        QVERIFY((of("sdot v0.4s, v1.16b, v2.16b") == Arithmetic{4, false, true}));
        QVERIFY((of("fmla z0.h, p0/m, z1.h, z2.h") == Arithmetic{8, true, true}));
        QVERIFY((of("fmadd s0, s1, s2, s3") == Arithmetic{1, true, true}));
        for (const char *line :
             {"fmov s0, s1", "add w0, w1, w2", "vmovups (%rdi), %zmm0", "ret", "mul x0, x1, x2"})
            QVERIFY2(!arithmeticOf(line), line);
    }
};

QTEST_APPLESS_MAIN(VectorArithmeticTest)
#include "vector_arithmetic_test.moc"
