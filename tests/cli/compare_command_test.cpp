// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;

namespace {

const QString smallProduct = QStringLiteral("op:matmul(M=64,N=64,K=64)");

constexpr const char *plainScript = "b = sch.get_block(\"C\")\n";
constexpr const char *vectorScript = R"(b = sch.get_block("C")
i, j, k = sch.get_loops(b)
sch.reorder(k, j)
j0, j1 = sch.split(j, [None, 8])
sch.vectorize(j1)
)";

} // namespace

class CompareCommandTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sentenceAndLoops()
    {
        NestcRunner nestc;
        const QString plain = nestc.write("plain.py", plainScript),
                      fast = nestc.write("fast.py", vectorScript);
        const auto outcome = nestc.run({"compare", smallProduct, "--schedule", plain, "--schedule", fast,
                                        "--target", "llvm -mcpu=haswell"});
        COMPARE_STATUS(outcome, 0);
        const QStringList lines = outcome.out.split('\n');
        QVERIFY2(lines[0].contains("'fast'") && lines[0].contains("'plain'") && lines[0].endsWith('.'),
                 qPrintable(outcome.out));
        QVERIFY2(lines[2].startsWith("plain") && lines[2].contains("fast") && lines[2].contains("cyc./flop"),
                 qPrintable(outcome.out));
        QVERIFY2(lines[3].startsWith("i "), qPrintable(outcome.out));
        QVERIFY2(outcome.out.contains("j_1 vector"), qPrintable(outcome.out));
        QVERIFY2(outcome.out.contains("0 → 256*"), qPrintable(outcome.out)); // bits
    }

    /// One schedule is compared with the module as it is, under the names that are given.
    void asJson()
    {
        NestcRunner nestc;
        const QString fast = nestc.write("fast.py", vectorScript);
        const auto outcome = nestc.run({"compare", smallProduct, "--schedule", fast, "--names", "old,new",
                                        "--target", "llvm -mcpu=haswell", "--json"});
        COMPARE_STATUS(outcome, 0);
        const QJsonObject json = QJsonDocument::fromJson(outcome.out.toUtf8()).object();
        QCOMPARE(json["names"].toArray().at(1).toString(), QString("new"));
        QVERIFY(json["sentence"].toString().contains("'old'"));
        QCOMPARE(json["same-code"].toBool(), false);
        QVERIFY(json["cycles"].toArray().at(0).toDouble() > json["cycles"].toArray().at(1).toDouble());
        const QJsonArray loops = json["loops"].toArray();
        QCOMPARE(loops.size(), 4);
        QCOMPARE(loops.at(0).toObject()["first"].toString(), QString("i"));
        QCOMPARE(loops.at(0).toObject()["trips"].toArray().at(1).toInt(), 64);
    }

    void sameCode()
    {
        NestcRunner nestc;
        const QString plain = nestc.write("plain.py", plainScript);
        const auto outcome = nestc.run({"compare", smallProduct, "--schedule", plain, plain});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.startsWith("The machine code of both is the same.\n"), qPrintable(outcome.out));
        QVERIFY2(outcome.out.contains("plain 1") && outcome.out.contains("plain 2"), qPrintable(outcome.out));
    }

    void differenceOfSource()
    {
        NestcRunner nestc;
        const QString fast = nestc.write("fast.py", vectorScript);
        for (const char *kind : {"asm", "llvm", "c", "script"}) {
            const auto outcome = nestc.run({"compare", smallProduct, "--schedule", fast, "--show", kind});
            COMPARE_STATUS(outcome, 0);
            QVERIFY2(outcome.out.contains("--- as it is\n+++ fast\n"), kind);
            QVERIFY2(outcome.out.contains("\n- ") && outcome.out.contains("\n+ "), kind);
        }
    }

    /// Exit status 1 where the second is slower beyond doubt, 0 where it is as fast or faster.
    void speed()
    {
        NestcRunner nestc;
        const QString module = QStringLiteral("op:matmul(M=256,N=256,K=256)");
        const QString plain = nestc.write("plain.py", plainScript),
                      fast = nestc.write("fast.py", vectorScript);
        const auto faster =
            nestc.run({"compare", module, "--schedule", plain, fast, "--measure", "--repetitions", "5"});
        COMPARE_STATUS(faster, 0);
        QVERIFY2(faster.out.contains("times as fast as 'plain' ("), qPrintable(faster.out));
        const auto slower = nestc.run({"compare", module, "--schedule", fast, plain, "--fail-below", "0.9",
                                       "--repetitions", "5", "--json"});
        COMPARE_STATUS(slower, 1);
        const QJsonObject speedup =
            QJsonDocument::fromJson(slower.out.toUtf8()).object()["speedup"].toObject();
        QVERIFY(speedup["significant"].toBool());
        QVERIFY(speedup["high"].toDouble() < 0.9);
        const auto same = nestc.run({"compare", module, "--schedule", plain, plain, "--fail-below", "0.5"});
        COMPARE_STATUS(same, 0);
        // One round tells nothing, whatever it shows.
        const auto once = nestc.run(
            {"compare", module, "--schedule", fast, plain, "--fail-below", "0.9", "--repetitions", "1"});
        COMPARE_STATUS(once, 0);
        QVERIFY2(once.out.contains(", not significant."), qPrintable(once.out));
    }

    /// C is compiled, not run; its loops stand beside those of the variant.
    void codeOfAFile()
    {
        NestcRunner nestc;
        const QString fast = nestc.write("fast.py", vectorScript);
        const QString file =
            nestc.write("peer.c", "void scale(int n, float *x) { for (int i = 0; i < n; ++i) "
                                  "x[i] *= 2; }\nint one(void) { return 1; }\n");
        const auto several = nestc.run({"compare", smallProduct, "--with-code", file});
        COMPARE_STATUS(several, 2);
        QVERIFY2(several.err.contains("peer.c:FUNCTION with one of them: one, scale"),
                 qPrintable(several.err));
        const auto outcome = nestc.run(
            {"compare", smallProduct, "--schedule", fast, "--with-code", file + ":scale", "--show", "asm"});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.startsWith("The inner loop of 'peer.c:scale' does "), qPrintable(outcome.out));
        QVERIFY2(outcome.out.contains("--- fast\n+++ peer.c:scale\n"), qPrintable(outcome.out));
        QVERIFY2(outcome.out.contains("scale:"), qPrintable(outcome.out));
        const auto json = nestc.run({"compare", smallProduct, "--with-code", file + ":scale", "--json"});
        COMPARE_STATUS(json, 0);
        const QJsonObject object = QJsonDocument::fromJson(json.out.toUtf8()).object();
        QCOMPARE(object["names"].toArray().at(1).toString(), QString("peer.c:scale"));
        QVERIFY(!object["loops"].toArray().isEmpty());
    }

    void peersRefused()
    {
        NestcRunner nestc;
        const QString plain = nestc.write("plain.py", plainScript);
        const QString file = nestc.write("peer.s", ".globl f\nf:\n  ret\n");
        const auto two =
            nestc.run({"compare", smallProduct, "--schedule", plain, plain, "--with-code", file});
        COMPARE_STATUS(two, 2);
        QVERIFY2(two.err.contains("one variant is compared with the code of others"), qPrintable(two.err));
        const auto timed = nestc.run({"compare", smallProduct, "--with-code", file, "--measure"});
        COMPARE_STATUS(timed, 2);
        QVERIFY2(timed.err.contains("is read, not run"), qPrintable(timed.err));
        const auto shown = nestc.run({"compare", smallProduct, "--with-code", file, "--show", "c"});
        COMPARE_STATUS(shown, 2);
        const auto library = nestc.run({"compare", "op:row_sum()", "--with-library", "openblas"});
        COMPARE_STATUS(library, 2);
        QVERIFY2(library.err.contains("no library is known"), qPrintable(library.err));
        const auto both =
            nestc.run({"compare", smallProduct, "--with-library", "openblas", "--with-code", file});
        COMPARE_STATUS(both, 2);
    }

    void codeOfALibrary()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"compare", "op:matmul(M=256,N=256,K=256)", "--with-library",
                                        "openblas", "--measure", "--repetitions", "3", "--json"});
        if (outcome.err.contains("is not on this machine"))
            QSKIP("OpenBLAS is not here");
        COMPARE_STATUS(outcome, 0);
        const QJsonObject json = QJsonDocument::fromJson(outcome.out.toUtf8()).object();
        QVERIFY2(json["sentence"].toString().contains("multiply-adds"), qPrintable(outcome.out));
        QVERIFY(json["seconds"].toArray().at(0).toDouble() > 0);
        QVERIFY(json["seconds"].toArray().at(1).toDouble() > 0);
    }

    void refused()
    {
        NestcRunner nestc;
        const auto none = nestc.run({"compare", smallProduct});
        COMPARE_STATUS(none, 2);
        QVERIFY2(none.err.contains("two variants are compared, but 0 schedules are given"),
                 qPrintable(none.err));
        const QString plain = nestc.write("plain.py", plainScript);
        const auto names = nestc.run({"compare", smallProduct, "--schedule", plain, "--names", "a"});
        COMPARE_STATUS(names, 2);
        QVERIFY2(names.err.contains("write them as --names old,new"), qPrintable(names.err));
        const QString bad = nestc.write("bad.py", "b = sch.get_block(\"D\")\n");
        const auto illegal = nestc.run({"compare", smallProduct, "--schedule", bad});
        QVERIFY(illegal.status == 1 || illegal.status == 2);
        QVERIFY2(illegal.err.contains("bad.py:1"), qPrintable(illegal.err));
    }
};

QTEST_GUILESS_MAIN(CompareCommandTest)
#include "compare_command_test.moc"
