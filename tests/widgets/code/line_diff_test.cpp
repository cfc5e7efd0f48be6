// SPDX-License-Identifier: GPL-3.0-or-later
// Line differences: exact on small cases, and consistent on random ones.
#include "widgets/code/code_text.h"
#include "widgets/code/line_diff.h"

#include <QRandomGenerator>
#include <QtTest>

using namespace nestwright::code;

namespace {

QString lines(const QString &letters)
{
    QString text;
    for (const QChar letter : letters)
        (text += letter) += '\n';
    return text;
}

/// "." unmarked, "+" added, "~" changed per line, then "-COUNT@LINE" for what went.
QString shown(const QString &older, const QString &newer, int maxEdits = 1000)
{
    const LineDiff diff = diffLines(CodeText(lines(older)), CodeText(lines(newer)), maxEdits);
    QString text;
    for (const LineMark mark : diff.marks)
        text += mark == LineMark::None ? '.' : mark == LineMark::Added ? '+' : '~';
    for (const RemovedLines &removed : diff.removed)
        text += QString(" -%1@%2").arg(removed.count).arg(removed.before);
    return text;
}

} // namespace

class LineDiffTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cutsLines()
    {
        const CodeText text("a\r\nbb\n\nccc");
        QCOMPARE(text.lineCount(), 4);
        QCOMPARE(text.line(1), QStringView(u"bb"));
        QCOMPARE(text.line(3), QStringView(u"ccc"));
        QCOMPARE(text.positionOf(6), (Position{3, 0}));
        QCOMPARE(text.offsetOf({1, 99}), 4);
        QCOMPARE(CodeText("a\n").lineCount(), 1);
        QCOMPARE(CodeText("").lineCount(), 1);
    }

    void small_data()
    {
        QTest::addColumn<QString>("older");
        QTest::addColumn<QString>("newer");
        QTest::addColumn<QString>("expected");
        QTest::newRow("same") << "abc" << "abc" << "...";
        QTest::newRow("added") << "ac" << "abc" << ".+.";
        QTest::newRow("removed") << "abc" << "ac" << ".. -1@1";
        QTest::newRow("changed") << "abc" << "axc" << ".~.";
        QTest::newRow("grown") << "abc" << "axyc" << ".~+.";
        QTest::newRow("shrunk") << "abcd" << "axd" << ".~. -1@2";
        QTest::newRow("at the end") << "ab" << "a" << ". -1@1";
        QTest::newRow("moved") << "abcd" << "bcda" << "...+ -1@0";
    }

    void small()
    {
        QFETCH(QString, older);
        QFETCH(QString, newer);
        QTEST(shown(older, newer), "expected");
    }

    void tooManyDifferencesCountAsChanged() { QCOMPARE(shown("xabcdey", "xfghijy", 3), QString(".~~~~~.")); }

    /// What is unmarked must be a common subsequence, and the counts must add up.
    void randomTextsAddUp()
    {
        QRandomGenerator random(20240607);
        for (int round = 0; round < 500; ++round) {
            QString older, newer;
            for (int i = random.bounded(12); i > 0; --i)
                older += QChar('a' + random.bounded(4));
            for (int i = random.bounded(12); i > 0; --i)
                newer += QChar('a' + random.bounded(4));
            if (older.isEmpty() || newer.isEmpty())
                continue;
            const LineDiff diff = diffLines(CodeText(lines(older)), CodeText(lines(newer)));
            QString kept;
            int changed = 0;
            for (int i = 0; i < newer.size(); ++i) {
                if (diff.marks[std::size_t(i)] == LineMark::None)
                    kept += newer[i];
                changed += diff.marks[std::size_t(i)] == LineMark::Changed;
            }
            int removed = 0;
            for (const RemovedLines &some : diff.removed)
                removed += some.count;
            QCOMPARE(kept.size() + changed + removed, older.size());
            int at = 0;
            for (const QChar letter : kept) {
                at = older.indexOf(letter, at) + 1;
                QVERIFY2(at > 0, qPrintable(older + " " + newer + " " + kept));
            }
        }
    }
};

QTEST_MAIN(LineDiffTest)
#include "line_diff_test.moc"
