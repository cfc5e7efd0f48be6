// SPDX-License-Identifier: Apache-2.0
// Errors as people read them.
#include "core/support/errors/diagnostic.h"

#include "core/support/errors/errors.h"
#include "core/support/errors/shortened.h"

#include <QtTest>

using namespace nestwright::support;

class DiagnosticTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void messageCodeAndHint()
    {
        QCOMPARE(diagnostic("a.code", "what is wrong").render(),
                 std::string("error: what is wrong [a.code]"));
        QCOMPARE(diagnostic("", "what is wrong").withHint("what to do").render(),
                 std::string("error: what is wrong\n  hint: what to do"));
    }

    /// Statements have no line that a terminal could show.
    void theFirstPlaceOfAFileIsTold()
    {
        const Diagnostic told =
            diagnostic("", "wrong").at(StmtId{3}, "the block").at("a.py", 4, 7).at("b.py", 1, 2);
        QCOMPARE(told.render(), std::string("a.py:4:7: error: wrong"));
        QCOMPARE(told.locations.size(), 3U);
        QCOMPARE(told.locations.front().stmt, StmtId{3});
        QCOMPARE(told.locations.front().label, std::string("the block"));
        QCOMPARE(diagnostic("", "wrong").at(StmtId{3}).render(), std::string("error: wrong"));
    }

    void longMessagesKeepBeginningAndEnd()
    {
        const std::string longest(longestMessage, 'x');
        QCOMPARE(shortened(longest), longest);
        std::string longer = longest + 'x';
        longer.front() = 'a';
        longer.back() = 'z';
        const std::string cut = shortened(longer);
        QCOMPARE(cut, 'a' + std::string(longestMessage * 3 / 4 - 1, 'x') + " … "
                          + std::string(longestMessage / 4 - 1, 'x') + 'z');
        QCOMPARE(diagnostic("", longer).message, cut);
        Diagnostic grown = diagnostic("", "short");
        grown.message = longer;
        QCOMPARE(grown.render(), "error: " + cut);
    }

    /// A character of several bytes is there whole or not at all.
    void charactersAreNotCut()
    {
        for (std::size_t shift = 0; shift < 3; ++shift) {
            std::string text(shift, 'x');
            while (text.size() < 3 * longestMessage)
                text += "…";
            const std::string cut = shortened(text);
            QVERIFY(cut.size() < longestMessage + 10 && cut.size() > longestMessage - 10);
            QCOMPARE(QString::fromUtf8(cut).count(QChar::ReplacementCharacter), 0);
            QVERIFY(cut.ends_with("……"));
        }
        // Nothing but parts of characters behind the cut: nothing of it is kept.
        const std::string parts(2 * longestMessage, '\x80');
        QVERIFY(shortened('a' + std::string(longestMessage, 'x') + parts).ends_with(" … "));
    }

    void bugsNameTheirPlace()
    {
        try {
            internalError("file.cpp", 12, "a == b", "told more");
            QFAIL("no error");
        } catch (const InternalError &error) {
            QCOMPARE(std::string(error.what()),
                     std::string("internal error at file.cpp:12: a == b: told more"));
        }
        QVERIFY_THROWS_EXCEPTION(InternalError, NW_ASSERT(1 + 1 == 3, "no sum"));
        NW_ASSERT(1 + 1 == 2, (qFatal("asked for a message of nothing"), ""));
        QCOMPARE(UserError(diagnostic("a.code", "wrong")).what(), "wrong");
    }
};

QTEST_GUILESS_MAIN(DiagnosticTest)
#include "diagnostic_test.moc"
