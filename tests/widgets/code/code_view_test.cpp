// SPDX-License-Identifier: GPL-3.0-or-later
// The code pane by mouse and key. NESTWRIGHT_SHOTS=DIR also leaves pictures of it there.
#include "widgets/code/code_view.h"
#include "widgets/code/difference.h"
#include "widgets/code/find_bar.h"
#include "widgets/code/languages.h"
#include "widgets/look/card.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QClipboard>
#include <QDir>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QScrollBar>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::code;
using support::StmtId;

namespace {

const char *const nest = R"(@T.prim_func
def main(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32")):
  for io in T.parallel(32):
    for jo, ko in T.grid(32, 256):
      for ii in range(32):
        for ki in T.unroll(4):
          for ji in T.vectorized(32):
            with T.block("C"):
              vi = T.axis.S(1024, io*32+ii)
              vj = T.axis.S(1024, jo*32+ji)
              vk = T.axis.R(1024, ko*4+ki)
              with T.init():  # once per element
                C[vi,vj] = 0.0
              C[vi,vj] += A[vi,vk]*B[vk,vj]
)";

const char *const assembly = R"(	.text
	.globl	main
.LBB0_5:
  vbroadcastss zmm4, [rsi+4*rax]
  vmovups      zmm5, [rdx]
  vmovups      zmm6, [rdx+64]       # reload
  vfmadd231ps  zmm0, zmm4, zmm5
  vfmadd231ps  zmm1, zmm4, [rdx+8256]
  add          rax, 0x40
  inc          rax
  cmp          rax, 32
  jne          .LBB0_5
)";

enum : std::uint32_t { io = 1, jo, ko, ii, ki, ji, block };

Source nestSource()
{
    Source source{QString::fromLatin1(nest), Language::TvmScript, {}, {}};
    const auto span = [&](std::uint32_t id, int first, int axis) {
        source.spans.push_back({StmtId{id}, first, 13, axis});
    };
    span(io, 2, 0), span(jo, 3, 1), span(ko, 3, 2), span(ii, 4, 0), span(ki, 5, 2), span(ji, 6, 1),
        span(block, 7, -3);
    const std::pair<const char *, std::pair<std::uint32_t, int>> names[] = {
        {"io", {io, 0}}, {"jo", {jo, 1}}, {"ko", {ko, 2}}, {"ii", {ii, 0}}, {"ki", {ki, 2}}, {"ji", {ji, 1}}};
    const QStringList lines = source.text.split('\n');
    for (const auto &[name, loop] : names) {
        const QRegularExpression word(QString("\\b%1\\b").arg(name));
        for (int line = 2; line < 12; ++line)
            for (auto it = word.globalMatch(lines[line]); it.hasNext();) {
                const auto match = it.next();
                source.colors.push_back(
                    {line, int(match.capturedStart()), 2, loop.second, StmtId{loop.first}});
            }
    }
    return source;
}

Source longSource(int lines)
{
    QString text;
    for (int i = 0; i < lines; ++i)
        text += QStringLiteral("  vfmadd231ps  zmm%1, zmm4, [rdx+%2]\n").arg(i % 32).arg(i);
    return {text, Language::Assembly, {{StmtId{7}, lines - 20, lines - 11, 0}}, {}};
}

std::vector<QColor> colorsIn(const QImage &image, const QRectF &rect)
{
    std::vector<QColor> colors;
    for (int y = int(rect.top()); y < int(rect.bottom()); ++y)
        for (int x = int(rect.left()); x < int(rect.right()); ++x)
            colors.push_back(image.pixelColor(x, y));
    return colors;
}

bool hasColor(const QImage &image, const QRectF &rect, const QColor &wanted)
{
    return std::ranges::any_of(colorsIn(image, rect), [&](const QColor &color) {
        return std::abs(color.red() - wanted.red()) + std::abs(color.green() - wanted.green())
                   + std::abs(color.blue() - wanted.blue())
               < 40;
    });
}

} // namespace

class CodeViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_theme = new look::Theme(*qApp, look::Mode::Light);
        QElapsedTimer timer;
        timer.start();
        m_languages = std::make_shared<Languages>();
        qInfo("index of languages read in %lld ms", timer.elapsed());
    }

    void init()
    {
        m_view = std::make_unique<CodeView>("Loop nest", m_languages);
        m_view->resize(420, 360);
        m_view->setSource(nestSource());
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup() { m_view.reset(); }

    void clickMeansTheInnermostLoop()
    {
        QSignalSpy spy(m_view.get(), &CodeView::lineClicked);
        click({6, 12});
        QCOMPARE(spy.count(), 1);
        QCOMPARE(spy[0][0].toInt(), 6);
        QCOMPARE(spy[0][1].value<StmtId>(), StmtId{ji});
        click({12, 20});
        QCOMPARE(spy[1][1].value<StmtId>(), StmtId{block});
        // Two loops share the line of a grid: the variable tells which.
        click({3, 9});
        QCOMPARE(spy[2][1].value<StmtId>(), StmtId{jo});
        click({3, 13});
        QCOMPARE(spy[3][1].value<StmtId>(), StmtId{ko});
        click({1, 4});
        QCOMPARE(spy[4][1].value<StmtId>(), StmtId{});
    }

    void hoverTellsAndLeaves()
    {
        QSignalSpy spy(m_view.get(), &CodeView::lineHovered);
        QTest::mouseMove(m_view->viewport(), at({4, 8}));
        QTRY_VERIFY(!spy.isEmpty());
        QCOMPARE(spy.last()[1].value<StmtId>(), StmtId{ii});
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(m_view->viewport(), &leave);
        QCOMPARE(spy.last()[0].toInt(), -1);
    }

    void highlightedLinesAreFilledWithABarInTheAxisColour()
    {
        m_view->setHighlighted({StmtId{ii}});
        const QImage image = m_view->viewport()->grab().toImage();
        const look::Tokens &t = look::lightTokens();
        const double right = m_view->viewport()->width() - 3;
        for (int line = 0; line < 14; ++line) {
            const double y = m_view->rectOf({line, 0}).top() + 1; // above the letters
            QCOMPARE(image.pixelColor(int(right), int(y)), line >= 4 ? t.selectionFill : t.pane);
            QCOMPARE(image.pixelColor(1, int(y)), line >= 4 ? t.axes[0] : t.pane);
        }
    }

    void codeIsColoured()
    {
        const QImage image = m_view->viewport()->grab().toImage();
        const look::Tokens &t = look::lightTokens();
        QVERIFY(hasColor(image, m_view->rectOf({0, 0}, 12), t.builtin));  // @T.prim_func
        QVERIFY(hasColor(image, m_view->rectOf({1, 0}, 3), t.keyword));   // def
        QVERIFY(hasColor(image, m_view->rectOf({2, 6}, 2), t.axes[0]));   // io
        QVERIFY(hasColor(image, m_view->rectOf({3, 8}, 2), t.axes[1]));   // jo
        QVERIFY(hasColor(image, m_view->rectOf({12, 27}, 3), t.number));  // 0.0
        QVERIFY(!hasColor(image, m_view->rectOf({12, 16}, 8), t.number)); // C[vi,vj]
    }

    void textIsSelectedByDraggingAndCopied()
    {
        const QPoint from = at({4, 6});
        const QPoint to = at({5, 11});
        QSignalSpy clicked(m_view.get(), &CodeView::lineClicked);
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(m_view->viewport(), to);
        QMouseEvent move(QEvent::MouseMove, to, m_view->viewport()->mapToGlobal(to), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(m_view->viewport(), &move);
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, to);
        QCOMPARE(m_view->selectedText(), QString("for ii in range(32):\n        for"));
        QCOMPARE(clicked.count(), 0); // a drag is no click
        QTest::keyClick(m_view.get(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), m_view->selectedText());
    }

    void doubleClickSelectsAWord()
    {
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, at({6, 22}));
        QCOMPARE(m_view->selectedText(), QString("vectorized"));
    }

    void keysMoveAndSelect()
    {
        m_view->setFocus();
        m_view->goToLine(4);
        QTest::keyClick(m_view.get(), Qt::Key_End);
        QCOMPARE(m_view->cursor(), (Position{4, 26}));
        QCOMPARE(m_view->accessibleDescription(), QString("line 5:       for ii in range(32):"));
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QTest::keyClick(m_view.get(), Qt::Key_Home, Qt::ShiftModifier);
        QCOMPARE(m_view->selectedText(), QString("        for ki in T.unroll"));
        QSignalSpy spy(m_view.get(), &CodeView::lineClicked);
        QTest::keyClick(m_view.get(), Qt::Key_Return);
        QCOMPARE(spy[0][1].value<StmtId>(), StmtId{ki});
        QTest::keyClick(m_view.get(), Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(m_view->cursor().line, 13);
        QTest::keyClick(m_view.get(), Qt::Key_A, Qt::ControlModifier);
        QCOMPARE(m_view->selectedText(), QString(nest).trimmed());
    }

    void lettersAreLeftToTheWindow()
    {
        QKeyEvent letter(QEvent::KeyPress, Qt::Key_S, Qt::NoModifier, "s");
        QApplication::sendEvent(m_view.get(), &letter);
        QVERIFY(!letter.isAccepted());
    }

    void findGoesThroughMatches()
    {
        QTest::keyClick(m_view.get(), Qt::Key_F, Qt::ControlModifier);
        auto *edit = m_view->findBar()->findChild<QLineEdit *>();
        QVERIFY(m_view->findBar()->isVisible());
        QTest::keyClicks(edit, "t.axis");
        QCOMPARE(m_view->findBar()->matches().size(), 3U);
        QCOMPARE(m_view->cursor().line, 8);
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(m_view->cursor().line, 9);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(m_view->cursor().line, 10); // around the end
        QCOMPARE(m_view->selectedText(), QString("T.axis"));
        edit->clear();
        QTest::keyClicks(edit, "T.AXIS"); // a capital: case matters
        QCOMPARE(m_view->findBar()->matches().size(), 0U);
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!m_view->findBar()->isVisible());
        QVERIFY(m_view->hasFocus());
    }

    void goToLineByKey()
    {
        m_view->setSource(longSource(5000));
        QTest::keyClick(m_view.get(), Qt::Key_G, Qt::ControlModifier);
        auto *edit = m_view->findBar()->findChild<QLineEdit *>();
        QTest::keyClicks(edit, "4180");
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(m_view->cursor().line, 4179);
        QVERIFY(m_view->firstVisibleLine() <= 4179 && m_view->lastVisibleLine() >= 4179);
    }

    void scrollingMovesNothingThatIsSeen()
    {
        m_view->setSource(longSource(1000));
        m_view->scrollToLine(500);
        const int value = m_view->verticalScrollBar()->value();
        m_view->scrollToLine(m_view->firstVisibleLine());
        m_view->scrollToLine(m_view->lastVisibleLine());
        QCOMPARE(m_view->verticalScrollBar()->value(), value);
        m_view->scrollTo(StmtId{7});
        QVERIFY(m_view->firstVisibleLine() <= 980 && m_view->lastVisibleLine() >= 989);
    }

    void sameTextKeepsItsPlace()
    {
        m_view->setSource(longSource(1000));
        m_view->scrollToLine(500);
        const int value = m_view->verticalScrollBar()->value();
        m_view->setSource(longSource(1001));
        QCOMPARE(m_view->verticalScrollBar()->value(), value);
    }

    void wheelZooms()
    {
        QSignalSpy spy(m_view.get(), &CodeView::zoomChanged);
        const double height = m_view->rectOf({0, 0}).height();
        const QPointF where(100, 100);
        QWheelEvent wheel(where, m_view->viewport()->mapToGlobal(where), {}, {0, 120}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        for (int i = 0; i < 4; ++i)
            QApplication::sendEvent(m_view->viewport(), &wheel);
        QCOMPARE(spy.count(), 4);
        QVERIFY(m_view->rectOf({0, 0}).height() > height * 1.3);
        m_view->setFocus();
        QTest::keyClick(m_view.get(), Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(m_view->rectOf({0, 0}).height(), height);
    }

    void emptyTextIsHarmless()
    {
        m_view->setSource({});
        m_view->setEmptyText("No kernel is open", "Open a file, or start from an example");
        m_view->grab();
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, {100, 100});
        m_view->copy();
        QCOMPARE(m_view->selectedText(), QString());
    }

    void hundredThousandLinesOpenAtOnce()
    {
        const Source source = longSource(100'000);
        QElapsedTimer timer;
        timer.start();
        m_view->setSource(source);
        m_view->viewport()->repaint();
        const qint64 opened = timer.elapsed();
        timer.restart();
        m_view->scrollToLine(99'000);
        m_view->viewport()->repaint();
        const qint64 jumped = timer.elapsed();
        timer.restart();
        m_view->setHighlighted({StmtId{7}});
        m_view->scrollTo(StmtId{7});
        m_view->viewport()->repaint();
        qInfo("100,000 lines: open %lld ms, jump to the end %lld ms, link %lld ms", opened, jumped,
              timer.elapsed());
        QCOMPARE(m_view->text().lineCount(), 100'000);
        QVERIFY(m_view->firstVisibleLine() <= 99'980 && m_view->lastVisibleLine() >= 99'989);
    }

    void stateFarBelowIsFoundOut()
    {
        // A string opened in the first line holds everything below: only known after all lines were gone
        // through.
        QString text = "x = \"\"\"\n";
        for (int i = 0; i < 3000; ++i)
            text += "for i in range(10):\n";
        m_view->setSource({text, Language::TvmScript, {}, {}});
        m_view->scrollToLine(2900);
        const int line = m_view->firstVisibleLine() + 1;
        const auto isString = [&] {
            const QImage image = m_view->viewport()->grab().toImage();
            return hasColor(image, m_view->rectOf({line, 0}, 3), look::lightTokens().string);
        };
        QTRY_VERIFY(isString());
    }

    void everyLanguageIsColoured_data()
    {
        QTest::addColumn<Language>("language");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("word"); // that is not in the colour of plain text
        QTest::newRow("TVMScript") << Language::TvmScript
                                   << "for i in T.serial(4):\n    A[i] = T.float32(0)  # zero\n"
                                   << "T.serial";
        QTest::newRow("schedule") << Language::Python << "import tvm\nblock = sch.get_block(\"C\")\n"
                                  << "import";
        QTest::newRow("C")
            << Language::C
            << "#include <math.h>\nstatic void f(float *restrict a, int64_t n) {\n  /* all */ for (int i = "
               "0; i < n; ++i) a[i] = 1.5f;\n}\n"
            << "for";
        QTest::newRow("CUDA")
            << Language::Cuda
            << "extern \"C\" __global__ void __launch_bounds__(64) k(float* __restrict__ A) {\n  "
               "__shared__ float s[32];\n  int i = blockIdx.x * 64 + threadIdx.x; // lane\n  "
               "__syncthreads();\n}\n"
            << "__global__";
        QTest::newRow("OpenCL") << Language::OpenCl
                                << "__kernel void k(__global float *A) {\n  int i = get_global_id(0);\n}\n"
                                << "__kernel";
        QTest::newRow("LLVM IR")
            << Language::LlvmIr
            << "define i32 @main(ptr %0) #0 {\nentry:\n  %v = load <8 x float>, ptr %0, align 32 ; "
               "vector\n  %s = fadd contract <8 x float> %v, %v\n  ret i32 0\n}\n"
            << "define";
        QTest::newRow("assembly") << Language::Assembly << assembly << "vmovups";
        QTest::newRow("PTX")
            << Language::Ptx
            << ".version 8.0\n.visible .entry k(.param .u64 A) {\n  .reg .f32 %f<4>;\n  mad.lo.s32 %r1, "
               "%r2, 64, %r3;\n  @%p1 bra $L__BB0_2; // out\n  ret;\n}\n"
            << "mad.lo.s32";
        QTest::newRow("JSON") << Language::Json << "{\"name\": [1, 2.5, true]}\n" << "\"name\"";
    }

    void everyLanguageIsColoured()
    {
        QFETCH(Language, language);
        QFETCH(QString, code);
        QFETCH(QString, word);
        m_view->setSource({code, language, {}, {}});
        const qsizetype offset = code.indexOf(word);
        const QImage image = m_view->viewport()->grab().toImage();
        const Position place = m_view->text().positionOf(offset);
        const QRectF rect = m_view->rectOf(place, int(word.size()));
        QVERIFY(!hasColor(image, rect, look::lightTokens().text));
        if (const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS"); !folder.isEmpty())
            QVERIFY(m_view->grab().save(
                QDir(folder).filePath(QString("code-%1.png").arg(QTest::currentDataTag()))));
    }

    void picture()
    {
        const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS");
        for (const look::Mode mode : {look::Mode::Light, look::Mode::Dark}) {
            m_theme->setMode(mode);
            QWidget window;
            window.resize(1000, 420);
            auto *layout = new QHBoxLayout(&window);
            auto *left = new look::Card("Loop nest");
            left->header()->setSecondary("TVMScript · diff to parent");
            auto *nestView = new CodeView("Loop nest", m_languages);
            Source older;
            older.text = QString(nest)
                             .replace("T.unroll(4)", "range(4)")
                             .replace("    for jo, ko in T.grid(32, 256):\n", "");
            nestView->setSource(differenceOf(older, nestSource()).unified);
            nestView->setHighlighted({StmtId{ii}});
            left->setContent(nestView);
            auto *right = new look::Card("Target source");
            right->header()->setTabs({"asm", "LLVM IR", "C", "CUDA", "PTX", "OpenCL"});
            auto *asmView = new CodeView("Target source", m_languages);
            Source source{QString::fromLatin1(assembly), Language::Assembly, {{StmtId{ii}, 3, 7, 0}}, {}};
            source.text += longSource(500).text;
            asmView->setSource(source);
            asmView->setHighlighted({StmtId{ii}});
            right->setContent(asmView);
            layout->addWidget(left);
            layout->addWidget(right);
            auto *empty = new look::Card("Target source");
            auto *nothing = new CodeView("Nothing", m_languages);
            nothing->setEmptyText("No source yet", "Open a kernel to see what it becomes");
            empty->setContent(nothing);
            empty->setFixedWidth(200);
            layout->addWidget(empty);
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            asmView->openFind();
            QTest::keyClicks(asmView->findBar()->findChild<QLineEdit *>(), "zmm4");
            const QPixmap shot = window.grab();
            QVERIFY(!shot.isNull());
            if (!folder.isEmpty())
                QVERIFY(shot.save(
                    QDir(folder).filePath(mode == look::Mode::Dark ? "code-dark.png" : "code-light.png")));
        }
        m_theme->setMode(look::Mode::Light);
    }

private:
    QPoint at(Position position) { return m_view->rectOf(position).center().toPoint() - QPoint(2, 0); }
    void click(Position position) { QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, at(position)); }

    look::Theme *m_theme = nullptr;
    std::shared_ptr<const Languages> m_languages;
    std::unique_ptr<CodeView> m_view;
};

QTEST_MAIN(CodeViewTest)
#include "code_view_test.moc"
