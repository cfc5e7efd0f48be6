// SPDX-License-Identifier: Apache-2.0
// Exports for a named processor: nothing beyond it in the machine code, and no run on one that lacks
// something. For x86-64 the instructions are looked up among those of extensions; for other systems LLVM's
// assembler for that processor takes every instruction of the disassembled file, or it is beyond it.
#include "tests/cli/nestc_runner.h"

#include <QStandardPaths>

#include <algorithm>
#include <map>

using nestwright::test::NestcRunner;
using nestwright::test::Outcome;

namespace {

const QString encoder = QStringLiteral("models/transformer_encoder.onnx");

QString tool(const QString &name)
{
    const QString versioned = QStandardPaths::findExecutable(name + "-19");
    return versioned.isEmpty() ? QStandardPaths::findExecutable(name) : versioned;
}

QByteArray outputOf(const QString &program, const QStringList &arguments, const QByteArray &input = {})
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    process.write(input);
    process.closeWriteChannel();
    return process.waitForFinished(120'000) ? process.readAll() : QByteArray();
}

/// The distinct instructions of a file without labels, comments and names.
QByteArray instructionsOf(const QString &file)
{
    QByteArrayList lines;
    for (QByteArray line : outputOf(tool("llvm-objdump"), {"-d", "--no-show-raw-insn", file}).split('\n')) {
        const auto colon = line.indexOf(':');
        if (!line.startsWith(' ') || colon < 0)
            continue;
        line = line.mid(colon + 1);
        for (const char *mark : {"  #", "\t#", " <"}) {
            if (const auto at = line.indexOf(mark); at >= 0)
                line.truncate(at);
        }
        if (const auto comment = line.indexOf("//"); comment >= 0)
            line.truncate(comment);
        line = line.simplified();
        if (!line.isEmpty() && !line.startsWith("data16") && !line.startsWith('.'))
            lines << line;
    }
    std::ranges::sort(lines);
    const auto same = std::ranges::unique(lines);
    lines.erase(same.begin(), same.end());
    return lines.join('\n') + '\n';
}

/// Mnemonics and registers of x86-64 by the extensions that have them.
const QRegularExpression vex(QStringLiteral("^v(?!err|erw)|%ymm|%zmm")),
    sse4(
        QStringLiteral("^(addsubp|haddp|hsubp|movddup|movs[hl]dup|lddqu|pshufb|phadd|phsub|pmaddubsw|palignr|"
                       "pabs|psign|pmulhrsw|blend|pblend|dpp[sd]|insertps|extractps|pinsr[bdq]|pextr[bdq]|"
                       "pmaxs[bd]|pmaxu[wd]|pmins[bd]|pminu[wd]|pmulld|pmuldq|pmovsx|pmovzx|ptest|round|"
                       "packusdw|pcmpeqq|pcmpgtq|popcnt|crc32)")),
    bmi(QStringLiteral(
        "^(andn[lq]|bextr|blsi|blsr|blsmsk|bzhi|mulx|rorx|sarx|shlx|shrx|pdep|pext[lq]|lzcnt|movbe)")),
    avx512(QStringLiteral("%zmm|%k[0-7]|%[xy]mm(1[6-9]|2\\d|3[01])")),
    amd(QStringLiteral("^(vpcmov|vpperm|vprot|blcfill|blci|extrq|insertq)")),
    later(QStringLiteral("^(vpdpbusd|vpdpwssd|vpermb|vpermi2b|vpermt2b|vcvtne|vdpbf16|vaddph|vmulph|vpopcnt|"
                         "vpshld|vpshrd|vgf2p8|gf2p8|vpmadd52|tdp|tileload)"));

/// The first instruction that a processor of x86-64 does not have.
QByteArray beyond(const QByteArray &instructions, const QString &processor)
{
    const std::map<QString, QList<const QRegularExpression *>> foreign{
        {"x86-64", {&vex, &sse4, &bmi, &amd, &later}},
        {"x86-64-v2", {&vex, &bmi, &amd, &later}},
        {"haswell", {&avx512, &amd, &later}},
        {"znver3", {&avx512, &amd, &later}},
        {"skylake-avx512", {&amd, &later}}};
    for (const QByteArray &line : instructions.split('\n')) {
        for (const QRegularExpression *each : foreign.at(processor)) {
            if (each->match(QString::fromUtf8(line)).hasMatch())
                return line;
        }
    }
    return {};
}

/// Features that a processor of another system lacks, as LLVM's assembler says it.
QByteArray beyondElsewhere(const QByteArray &instructions, const QString &triple, const QString &processor)
{
    const QByteArray told = outputOf(
        tool("llvm-mc"), {"-triple=" + triple, "-mcpu=" + processor, "-filetype=null", "-"}, instructions);
    // Lines are sorted, and others of its errors are about pairs of them.
    return told.contains("instruction requires") ? told.left(2000) : QByteArray();
}

bool hostHas(const QByteArray &flag)
{
    QFile facts(QStringLiteral("/proc/cpuinfo"));
    return facts.open(QFile::ReadOnly) && facts.readAll().contains(' ' + flag + ' ');
}

struct Kernel {
    QString name;
    QStringList arguments;
};

} // namespace

class ExportProcessorTest : public QObject {
    Q_OBJECT
    NestcRunner m_nestc;

    /// Exports and gives the file; empty where that failed.
    QString exported(const QStringList &of, const QString &format, const QString &file,
                     const QStringList &more)
    {
        const Outcome outcome = m_nestc.run(
            QStringList{"export"} + of + QStringList{"--format", format, "-o", m_nestc.file(file)} + more);
        if (outcome.status != 0)
            qWarning("%s", qPrintable(outcome.err));
        return outcome.status == 0 ? m_nestc.file(file) : QString();
    }

    static QList<Kernel> kernels()
    {
        return {{"gemm", {"op:matmul(M=64,N=64,K=64)", "--recipe", "gemm"}},
                {"softmax", {"op:softmax(M=64,N=128)"}},
                {"conv2d", {"op:conv2d()"}}};
    }

private Q_SLOTS:
    void initTestCase()
    {
#ifndef __x86_64__
        QSKIP("processors of x86-64 are looked at");
#endif
        if (tool("llvm-objdump").isEmpty() || tool("llvm-mc").isEmpty())
            QSKIP("llvm-objdump and llvm-mc are not here");
    }

    /// The way of looking finds what is beyond a processor.
    void codeOfThisTestIsJudged()
    {
        QVERIFY(!beyond("vaddps %ymm0, %ymm1, %ymm2\n", "x86-64").isEmpty());
        QVERIFY(!beyond("ret\npmulld %xmm0, %xmm1\n", "x86-64").isEmpty());
        QVERIFY(beyond("pmulld %xmm0, %xmm1\nmulps %xmm0, %xmm1\n", "x86-64-v2").isEmpty());
        QVERIFY(beyond("vaddps %ymm0, %ymm1, %ymm2\nvfmadd231ps %ymm0, %ymm1, %ymm2\n", "haswell").isEmpty());
        QVERIFY(!beyond("vaddps %zmm0, %zmm1, %zmm2\n", "znver3").isEmpty());
        QVERIFY(!beyond("vmovups %ymm17, (%rax)\n", "haswell").isEmpty());
        QVERIFY(!beyond("vpdpbusd %zmm0, %zmm1, %zmm2\n", "skylake-avx512").isEmpty());
        QVERIFY(beyondElsewhere("fmla v0.4s, v1.4s, v2.4s\n", "aarch64-linux-gnu", "cortex-a53").isEmpty());
        QVERIFY(!beyondElsewhere("whilelo p0.s, x0, x1\n", "aarch64-linux-gnu", "cortex-a53").isEmpty());
    }

    void nothingIsBeyondTheProcessor_data()
    {
        QTest::addColumn<QString>("processor");
        for (const char *name : {"x86-64", "x86-64-v2", "haswell", "znver3", "skylake-avx512"})
            QTest::newRow(name) << name;
    }
    void nothingIsBeyondTheProcessor()
    {
        QFETCH(QString, processor);
        for (const Kernel &kernel : kernels()) {
            const QString file = exported(kernel.arguments, "object", "k.o", {"--mcpu", processor});
            QVERIFY(!file.isEmpty());
            const QByteArray found = beyond(instructionsOf(file), processor);
            QVERIFY2(found.isEmpty(), (kernel.name.toUtf8() + ": " + found).constData());
        }
        const QStringList gemm = kernels().front().arguments;
        const QString library = exported(gemm, "shared", "k.so", {"--mcpu", processor}),
                      assembly = exported(gemm, "asm", "k.s", {"--mcpu", processor});
        QVERIFY2(beyond(instructionsOf(library), processor).isEmpty(), "as a library");
        QCOMPARE(QProcess::execute("cc", {"-c", "-o", m_nestc.file("s.o"), assembly}), 0);
        QVERIFY2(beyond(instructionsOf(m_nestc.file("s.o")), processor).isEmpty(), "as assembly");
        const QString ofC =
            exported(kernels().front().arguments, "shared", "c.so", {"--mcpu", processor, "--target", "c"});
        QVERIFY(!ofC.isEmpty());
        QVERIFY2(beyond(instructionsOf(ofC), processor).isEmpty(), "by the C compiler");
        const QString model =
            exported({NestcRunner::example(encoder)}, "shared", "m.so", {"--mcpu", processor});
        QVERIFY(!model.isEmpty());
        const QByteArray found = beyond(instructionsOf(model), processor);
        QVERIFY2(found.isEmpty(), found.constData());
        const bool usesWide = instructionsOf(model).contains(processor == "skylake-avx512" ? "%zmm" : "%ymm");
        QCOMPARE(usesWide, processor != "x86-64" && processor != "x86-64-v2");
        QVERIFY(m_nestc.read("m.h").contains("For the processor " + processor.toUtf8()));
    }

    /// Systems that objects are made for, though nothing here links or runs them.
    void nothingIsBeyondOtherSystems_data()
    {
        QTest::addColumn<QString>("triple");
        QTest::addColumn<QString>("processor");
        QTest::newRow("cortex-a53") << "aarch64-linux-gnu" << "cortex-a53";
        QTest::newRow("neoverse-n1") << "aarch64-linux-gnu" << "neoverse-n1";
        QTest::newRow("neoverse-v1") << "aarch64-linux-gnu" << "neoverse-v1";
    }
    void nothingIsBeyondOtherSystems()
    {
        QFETCH(QString, triple);
        QFETCH(QString, processor);
        const QString target = "llvm -mtriple=" + triple + " -mcpu=" + processor;
        for (const Kernel &kernel : kernels()) {
            const QString file = exported(kernel.arguments, "object", "k.o", {"--target", target});
            QVERIFY(!file.isEmpty());
            const QByteArray instructions = instructionsOf(file);
            QVERIFY(instructions.contains("fmla") || kernel.name == "softmax"
                    || instructions.contains("fadd"));
            const QByteArray found = beyondElsewhere(instructions, triple, processor);
            QVERIFY2(found.isEmpty(), found.constData());
        }
        for (const QString &of : {kernels().front().arguments.front(), NestcRunner::example(encoder)}) {
            const Outcome shared =
                m_nestc.run({"export", of, "--format", "shared", "-o", "x.so", "--target", target});
            COMPARE_STATUS(shared, 2);
            QVERIFY2(shared.err.contains("cannot be linked here"), qPrintable(shared.err));
        }
    }

    void wrongNamesAreErrors_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("told");
        QTest::newRow("processor") << QStringList{"--mcpu", "nonsense"} << "names no processor";
        QTest::newRow("near name") << QStringList{"--mcpu", "haswel"} << "perhaps -mcpu=haswell";
        QTest::newRow("feature") << QStringList{"--mattr", "+avx22"} << "perhaps +avx2";
        QTest::newRow("32 bits") << QStringList{"--mcpu", "pentium3"} << "64 bits";
        QTest::newRow("of a GPU") << QStringList{"--arch", "sm_90"} << "no architecture of a GPU";
    }
    void wrongNamesAreErrors()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, told);
        const QString kernel = "op:matmul(M=8,N=8,K=8)", model = NestcRunner::example(encoder);
        for (const auto &[of, format] : {std::pair(kernel, "object"), std::pair(kernel, "c"),
                                         std::pair(model, "shared"), std::pair(model, "c")}) {
            const Outcome outcome = m_nestc.run(
                QStringList{"export", of, "--format", format, "-o", m_nestc.file("never")} + options);
            COMPARE_STATUS(outcome, 2);
            QVERIFY2(outcome.err.contains(told), qPrintable(outcome.err));
            QVERIFY(!QFile::exists(m_nestc.file("never")));
        }
    }

    void gpusHaveNoProcessor()
    {
        const Outcome outcome = m_nestc.run({"export", "op:matmul(M=8,N=8,K=8)", "--format", "cuda", "--mcpu",
                                             "haswell", "-o", m_nestc.file("k.cu")});
        COMPARE_STATUS(outcome, 2);
        QVERIFY(outcome.err.contains("code of a GPU"));
    }

    /// No processor of today has what bdver4 has: FMA4, XOP and TBM were given up.
    void aProcessorThatLacksSomethingIsRefused()
    {
        if (hostHas("xop"))
            QSKIP("this processor has XOP");
        m_nestc.write("main.c", "#include \"k.h\"\n#include <stdio.h>\n"
                                "static float a[64 * 64], b[64 * 64], c[64 * 64];\n"
                                "int main(void) { void *args[] = {a, b, c};\n"
                                "  printf(\"%d %d %d\\n\", NAME(a, b, c), NAME(a, b, c), PACKED(args));\n"
                                "  return 0; }\n");
        for (const auto &[target, expected] : {std::pair("llvm", "5 5 5\n"), std::pair("c", "5 5 5\n")}) {
            for (const char *format : {"object", "shared"}) {
                const QString library = exported(kernels().front().arguments, format, "k.so",
                                                 {"--mcpu", "bdver4", "--target", target});
                QVERIFY(!library.isEmpty());
                QCOMPARE(ran(library), QByteArray(expected));
            }
            const QByteArray header = m_nestc.read("k.h");
            QVERIFY2(header.contains("For the processor bdver4: SSE3,") && header.contains("XOP")
                         && header.contains("return 5"),
                     header.constData());
            // Features that every processor has are not asked for.
            const QString plain = exported(kernels().front().arguments, "shared", "k.so",
                                           {"--mcpu", "x86-64", "--target", target});
            QCOMPARE(ran(plain), QByteArray("0 0 0\n"));
            QVERIFY(!m_nestc.read("k.h").contains("return 5"));
        }
        const QString here = exported(kernels().front().arguments, "shared", "k.so", {});
        QCOMPARE(ran(here), QByteArray("0 0 0\n"));
    }

    void aModelThatLacksSomethingIsNotCreated()
    {
        if (hostHas("xop"))
            QSKIP("this processor has XOP");
        m_nestc.write("model.c",
                      "#include \"m.h\"\n#include <stdio.h>\n"
                      "int main(void) { m_model *model = m_create();\n"
                      "  const char *lacking = m_lacking();\n"
                      "  printf(\"%s %s\\n\", model ? \"made\" : \"null\", lacking ? lacking : \"none\");\n"
                      "  m_destroy(model); return 0; }\n");
        for (const auto &[processor, expected] : std::map<QString, QByteArray>{
                 {"bdver4", "null TBM\n"}, {"x86-64", "made none\n"}, {"native", "made none\n"}}) {
            const QString library =
                exported({NestcRunner::example(encoder)}, "shared", "m.so", {"--mcpu", processor});
            QVERIFY(!library.isEmpty());
            QCOMPARE(QProcess::execute("cc", {"-o", m_nestc.file("model"), m_nestc.file("model.c"), library}),
                     0);
            QCOMPARE(outputOf(m_nestc.file("model"), {}), expected);
        }
    }

    void textOfCSaysItsProcessor()
    {
        const QString text = exported(kernels().front().arguments, "c", "k.c", {"--mcpu", "haswell"});
        QVERIFY(!text.isEmpty());
        QVERIFY(m_nestc.read("k.c").startsWith("/* For haswell: compile it with -march=haswell. */\n"));
    }

private:
    /// The output of main.c linked with a library.
    QByteArray ran(const QString &library)
    {
        const auto symbol =
            QRegularExpression("(\\w+)__packed").match(QString::fromUtf8(m_nestc.read("k.h"))).captured(1);
        QStringList arguments{"-DNAME=" + symbol,
                              "-DPACKED=" + symbol + "__packed",
                              "-o",
                              m_nestc.file("main"),
                              "-x",
                              "c",
                              m_nestc.file("main.c"),
                              "-x",
                              "none",
                              library};
        if (QFile::exists(m_nestc.file("nestwright_runtime.c")))
            arguments << m_nestc.file("nestwright_runtime.c");
        arguments << "-lm" << "-pthread";
        return QProcess::execute("cc", arguments) == 0 ? outputOf(m_nestc.file("main"), {}) : QByteArray();
    }
};

QTEST_GUILESS_MAIN(ExportProcessorTest)
#include "export_processor_test.moc"
