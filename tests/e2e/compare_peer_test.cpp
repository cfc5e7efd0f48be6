// SPDX-License-Identifier: GPL-3.0-or-later
// A variant beside the code of others, by mouse and keys: a file, one of its functions, a library at work.
#include "app/window/tools/compare_window.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/matmul_scripts.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/code/code_view.h"
#include "widgets/code/difference_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"

#include <QComboBox>
#include <QInputDialog>
#include <QTreeWidget>

using namespace nestwright;
using app::CompareWindow;
using e2e::patience;
using session::VariantId;

namespace {

const char *const matmul = R"(from tvm import te
A = te.placeholder((256, 256), name="A")
B = te.placeholder((256, 256), name="B")
k = te.reduce_axis((0, 256), name="k")
C = te.compute((256, 256), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
func = te.create_prim_func([A, B, C])
)";

const char *const peer = R"(
void product(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
            for (int j = 0; j < n; ++j)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
void scale(int n, float *a)
{
    for (int i = 0; i < n; ++i)
        a[i] *= 2;
}
)";

} // namespace

class ComparePeerTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    CompareWindow *window() const { return m_window->findChild<CompareWindow *>(); }
    bool settled() const
    {
        return QTest::qWaitFor([this] { return window() && window()->isSettled() && m_window->isSettled(); },
                               patience);
    }
    QString sentence() const { return window()->sentence()->title(); }
    void shootBoth(const char *light, const char *dark) const
    {
        shoot(light, window());
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot(dark, window());
        m_theme->setMode(look::Mode::Light);
    }
    QTreeWidgetItem *rowOf(const QString &kind) const
    {
        QTreeWidget *table = window()->table();
        for (int row = 0; row < table->topLevelItemCount(); ++row) {
            if (table->topLevelItem(row)->data(1, Qt::AccessibleTextRole).toString().contains(kind))
                return table->topLevelItem(row);
        }
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {{"matmul.py", matmul}, {"tiled.py", e2e::tiledSchedule}});
        m_window->open(m_folder.filePath(QStringLiteral("examples/matmul.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
        m_window->open(m_folder.filePath(QStringLiteral("examples/tiled.py")));
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 6, patience);
        QVERIFY(settle());
        QFile file(path("peer.c"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(peer) > 0);
    }
    void cleanupTestCase() { m_window.reset(); }

    /// The key asks for a file, and which of its functions is meant.
    void aFileByKey()
    {
        m_window->activateWindow();
        {
            const e2e::FileNameHand hand(path("peer.c"));
            QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier | Qt::AltModifier);
        }
        QVERIFY(window());
        QTimer choose;
        choose.callOnTimeout([&] {
            if (auto *dialog = qobject_cast<QInputDialog *>(QApplication::activeModalWidget())) {
                choose.stop();
                shoot("compare-function", dialog);
                QCOMPARE(dialog->comboBoxItems(), (QStringList{"product", "scale"}));
                QTest::keyClick(dialog, Qt::Key_Return);
            }
        });
        choose.start(50);
        QTRY_COMPARE_WITH_TIMEOUT(window()->secondSide()->currentText(), QString("peer.c:product"), patience);
        QVERIFY(settled());
        QVERIFY2(sentence().startsWith(u"The inner loop of 'peer.c:product' does "), qPrintable(sentence()));
        QVERIFY2(sentence().contains(u"'#5'"), qPrintable(sentence())); // the current one
        QVERIFY(!window()->swapButton()->isEnabled());
        QVERIFY(window()->table()->currentItem());
        QCOMPARE(window()->table()->currentItem(), rowOf(QStringLiteral("multiply-adds")));
        window()->resize(1366, 768);
        shootBoth("compare-file-light", "compare-file-dark");
    }

    /// A click on the pair of hot loops shows the lines of both.
    void theHotLoops()
    {
        QTreeWidgetItem *hot = rowOf(QStringLiteral("multiply-adds"));
        QVERIFY(hot);
        QTest::mouseClick(window()->table()->viewport(), Qt::LeftButton, {},
                          window()->table()->visualItemRect(hot).center());
        const code::DifferenceView *sources = window()->sources();
        QVERIFY(sources->view()->source().text.contains(QStringLiteral("product:")));
        QVERIFY(!sources->view()->source().spans.empty());
        QVERIFY(sources->olderView()->source().text.contains(QStringLiteral("vfmadd"))
                || sources->olderView()->source().text.contains(QStringLiteral("mul")));
        shoot("compare-file-row", window());
    }

    /// Another variant beside the same code, which is not read again.
    void anotherVariant()
    {
        QComboBox *first = window()->firstSide();
        first->setFocus();
        QTest::keyClick(first, Qt::Key_Home);
        QVERIFY(settled());
        QVERIFY2(sentence().contains(u"'#0'"), qPrintable(sentence()));
        QTest::keyClick(first, Qt::Key_End);
        QVERIFY(settled());
        QVERIFY2(sentence().contains(u"'#5'"), qPrintable(sentence()));
    }

    /// The button asks for a file, too; what is wrong with it stands in the window.
    void aFileThatIsNone()
    {
        QFile file(path("text.o"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("no object") > 0);
        file.close();
        {
            const e2e::FileNameHand hand(path("text.o"));
            QTest::mouseClick(window()->fileButton(), Qt::LeftButton);
        }
        QTRY_COMPARE_WITH_TIMEOUT(sentence(), QString("The file cannot be compared with"), patience);
        shoot("compare-file-bad", window());
    }

    void aLibraryAtWork()
    {
        QComboBox *second = window()->secondSide();
        const int place = second->findText(QStringLiteral("OpenBLAS, at work"));
        QVERIFY(place >= 0);
        second->setFocus();
        QTest::keyClick(second, Qt::Key_O); // the first entry that begins so
        QCOMPARE(second->currentIndex(), place);
        QVERIFY(settled());
        if (sentence() == QLatin1String("The variants cannot be compared"))
            QSKIP("OpenBLAS is not on this machine");
        QVERIFY2(sentence().startsWith(u"The inner loop of 'OpenBLAS "), qPrintable(sentence()));
        const QTreeWidget *table = window()->table();
        const QTreeWidgetItem *last = table->topLevelItem(table->topLevelItemCount() - 1);
        QCOMPARE(last->text(0), QString("not measured"));
        QCOMPARE(last->text(1), QString("measured"));
        shootBoth("compare-library-light", "compare-library-dark");
    }

    /// Back to two variants all sources are there again.
    void backToVariants()
    {
        m_window->activateWindow();
        m_window->commands().trigger(QStringLiteral("history.compare"));
        QVERIFY(settled());
        QVERIFY(window()->swapButton()->isEnabled());
        QVERIFY(sentence().contains(u"'#5'"));
    }

    void commandsSayWhyNot()
    {
        const auto *file = m_window->commands().find(QStringLiteral("history.compareFile"));
        const auto *blas = m_window->commands().find(QStringLiteral("history.compareOpenBLAS"));
        QVERIFY(file && blas);
        QVERIFY(file->unavailable().isEmpty() && blas->unavailable().isEmpty());
        target::Target gpu;
        gpu.kind = target::TargetKind::Cuda;
        document().setTarget(gpu);
        QVERIFY(blas->unavailable().contains(QStringLiteral("llvm")));
        document().setTarget({});
        QVERIFY(settle());
    }
};

QTEST_MAIN(ComparePeerTest)
#include "compare_peer_test.moc"
