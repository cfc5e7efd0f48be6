// SPDX-License-Identifier: GPL-3.0-or-later
// Differences: exact on small cases, consistent on random ones, and walked through by keys and clicks.
#include "widgets/code/code_text.h"
#include "widgets/code/code_view.h"
#include "widgets/code/difference_bar.h"
#include "widgets/code/difference_view.h"
#include "widgets/code/word_difference.h"
#include "widgets/look/button.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QLabel>
#include <QRandomGenerator>
#include <QScrollBar>
#include <QtTest>

#include <ranges>

using namespace nestwright;
using namespace nestwright::code;

namespace {

Source source(const QString &text)
{
    Source result;
    result.text = text;
    return result;
}

Difference difference(const QString &older, const QString &newer)
{
    return differenceOf(source(older), source(newer));
}

/// Each line behind its mark: " ", "+", "-" or "/".
QString shown(const Source &source)
{
    const QStringList lines = source.text.split(u'\n');
    QString text;
    for (std::size_t i = 0; i < source.marks.size(); ++i)
        text += QLatin1String(" +-/")[int(source.marks[i])] + lines[qsizetype(i)] + u'\n';
    return text;
}

QString inLines(const QString &letters)
{
    QString text;
    for (const QChar letter : letters)
        (text += letter) += u'\n';
    return text;
}

/// The words of both lines that differ, in brackets.
QString differingWords(QString older, QString newer)
{
    const WordDifference words = differentWords(older, newer);
    const auto bracket = [](QString &line, const std::vector<std::pair<int, int>> &ranges) {
        for (const auto &[column, length] : std::views::reverse(ranges))
            line.insert(column + length, u']').insert(column, u'[');
    };
    bracket(older, words.older);
    bracket(newer, words.newer);
    return older + u'|' + newer;
}

} // namespace

class DifferenceTest : public QObject {
    Q_OBJECT

    std::unique_ptr<look::Theme> m_theme;
    std::unique_ptr<DifferenceView> m_view;

    look::Button *button(const char *name) const
    {
        for (look::Button *each : m_view->findChildren<look::Button *>()) {
            if (each->accessibleName() == QLatin1String(name))
                return each;
        }
        return nullptr;
    }
    bool says(const char *text) const
    {
        const QList<QLabel *> labels = m_view->findChildren<QLabel *>();
        return std::ranges::any_of(labels, [&](const QLabel *label) {
            return label->isVisible() && label->text() == QLatin1String(text);
        });
    }
    /// 200 lines, three of them changed, all of them further to the right.
    static std::pair<QString, QString> longTexts()
    {
        QString older, newer;
        for (int i = 0; i < 200; ++i) {
            older += QString("line %1\n").arg(i);
            newer += i == 20    ? QString("  new line\n  line 20\n")
                     : i == 100 ? QString("  line of another kind\n")
                     : i == 150 ? QString()
                                : QString("  line %1\n").arg(i);
        }
        return {older, newer};
    }

private Q_SLOTS:
    /// Runs of common lines stand as one but for those around a change.
    void commonLinesAreFolded()
    {
        std::vector<LinePair> pairs;
        for (int line = 0; line < 10; ++line)
            pairs.push_back({line, line, line != 6});
        const std::vector<LinePair> expected{{0, 0, true, 4}, {4, 4, true}, {5, 5, true}, {6, 6, false},
                                             {7, 7, true},    {8, 8, true}, {9, 9, true}};
        QCOMPARE(folded(pairs, 2), expected); // four lines are folded, one is not
        QCOMPARE(folded(std::span(pairs).first(6), 2), (std::vector<LinePair>{{0, 0, true, 6}}));
        QCOMPARE(folded({}, 2), std::vector<LinePair>());
        Source older = source(inLines("abcdefghij")), newer = source(inLines("abcdefGhij"));
        older.spans = newer.spans = {{support::StmtId{1}, 1, 2}, {support::StmtId{2}, 3, 7}};
        newer.emphasis = {{1, 0, 1}, {5, 0, 1}};
        const Difference difference = differenceOf(older, newer, folded(pairs, 2));
        QCOMPARE(shown(difference.newer), QString(" ⋯ 4 lines are the same\n e\n f\n+G\n h\n i\n j\n"));
        QCOMPARE(shown(difference.older), QString(" ⋯ 4 lines are the same\n e\n f\n-g\n h\n i\n j\n"));
        QCOMPARE(shown(difference.unified), QString(" ⋯ 4 lines are the same\n e\n f\n-g\n+G\n h\n i\n j\n"));
        // A loop whose lines are folded has the line that stands for them.
        QCOMPARE(difference.newer.spans[0].firstLine, 0);
        QCOMPARE(difference.newer.spans[0].lastLine, 0);
        QCOMPARE(difference.newer.spans[1].firstLine, 0);
        QCOMPARE(difference.newer.spans[1].lastLine, 4);
        QCOMPARE(difference.newer.emphasis.size(), std::size_t(1)); // not that of a folded line
        QCOMPARE(difference.newer.emphasis[0].line, 2);
    }

    void init()
    {
        m_theme = std::make_unique<look::Theme>(*qApp, look::Mode::Light);
        m_view = std::make_unique<DifferenceView>("Loop nest", nullptr);
        m_view->resize(700, 300);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup() { m_view.reset(); }

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

    void bothForms_data()
    {
        QTest::addColumn<QString>("older");
        QTest::addColumn<QString>("newer");
        QTest::addColumn<QString>("unified");
        QTest::addColumn<QString>("left");
        QTest::addColumn<QString>("right");
        QTest::newRow("same") << "ab" << "ab" << " a b" << " a b" << " a b";
        QTest::newRow("added") << "ac" << "abc" << " a+b c" << " a/ c" << " a+b c";
        QTest::newRow("removed") << "abc" << "ac" << " a-b c" << " a-b c" << " a/ c";
        QTest::newRow("changed") << "abc" << "axc" << " a-b+x c" << " a-b c" << " a+x c";
        QTest::newRow("grown") << "abc" << "axyc" << " a-b+x+y c" << " a-b/ c" << " a+x+y c";
        QTest::newRow("shrunk") << "abcd" << "axd" << " a-b-c+x d" << " a-b-c d" << " a+x/ d";
        QTest::newRow("at the end") << "ab" << "a" << " a-b" << " a-b" << " a/";
        QTest::newRow("at the beginning") << "ab" << "b" << "-a b" << "-a b" << "/ b";
        QTest::newRow("moved") << "abcd" << "bcda" << "-a b c d+a" << "-a b c d/" << "/ b c d+a";
    }
    void bothForms()
    {
        QFETCH(QString, older);
        QFETCH(QString, newer);
        const Difference made = difference(inLines(older), inLines(newer));
        QTEST(shown(made.unified).remove(u'\n'), "unified");
        QTEST(shown(made.older).remove(u'\n'), "left");
        QTEST(shown(made.newer).remove(u'\n'), "right");
        QCOMPARE(changesOf(made.unified).size(), changesOf(made.newer).size());
        QCOMPARE(changesOf(made.older), changesOf(made.newer));
    }

    /// A loop around it moves a line to the right: that is no difference.
    void indentationIsNoDifference()
    {
        const Difference made = difference("for i:\n  A[i] = 1\n", "for i:\n  for j:\n    A[i] = 1\n");
        QCOMPARE(shown(made.unified), QString(" for i:\n+  for j:\n     A[i] = 1\n"));
        QCOMPARE(shown(made.older), QString(" for i:\n/\n   A[i] = 1\n"));
        QVERIFY(changesOf(difference("a\n  b\n", "  a\nb  \n").unified).empty());
    }

    /// Unmarked lines are those of both texts, and no line is lost.
    void randomTextsAddUp()
    {
        QRandomGenerator random(20240607);
        for (int round = 0; round < 500; ++round) {
            QString older, newer;
            for (int i = 1 + random.bounded(12); i > 0; --i)
                older += QChar('a' + random.bounded(4));
            for (int i = 1 + random.bounded(12); i > 0; --i)
                newer += QChar('a' + random.bounded(4));
            const Difference made = difference(inLines(older), inLines(newer));
            const auto with = [&](const Source &text, std::initializer_list<LineMark> marks) {
                QString letters;
                const QStringList lines = text.text.split(u'\n');
                for (std::size_t i = 0; i < text.marks.size(); ++i) {
                    if (std::ranges::contains(marks, text.marks[i]))
                        letters += lines[qsizetype(i)];
                }
                return letters;
            };
            QCOMPARE(with(made.unified, {LineMark::None, LineMark::Added}), newer);
            QCOMPARE(with(made.unified, {LineMark::None, LineMark::Removed}), older);
            QCOMPARE(with(made.older, {LineMark::None, LineMark::Removed}), older);
            QCOMPARE(with(made.newer, {LineMark::None, LineMark::Added}), newer);
            QCOMPARE(made.older.marks.size(), made.newer.marks.size());
        }
    }

    void loopsAreFoundAgain()
    {
        Source older = source("a\nb\nb\nc\n"), newer = source("a\nx\nc\n");
        newer.spans = {{support::StmtId{7}, 0, 2, 1}, {support::StmtId{8}, 1, 1, 2}};
        newer.colors = {{2, 0, 1, 1, support::StmtId{7}}};
        older.spans = {{support::StmtId{7}, 0, 3, 1}};
        older.colors = {{1, 0, 1, 1, support::StmtId{7}}};
        const Difference made = differenceOf(older, newer);
        QCOMPARE(shown(made.unified), QString(" a\n-b\n-b\n+x\n c\n"));
        QCOMPARE(made.unified.spans[0].lastLine, 4);
        QCOMPARE(made.unified.spans[1].firstLine, 3);
        QCOMPARE(made.unified.colors[0].line, 4);
        QCOMPARE(made.unified.colors[1].line, 1); // of a line that went
        QCOMPARE(made.unified.numbers, (std::vector{1, 0, 0, 2, 3}));
        QCOMPARE(made.newer.spans[0].lastLine, 3);
        QCOMPARE(made.newer.numbers, (std::vector{1, 2, 0, 3}));
        QCOMPARE(made.older.spans[0].lastLine, 3);
        QCOMPARE(made.older.numbers, (std::vector{1, 2, 3, 4}));
    }

    void words_data()
    {
        QTest::addColumn<QString>("older");
        QTest::addColumn<QString>("newer");
        QTest::addColumn<QString>("words");
        QTest::newRow("a number") << "for i in range(32):" << "for i in range(64):"
                                  << "for i in range([32]):|for i in range([64]):";
        QTest::newRow("a kind") << "for i in range(32):" << "for i in T.parallel(32):"
                                << "for i in [range](32):|for i in [T.parallel](32):";
        QTest::newRow("indented") << "A[i] = 1" << "    A[i] = 1" << "A[i] = 1|    A[i] = 1";
        QTest::newRow("too little in common") << "with T.init():" << "for k_0 in range(8):"
                                              << "with T.init():|for k_0 in range(8):";
    }
    void words()
    {
        QFETCH(QString, older);
        QFETCH(QString, newer);
        QTEST(differingWords(older, newer), "words");
    }

    /// Removed lines are red and have no number; the others keep theirs.
    void paintedInTheView()
    {
        m_view->showDifference(difference("a\nb\nc\n", "a\nx\nc\n"), "from before");
        const auto ground = [&](const CodeView *view, int line) {
            const QImage image = view->viewport()->grab().toImage();
            const double top = const_cast<CodeView *>(view)->rectOf({line, 0}).top();
            return image.pixelColor(view->viewport()->width() - 3, int(top) + 1);
        };
        QCOMPARE(ground(m_view->view(), 0), look::lightTokens().pane);
        const QColor removed = ground(m_view->view(), 1), added = ground(m_view->view(), 2);
        QVERIFY(removed.red() > removed.green() && added.green() > added.red());
        QCOMPARE(ground(m_view->view(), 3), look::lightTokens().pane);
        m_view->setSideBySide(true);
        QTRY_COMPARE(ground(m_view->olderView(), 1), removed);
        QCOMPARE(ground(m_view->view(), 1), added);
        QCOMPARE(ground(m_view->view(), 2), look::lightTokens().pane);
        m_view->showSource(source("a\nx\nc\n"));
        QCOMPARE(ground(m_view->view(), 1), look::lightTokens().pane);
        QVERIFY(!m_view->olderView()->isVisible());
    }

    void changesAreWalkedThrough()
    {
        const auto [older, newer] = longTexts();
        m_view->showDifference(difference(older, newer), "from before");
        QVERIFY(says("from before") && says("3 changes"));
        QVERIFY(m_view->view()->lastVisibleLine() >= 20); // the first is in sight from the beginning
        QTest::mouseClick(button("Next change"), Qt::LeftButton);
        QVERIFY(says("1 of 3"));
        QCOMPARE(m_view->view()->cursor().line, 20);
        QTest::mouseClick(button("Next change"), Qt::LeftButton);
        QVERIFY(says("2 of 3"));
        QCOMPARE(shown(m_view->view()->source()).split(u'\n')[m_view->view()->cursor().line],
                 QString("-line 100"));
        QVERIFY(m_view->view()->firstVisibleLine() <= 101 && m_view->view()->lastVisibleLine() >= 102);
        QTest::mouseClick(button("Next change"), Qt::LeftButton);
        QTest::mouseClick(button("Next change"), Qt::LeftButton);
        QVERIFY(says("1 of 3")); // from the last to the first
        QTest::mouseClick(button("Previous change"), Qt::LeftButton);
        QVERIFY(says("3 of 3"));
        m_view->view()->setFocus();
        QTest::keyClick(m_view->view(), Qt::Key_Down);
        QVERIFY(says("3 changes"));
        QTest::mouseClick(button("Previous change"), Qt::LeftButton);
        QVERIFY(says("3 of 3"));
    }

    void sideBySideScrollsAsOne()
    {
        const auto [older, newer] = longTexts();
        m_view->showDifference(difference(older, newer), "from before");
        QTest::mouseClick(button("Next change"), Qt::LeftButton);
        QTest::mouseClick(button("Next change"), Qt::LeftButton);
        QTest::mouseClick(button("Side by side"), Qt::LeftButton);
        QVERIFY(m_view->olderView()->isVisible());
        QVERIFY(says("2 of 3"));
        CodeView *left = m_view->olderView(), *right = m_view->view();
        const auto topsAreLevel = [&] {
            return left->rectOf({101, 0}).top() == right->rectOf({101, 0}).top();
        };
        QVERIFY(topsAreLevel());
        QCOMPARE(left->text().line(101), QStringView(u"line 100"));
        QCOMPARE(right->text().line(101), QStringView(u"  line of another kind"));
        right->setFocus();
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(right, Qt::Key_PageDown);
        QVERIFY(topsAreLevel() && left->firstVisibleLine() > 101);
        left->setFocus();
        QTest::keyClick(left, Qt::Key_Home, Qt::ControlModifier);
        QCOMPARE(right->firstVisibleLine(), 0);
        QTest::keyClick(left, Qt::Key_Plus, Qt::ControlModifier);
        QCOMPARE(right->zoom(), left->zoom());
        QVERIFY(topsAreLevel());
        QTest::mouseClick(button("Side by side"), Qt::LeftButton);
        QVERIFY(!left->isVisible());
    }

    void nothingDiffers()
    {
        m_view->showDifference(difference("a\nb\n", "  a\n  b\n"), "from before");
        QVERIFY(says("no change"));
        QTest::mouseClick(button("Next change"), Qt::LeftButton);
        QCOMPARE(m_view->currentChange(), -1);
        QVERIFY(!button("Next change")->reason().isEmpty());
    }

    /// A preview takes the place of the shown text, and no more room than that.
    void previewsKeepTheTitle()
    {
        m_view->showSource(source("a\nb\n"));
        const int height = m_view->view()->height();
        m_view->showPreview(difference("a\nb\n", "a\nc\n"));
        QCOMPARE(shown(m_view->view()->source()), QString(" a\n-b\n+c\n"));
        QCOMPARE(m_view->view()->height(), height);
        m_view->setSideBySide(true);
        QVERIFY(!m_view->olderView()->isVisible());
        m_view->showDifference(difference("a\n", "b\n"), "from before");
        m_view->showPreview(difference("a\nb\n", "a\nc\n"));
        QVERIFY(m_view->olderView()->isVisible());
        QCOMPARE(shown(m_view->olderView()->source()), QString(" a\n-b\n"));
    }
};

QTEST_MAIN(DifferenceTest)
#include "difference_test.moc"
