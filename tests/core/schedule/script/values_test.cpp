// SPDX-License-Identifier: Apache-2.0
// Values as schedule scripts write them, and refusals with their codes.
#include "core/schedule/script/values.h"

#include <QtTest>

#include <string>

using namespace nestwright;

namespace {

/// The value as text, or the code of the refusal.
std::string valueOf(const std::string &text)
{
    const auto value = schedule::readValue(text);
    return value ? schedule::str(*value) : value.error().code;
}

} // namespace

class ScriptValuesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void values_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("value");
        const auto row = [](const char *text, const char *value) { QTest::newRow(text) << text << value; };
        const char *bad = "script.value", *other = "script.unsupported";
        row("-3", "-3");
        row("+3", "3");
        row("+2.5", "2.5");
        row("-2.5", "-2.5");
        row("+\"a\"", bad);
        row("+True", bad);
        row("-True", bad);
        row("not True", "False");
        row("not False", "True");
        row("not 3", "False");
        row("--9223372036854775807", "9223372036854775807");
        row("-(-9223372036854775807 - 1)", bad);
        row("9223372036854775807 + 1", bad);
        row("-9223372036854775807 - 2", bad);
        row("9223372036854775807 * 2", bad);
        row("(-9223372036854775807 - 1) // -1", bad);
        row("(-9223372036854775807 - 1) % -1", "0");
        row("7 // -1", "-7");
        row("7 % -1", "0");
        row("-7 // 2", "-4");
        row("-7 % 2", "1");
        row("7 // 0", bad);
        row("7 % 0", bad);
        row("7 / 2", other);
        row("1 < 2", "True");
        row("1 < 2 < 2", "False");
        row("3 if [] else 4", "4");
        row("not (lambda i: i)", bad);
        row("1 .real", other);
        row("7 ** 2", other);
        row("1.5 + 1", bad);
        row("[1] + [2, 3]", "[1, 2, 3]");
        row("[1] - [2]", bad);
        row("[1] + 2", bad);
        row("[1, 2] * 2", "[1, 2, 1, 2]");
        row("2 * [1]", "[1, 1]");
        row("[1] * 9223372036854775807", "script.too-long");
        row("\"a\" + \"b\"", "\"ab\"");
        row("\"abc\"[::-1]", "\"cba\"");
        row("\"abc\"[1]", "\"b\"");
        row("\"abc\"[3]", bad);
        row("[4, 5, 6][None:2]", "[4, 5]");
        row("[4, 5, 6][1]", "5");
        row("[4, 5, 6][-1]", "6");
        row("[4, 5, 6][-3]", "4");
        row("[4, 5, 6][3]", bad);
        row("[4, 5, 6][-4]", bad);
        row("[4, 5, 6][0, 1]", bad);
        row("3[0]", bad);
        row("[4, 5, 6][1:]", "[5, 6]");
        row("[4, 5, 6][:1]", "[4]");
        row("[4, 5, 6][:-1]", "[4, 5]");
        row("[4, 5, 6][-2:]", "[5, 6]");
        row("[4, 5, 6][-9:9]", "[4, 5, 6]");
        row("[4, 5, 6][2:1]", "[]");
        row("[4, 5, 6][::2]", "[4, 6]");
        row("[4, 5, 6][::-1]", "[6, 5, 4]");
        row("[4, 5, 6][::-2]", "[6, 4]");
        row("[4, 5, 6][1::-1]", "[5, 4]");
        row("[4, 5, 6][:0:-1]", "[6, 5]");
        row("[4, 5, 6][9:-9:-1]", "[6, 5, 4]");
        row("[4, 5, 6][-9::-1]", "[]");
        row("[4, 5, 6][2:2:-1]", "[]");
        row("[4, 5, 6][::0]", bad);
        row("T.IntImm(\"int64\", 3)", "T.int64(3)");
        row("T.const(3, \"int64\")", "T.int64(3)");
        row("T.FloatImm(\"float16\", 3)", "T.float16(3.0)");
        row("T.float32(2.5)", "T.float32(2.5)");
        row("T.int8(2.5)", bad);
        row("T.bool(True)", "T.bool(True)");
        row("T.int8(True)", bad);
        row("T.const(3, 4)", bad);
        row("T.const(3, \"what\")", bad);
        row("T.vscale()", "T.vscale()");
        row("-T.vscale()", "0 - T.vscale()");
        row("not T.vscale()", bad);
        row("T.vscale() * 4", "T.vscale() * 4");
        row("4 - T.vscale() + 1", "4 - T.vscale() + 1");
        row("T.vscale() // 2 % 3", "T.vscale() // 2 % 3");
        row("T.vscale() // 0", bad);
        row("T.vscale() % 0", bad);
        row("T.vscale() + 2.5", bad);
        row("T.min(3, 4)", "3");
        row("T.max(3, T.vscale())", "T.max(3, T.vscale())");
        row("T.floordiv(-7, 2)", "-4");
        row("T.floormod(-7, 2)", "1");
        row("T.ceildiv(7, 2)", "4");
        row("T.ceildiv(8, 2)", "4");
        row("T.floordiv(7, 0)", bad);
        row("T.ceildiv(7, 0)", bad);
        row("T.max(3, 0)", "3");
        row("min(3, 4)", other);
        row("T.min(3)", other);
    }
    void values()
    {
        QFETCH(QString, text);
        QTEST(QString::fromStdString(valueOf(text.toStdString())), "value");
    }

    void indexMaps_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("written");
        const auto row = [](const char *body, const char *written) {
            QTest::newRow(body) << body << written;
        };
        const char *bad = "script.value", *other = "script.unsupported";
        row("i + 1", "i + 1");
        row("-i", "0 - i");
        row("+i", "script.unknown-name");
        row("not i", "script.unknown-name");
        row("i * 4 - j", "i * 4 - j");
        row("i // 4 + i % 4", "i // 4 + i % 4");
        row("i ** 2", other);
        row("n - i", "n - i");
        row("tvm.tir.min(i, 3)", "T.min(i, 3)");
        row("tvm.tir.max(i, j)", "T.max(i, j)");
        row("tvm.tir.floordiv(i, 4)", "i // 4");
        row("tvm.tir.indexdiv(i, 4)", "i // 4");
        row("tvm.tir.floormod(i, 4)", "i % 4");
        row("tvm.tir.indexmod(i, 4)", "i % 4");
        row("tvm.tir.min(i, 3, j)", other);
        row("tvm.tir.if_then_else(T.bool(True), i, j)", "T.if_then_else(T.bool(True), i, j)");
        row("tvm.tir.if_then_else(i, j)", other);
        row("T.Cast(\"int64\", i)", "T.Cast(\"int64\", i)");
        row("T.Cast(\"what\", i)", bad);
        row("sch.get_loops(i)", other);
        row("\"a\"", bad);
    }
    void indexMaps()
    {
        QFETCH(QString, body);
        QFETCH(QString, written);
        const std::string found = valueOf("lambda i, j: (" + body.toStdString() + ",)");
        QCOMPARE(QString::fromStdString(found),
                 written.startsWith("script.") ? written : "lambda i, j: (" + written + ",)");
    }

    void indicesOfAMapThatAreTakenTogether()
    {
        for (const char *text : {"lambda *a: (*a,)", "lambda i, *a: (*a, i)", "lambda *a, i: (i, *a)"}) {
            const auto map = schedule::readValue(text);
            QVERIFY2(map && map->as<schedule::IndexMap>(), text);
            QVERIFY2(map->as<schedule::IndexMap>()->withInputs(3).inputs.size() == 3, text);
        }
        // Two parameters could take them.
        QCOMPARE(valueOf("lambda *a, *b: (a, *b)"), "script.unsupported");
        QCOMPARE(valueOf("lambda i, *a, *b: (i, *b)"), "script.unsupported");
        QCOMPARE(valueOf("lambda **a: (a,)"), "script.unsupported");
    }

    void valuesHaveABound()
    {
        std::string list = "[1";
        for (int i = 1; i < 9'999; ++i)
            list += ",1";
        QCOMPARE(valueOf(list + "]").substr(0, 8), "[1, 1, 1");
        const auto more = schedule::readValue(list + ",1]");
        QVERIFY(!more);
        QCOMPARE(more.error().code, "script.too-long");
        QCOMPARE(more.error().message, "this has more than 10000 parts");
    }
};

QTEST_GUILESS_MAIN(ScriptValuesTest)
#include "values_test.moc"
