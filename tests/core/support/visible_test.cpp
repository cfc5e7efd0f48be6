// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/visible.h"

#include "core/support/errors/diagnostic.h"
#include "core/support/text/csv.h"

#include <QTest>

using namespace nestwright::support;

class VisibleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void controlsAndMarksOfDirectionAreWrittenOut()
    {
        QCOMPARE(visible("Überlänge \u03b1 \U0001F600 a\tb\n"),
                 std::string("Überlänge \u03b1 \U0001F600 a\tb\n"));
        QCOMPARE(visible("\x1b[31mred\x07\r"), std::string("\\u001b[31mred\\u0007\\u000d"));
        QCOMPARE(visible("\x7f\u009b2J"), std::string("\\u007f\\u009b2J"));
        QCOMPARE(visible("a\u202eb\u2066c\u2069d\u200fe\u061c"),
                 std::string("a\\u202eb\\u2066c\\u2069d\\u200fe\\u061c"));
        QCOMPARE(visible(std::string_view("a\0b", 3)), std::string("a\\u0000b"));
        QCOMPARE(visibleName("a\nb\tc\u2028d"), std::string("a\\u000ab\\u0009c\\u2028d"));
    }

    void bytesThatAreNoUtf8AreWrittenOut()
    {
        QCOMPARE(visible("k\xff.py"), std::string("k\\xff.py"));
        QCOMPARE(visible("\xc3"), std::string("\\xc3"));
        QCOMPARE(visible("\xc0\xaf"), std::string("\\xc0\\xaf"));          // too long a form of a slash
        QCOMPARE(visible("\xed\xa0\x80"), std::string("\\xed\\xa0\\x80")); // half of a pair
        QCOMPARE(visible("\xf4\x90\x80\x80"), std::string("\\xf4\\x90\\x80\\x80"));
    }

    void beginningsOfCharactersWaitForTheRest()
    {
        QCOMPARE(begunCharacter("abc"), 0UL);
        QCOMPARE(begunCharacter(""), 0UL);
        QCOMPARE(begunCharacter("a\u20ac"), 0UL);
        QCOMPARE(begunCharacter("a\xe2\x82"), 2UL);
        QCOMPARE(begunCharacter("a\xe2"), 1UL);
        QCOMPARE(begunCharacter("\xf0\x9f\x98"), 3UL);
        QCOMPARE(begunCharacter("\x80\x80\x80\x80"), 0UL);
    }

    void diagnosticsHoldNothingThatATerminalObeys()
    {
        const std::string text =
            diagnostic("a.b", "no \x1b]0;title\x07").withHint("try\x1b[2J").at("f\x1b.py", 1, 2).render();
        QVERIFY(!text.contains('\x1b') && !text.contains('\x07'));
        QVERIFY(text.contains("f\\u001b.py:1:2: error: no \\u001b]0;title"));
    }

    void fieldsOfTablesAreNoFormulas()
    {
        QCOMPARE(csvField("plain text"), std::string("plain text"));
        QCOMPARE(csvField("a,b"), std::string("\"a,b\""));
        QCOMPARE(csvField("say \"a\""), std::string("\"say \"\"a\"\"\""));
        QCOMPARE(csvField("=1+1"), std::string("'=1+1"));
        QCOMPARE(csvField("+1"), std::string("'+1"));
        QCOMPARE(csvField("-1"), std::string("'-1"));
        QCOMPARE(csvField("@SUM(A1)"), std::string("'@SUM(A1)"));
        QCOMPARE(csvField("\t=1"), std::string("\"'\t=1\""));
        QCOMPARE(csvField("=cmd|' /C calc'!A0,\"x\""), std::string("\"'=cmd|' /C calc'!A0,\"\"x\"\"\""));
        QCOMPARE(csvField("a\rb"), std::string("a\\u000db"));
        QCOMPARE(csvField(""), std::string());
    }
};

QTEST_GUILESS_MAIN(VisibleTest)
#include "visible_test.moc"
