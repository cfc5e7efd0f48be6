// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;

class SuggestCommandTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findingAndStepsOfEachStatement()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"suggest", "op:matmul(M=64,N=64,K=64)", "--target", "c"});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.startsWith("k is a reduction: its iterations wait for each other. "
                                        "[reduction-innermost]\n  Reorder j innermost"),
                 qPrintable(outcome.out));
        QVERIFY2(outcome.out.contains(" times as fast\n    reorder(k, j)\n"), qPrintable(outcome.out));
        for (const char *line : {"\ni, a loop of 64 iterations\n", "\nk, a loop of 64 iterations\n",
                                 "a block\n", "\n  parallel(i)\n", "\n  annotate(…)\n"})
            QVERIFY2(outcome.out.contains(QString::fromUtf8(line)), line);
        QVERIFY(!outcome.out.contains("  not "));
        QVERIFY(!outcome.out.contains("parallel(k)")); // a reduction
    }

    /// Steps are those of the scheduled program.
    void afterASchedule()
    {
        NestcRunner nestc;
        const QString schedule = nestc.write("s.py", R"(b = sch.get_block("C")
i, j, k = sch.get_loops(b)
sch.reorder(k, j)
sch.parallel(i)
)");
        const auto outcome = nestc.run({"suggest", "op:matmul(M=64,N=64,K=64)", "--schedule", schedule,
                                        "--target", "c", "--at", "j", "--refused"});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.startsWith("j computes one element at a time. [scalar-loop]\n"),
                 qPrintable(outcome.out));
        QCOMPARE(outcome.out.count(", a loop"), 1); // --at
        QVERIFY2(outcome.out.contains("\n  not "), qPrintable(outcome.out));
    }

    void asJson()
    {
        NestcRunner nestc;
        const auto outcome =
            nestc.run({"suggest", "op:matmul(M=64,N=64,K=64)", "--target", "c", "--json", "--refused"});
        COMPARE_STATUS(outcome, 0);
        const QJsonObject json = QJsonDocument::fromJson(outcome.out.toUtf8()).object();
        const QJsonObject finding = json["findings"].toArray().at(0).toObject();
        QCOMPARE(finding["finding"].toString(), QString("reduction-innermost"));
        QCOMPARE(finding["loop"].toString(), QString("k"));
        QVERIFY(finding["predicted"].toDouble() > 1);
        QCOMPARE(finding["after"].toInt(), 0);
        QCOMPARE(finding["steps"].toArray().at(0).toString(), QString("reorder(k, j)"));
        const QJsonArray statements = json["statements"].toArray();
        QCOMPARE(statements.size(), 4);
        QCOMPARE(statements.at(3).toObject()["kind"].toString(), QString("block"));
        const QJsonObject k = statements.at(2).toObject();
        QCOMPARE(k["name"].toString(), QString("k"));
        QCOMPARE(k["iterations"].toInt(), 64);
        bool isParallelRefused = false, isSplitLegal = false;
        for (const QJsonValue each : k["actions"].toArray()) {
            const QJsonObject action = each.toObject();
            QCOMPARE(action.contains("step") || action.contains("incomplete"), !action.contains("refused"));
            if (action["primitive"].toString() == "parallel")
                isParallelRefused = action["refused"].toObject()["code"].toString() == "schedule.iter-kind"
                                    && action["fix"].toString() == "rfactor(k, 0) first";
            if (action["primitive"].toString() == "split")
                isSplitLegal = action["step"].toString() == "split(k, [None, 32])";
        }
        QVERIFY(isParallelRefused);
        QVERIFY(isSplitLegal);
    }

    /// The remedies are timed beside the schedule; without findings it says so.
    void findingsAlone()
    {
        NestcRunner nestc;
        const auto measured = nestc.run({"suggest", "op:matmul(M=64,N=64,K=64)", "--findings", "--measure",
                                         "--json", "--target", "llvm"});
        COMPARE_STATUS(measured, 0);
        const QJsonObject json = QJsonDocument::fromJson(measured.out.toUtf8()).object();
        QVERIFY(json["statements"].toArray().isEmpty());
        const QJsonArray findings = json["findings"].toArray();
        QVERIFY(!findings.isEmpty());
        for (const QJsonValue each : findings) {
            const QJsonObject ratio = each.toObject()["measured"].toObject();
            QVERIFY(ratio["low"].toDouble() > 0 && ratio["low"].toDouble() <= ratio["high"].toDouble());
        }
        const auto none =
            nestc.run({"suggest", "op:matmul(M=64,N=64,K=64)", "--recipe", "gemm", "--findings", "--target",
                       "llvm -mcpu=skylake-avx512"}); // on which the recipe's tile fits the registers
        COMPARE_STATUS(none, 0);
        QVERIFY2(none.out.startsWith("Nothing was found"), qPrintable(none.out));
    }

    /// A script that a recipe made elsewhere is told by its steps.
    void madeByARecipeForAnotherMachine()
    {
        NestcRunner nestc;
        const QStringList kernel{"op:matmul(M=256,N=256,K=256)"};
        const QString script = nestc.file("s.py");
        COMPARE_STATUS(nestc.run(QStringList{"apply"} + kernel
                                 + QStringList{"--recipe", "gemm:lanes=4,registers=16,threads=8", "--script",
                                               script, "-o", nestc.file("out.py")}),
                       0);
        const auto outcome =
            nestc.run(QStringList{"suggest"} + kernel
                      + QStringList{"--schedule", script, "--findings", "--target", "llvm -mcpu=haswell"});
        COMPARE_STATUS(outcome, 0);
        QVERIFY2(outcome.out.contains("are those of another machine. [other-machine]\n  make it anew by the "
                                      "recipe gemm for this machine"),
                 qPrintable(outcome.out));
    }

    void anUnknownNameIsRefused()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"suggest", "op:matmul(M=64,N=64,K=64)", "--at", "kk"});
        COMPARE_STATUS(outcome, 2);
        QVERIFY2(outcome.err.contains("there is no loop or block 'kk'"), qPrintable(outcome.err));
        QVERIFY2(outcome.err.contains("did you mean 'k'?"), qPrintable(outcome.err));
    }
};

QTEST_GUILESS_MAIN(SuggestCommandTest)
#include "suggest_command_test.moc"
