// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of the code pane. NESTWRIGHT_SHOTS=DIR also leaves pictures of it there.
#include "tests/widgets/code/code_sources.h"
#include "widgets/code/difference.h"
#include "widgets/code/find_bar.h"
#include "widgets/code/languages.h"
#include "widgets/look/card.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QDir>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QtTest>

using namespace nestwright;
using namespace nestwright::code;
using support::StmtId;

namespace {

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

class CodeColorsTest : public QObject {
    Q_OBJECT

    look::Theme *m_theme = nullptr;
    std::shared_ptr<const Languages> m_languages;
    std::unique_ptr<CodeView> m_view;

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
        QTest::newRow("SASS") << Language::Sass
                              << "// Made by NVRTC\n\nk:\n          S2R R0, SR_TID.X\n    @!P0  BRA .L_x_1\n"
                                 "          IMAD.WIDE R2, R0, 0x4, c[0x0][0x160]\n.L_x_1:\n          EXIT\n"
                              << "IMAD.WIDE";
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
};

QTEST_MAIN(CodeColorsTest)
#include "code_colors_test.moc"
