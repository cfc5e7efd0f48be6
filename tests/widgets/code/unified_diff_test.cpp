// SPDX-License-Identifier: GPL-3.0-or-later
// A difference as one text: what went stands before what came, and loops are found where their lines are now.
#include "widgets/code/code_view.h"
#include "widgets/code/unified_diff.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::code;

namespace {

/// Each line behind its mark: " ", "+" or "-".
QString shown(const Source &source)
{
    const QStringList lines = source.text.split(u'\n');
    QString text;
    for (std::size_t i = 0; i < source.marks.size(); ++i) {
        const LineMark mark = source.marks[i];
        text += mark == LineMark::None      ? ' '
                : mark == LineMark::Added   ? '+'
                : mark == LineMark::Removed ? '-'
                                            : '?';
        text += lines[qsizetype(i)] + u'\n';
    }
    return text;
}

Source source(const QString &text)
{
    Source result;
    result.text = text;
    return result;
}

} // namespace

class UnifiedDiffTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bothTextsAndTheirMarks()
    {
        QCOMPARE(shown(unified(source("a\nx\ny\nc\n"), "a\nb\nc\nd\n")), QString(" a\n-b\n+x\n+y\n c\n-d\n"));
        QCOMPARE(shown(unified(source("a\n"), "a\n")), QString(" a\n"));
        QCOMPARE(shown(unified(source("b\n"), "a\n")), QString("-a\n+b\n"));
    }

    /// A loop around it moves a line to the right: that is no difference.
    void indentationIsNoDifference()
    {
        QCOMPARE(shown(unified(source("for i:\n  for j:\n    A[i] = 1\n"), "for i:\n  A[i] = 1\n")),
                 QString(" for i:\n+  for j:\n     A[i] = 1\n"));
    }

    void loopsAreFoundAgain()
    {
        Source newer = source("a\nx\nc\n");
        newer.spans = {{support::StmtId{7}, 0, 2, 1}, {support::StmtId{8}, 1, 1, 2}};
        newer.colors = {{2, 0, 1, 1, support::StmtId{7}}};
        const Source difference = unified(newer, "a\nb\nb\nc\n");
        QCOMPARE(shown(difference), QString(" a\n-b\n-b\n+x\n c\n"));
        QCOMPARE(difference.spans[0].firstLine, 0);
        QCOMPARE(difference.spans[0].lastLine, 4);
        QCOMPARE(difference.spans[1].firstLine, 3);
        QCOMPARE(difference.spans[1].lastLine, 3);
        QCOMPARE(difference.colors[0].line, 4);
    }

    /// Removed lines are red and have no number; the others keep theirs.
    void paintedInTheView()
    {
        look::Theme theme(*qApp, look::Mode::Light);
        CodeView view("Loop nest", nullptr);
        view.resize(400, 200);
        view.show();
        view.setSource(unified(source("a\nx\nc\n"), "a\nb\nc\n"));
        const auto ground = [&](int line) {
            const QImage image = view.viewport()->grab().toImage();
            return image.pixelColor(view.viewport()->width() - 3, int(view.rectOf({line, 0}).top()) + 1);
        };
        QCOMPARE(ground(0), look::lightTokens().pane);
        const QColor removed = ground(1), added = ground(2);
        QVERIFY(removed.red() > removed.green() && added.green() > added.red());
        QCOMPARE(ground(3), look::lightTokens().pane);
        view.setSource(source("a\nx\nc\n"));
        QCOMPARE(ground(1), look::lightTokens().pane);
    }
};

QTEST_MAIN(UnifiedDiffTest)
#include "unified_diff_test.moc"
