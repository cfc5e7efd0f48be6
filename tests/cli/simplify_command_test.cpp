// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/nestc_runner.h"

using nestwright::test::NestcRunner;

class SimplifyCommandTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneLinePerExpression()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"simplify", "--var", "x:int32", "--var", "y", "--bound", "x=0..15",
                                        "(x * 4 + 3) // 4", "x // 16", "T.min(x, 20)", "x + y - y"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(outcome.out, QString("x\n0\nx\nx\n"));
    }

    void expressionsFromStandardInput()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"simplify", "--var", "x", "-"}, "x + x\nx * 0\n");
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(outcome.out, QString("x * 2\n0\n"));
    }

    void assumptionsHelp()
    {
        NestcRunner nestc;
        const QStringList start{"simplify", "--var", "x", "--var", "n"};
        COMPARE_STATUS(nestc.run(start + QStringList{"x < n"}), 0);
        QCOMPARE(nestc.run(start + QStringList{"x < n"}).out, QString("x < n\n"));
        QCOMPARE(nestc.run(start + QStringList{"--assume", "x < n", "x < n"}).out, QString("T.bool(True)\n"));
    }

    void severalAssumptionsHoldTogether()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"simplify", "--var", "x", "--var", "y", "--assume", "y >= 0",
                                        "--assume", "y < 24", "(x * 24 + y) // 48", "(x * 24 + y) % 48"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(outcome.out, QString("x // 2\nx % 2 * 24 + y\n"));
    }

    void halvesOfTheSimplifier()
    {
        NestcRunner nestc;
        const QStringList start{"simplify", "--var", "x", "--var", "y"};
        QCOMPARE(nestc.run(start + QStringList{"x * y - 7 * x"}).out, QString("(y + -7) * x\n"));
        QCOMPARE(nestc.run(start + QStringList{"--rewrite", "x * y - 7 * x"}).out, QString("(y + -7) * x\n"));
        QCOMPARE(nestc.run(start + QStringList{"--canonical", "x * y - 7 * x"}).out,
                 QString("x * y - x * 7\n"));
        COMPARE_STATUS(nestc.run(start + QStringList{"--rewrite", "--bounds", "x"}), 2);
    }

    void theSimplerOfBothHalves()
    {
        NestcRunner nestc;
        const QStringList start{"simplify", "--var", "x", "--var", "y"};
        const auto simplified = [&](const char *text) { return nestc.run(start + QStringList{text}).out; };
        QCOMPARE(simplified("5 + (2 * y + x) * 3 + y"), QString("y * 7 + x * 3 + 5\n")); // terms collected
        QCOMPARE(simplified("(x + 7) + (y - 9)"), QString("x + y + -2\n"));              // nothing to gain
        QCOMPARE(simplified("(7 + 30 * x) // 4"), QString("(x * 30 + 7) // 4\n"));       // constants last
        QCOMPARE(simplified("x // 5 * 5 + x % 5"), QString("x\n"));
    }

    void noValueWhereSomethingIsDividedByZero()
    {
        NestcRunner nestc;
        const QStringList start{"simplify", "--var", "x"};
        for (const char *text : {"x // 0", "T.Ramp(x, 1, 4) % T.Broadcast(0, 4)", "1 + T.truncdiv(x, 0)"}) {
            const auto outcome = nestc.run(start + QStringList{text});
            COMPARE_STATUS(outcome, 2);
            QVERIFY2(outcome.err.contains("divides by 0"), qPrintable(outcome.err));
        }
    }

    void lengthsOfScalableVectors()
    {
        NestcRunner nestc;
        const QStringList start{"simplify", "--var", "x"};
        const auto simplified = [&](const char *text) { return nestc.run(start + QStringList{text}).out; };
        QCOMPARE(simplified("T.min(x + T.vscale() * 2, x)"), QString("x\n"));
        QCOMPARE(simplified("T.max(x + T.vscale() * 2, x)"), QString("x + T.vscale() * 2\n"));
        const QStringList known{"--assume", "0 <= x", "--assume", "x < T.vscale() * 2"};
        QCOMPARE(nestc.run(start + known + QStringList{"x // (T.vscale() * 2)", "x % (T.vscale() * 2)"}).out,
                 QString("0\nx\n"));
    }

    void boundsInPlaceOfExpressions()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run(
            {"simplify", "--var", "x", "--bound", "x=0..15", "--bounds", "x * 2 + 1", "x % 4", "x - 20"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(outcome.out, QString("1 31\n0 3\n-20 -5\n"));
        const auto open =
            nestc.run({"simplify", "--var", "x:int64", "--bound", "x=0..inf", "--bounds", "x + 1"});
        QCOMPARE(open.out, QString("1 inf\n"));
    }

    void badInputKeepsTheLines()
    {
        NestcRunner nestc;
        const auto outcome = nestc.run({"simplify", "--var", "x", "x +", "x + 0"});
        COMPARE_STATUS(outcome, 2);
        QCOMPARE(outcome.out, QString("\nx\n"));
        QVERIFY2(outcome.err.contains("expression 1:1:"), qPrintable(outcome.err));
        COMPARE_STATUS(nestc.run({"simplify", "--var", "x:int33", "x"}), 2);
        COMPARE_STATUS(nestc.run({"simplify", "--var", "x", "--bound", "y=0..1", "x"}), 2);
        COMPARE_STATUS(nestc.run({"simplify", "--var", "x", "--bound", "x=0", "x"}), 2);
        COMPARE_STATUS(nestc.run({"simplify", "--var", "x", "nobody"}), 2);
    }
};

QTEST_GUILESS_MAIN(SimplifyCommandTest)
#include "simplify_command_test.moc"
