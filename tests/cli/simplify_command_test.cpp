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
        QCOMPARE(simplified("(x * 4 + y * 7) // 4"), QString("y * 7 // 4 + x\n")); // the quotient first
        QCOMPARE(simplified("T.truncmod(x * 6, 18)"), QString("T.truncmod(x, 3) * 6\n")); // less to divide
        QCOMPARE(simplified("T.Select(x >= 0, T.truncmod(x + 50, 7), y)"),
                 QString("T.Select(0 <= x, T.truncmod(x + 1, 7), y)\n")); // smaller constants
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

    void symbolicRanges()
    {
        NestcRunner nestc;
        const QStringList start{"simplify", "--var",    "n",       "--var",         "i",
                                "--bound",  "n=1..inf", "--bound", "i=0..n * 8 - 1"};
        const auto outcome = nestc.run(start + QStringList{"i < n * 8", "T.max(i, -1)", "i + 1 <= n * 8"});
        COMPARE_STATUS(outcome, 0);
        QCOMPARE(outcome.out, QString("T.bool(True)\ni\nT.bool(True)\n"));
    }

    void restsAndValues()
    {
        NestcRunner nestc;
        const QStringList start{"simplify", "--var", "x", "--var", "y", "--bound", "x=0..9"};
        const auto rests = nestc.run(start + QStringList{"--modular", "x * 6 + y * 4 + 7", "y", "12"});
        COMPARE_STATUS(rests, 0);
        QCOMPARE(rests.out, QString("2 1\n1 0\n0 12\n"));
        const auto values = nestc.run(start + QStringList{"--set", "y - x", "x * -3", "x // 4", "y % 5"});
        COMPARE_STATUS(values, 0);
        QCOMPARE(values.out, QString("y + -9 .. y\n-27 .. 0\n0 .. 2\ny % 5 .. y % 5\n"));
    }

    void iteratorMaps()
    {
        NestcRunner nestc;
        const QStringList start{"simplify", "--var",  "x",       "--var",  "y",       "--var",   "n",
                                "--bound",  "x=0..5", "--bound", "y=0..3", "--bound", "n=1..inf"};
        const auto map = [&](const QStringList &rest) {
            return nestc.run(start + QStringList{"--iter-map"} + rest);
        };
        const auto fused = map({"bijective", "x * 4 + y + n"});
        COMPARE_STATUS(fused, 0);
        QCOMPARE(fused.out, QString("extent 24, base n, scale 1: x * 4 + y + n\n"));
        const auto split = map({"surjective", "x // 2", "y * 3 + 1", "7"});
        COMPARE_STATUS(split, 0);
        QCOMPARE(split.out,
                 QString("extent 3, base 0, scale 1: x // 2\nextent 4, base 1, scale 3: y * 3 + 1\n"
                         "extent 1, base 7, scale 1: 7\n"));
        const auto part = map({"surjective", "--assume", "x * 4 + y < 10", "x * 4 + y"});
        COMPARE_STATUS(part, 0);
        QCOMPARE(part.out, QString("extent 10, base 0, scale 1: x * 4 + y\n"));
        const auto twice = map({"surjective", "x", "x + y"});
        COMPARE_STATUS(twice, 1);
        QVERIFY2(twice.err.contains("used twice"), qPrintable(twice.err));
        COMPARE_STATUS(map({"bijective", "x // 2"}), 1);
        COMPARE_STATUS(map({"injective", "x"}), 2);
        COMPARE_STATUS(map({"surjective", "x < 3"}), 2);
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
        COMPARE_STATUS(nestc.run({"simplify", "--var", "x", "--bound", "x=0..T.float32(3)", "x"}), 2);
        COMPARE_STATUS(nestc.run({"simplify", "--var", "x:float32", "--bound", "x=0..3", "x"}), 2);
        COMPARE_STATUS(nestc.run({"simplify", "--var", "x", "--bounds", "--modular", "x"}), 2);
    }
};

QTEST_GUILESS_MAIN(SimplifyCommandTest)
#include "simplify_command_test.moc"
