// SPDX-License-Identifier: GPL-3.0-or-later
// Libraries that a person names for a kernel in the real window: without them nothing of it runs, with them
// it is measured, and the next file has none. NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "app/window/commands/command_palette.h"
#include "app/window/dialogs/libraries_dialog.h"
#include "core/backend/link/export.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/history/history_view.h"
#include "widgets/models/variants_model.h"

#include <QLineEdit>
#include <QListWidget>
#include <QtTest>

using namespace nestwright;
using app::LibrariesDialog;
using e2e::button;
using e2e::drop;
using e2e::patience;
using models::VariantsModel;

namespace {

const char *const tripled = R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = T.call_extern("float32", "nw_test_triple", A[vi])
)";

} // namespace

class LibrariesTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    LibrariesDialog *ask() const
    {
        m_window->activateWindow(); // no window manager does it when a dialog closes
        if (!QTest::qWaitForWindowActive(m_window.get(), patience))
            return nullptr;
        press(Qt::Key_K, Qt::ControlModifier);
        if (!QTest::qWaitFor([this] { return m_window->commandPalette()->isVisible(); }, patience))
            return nullptr;
        QTest::keyClicks(m_window->commandPalette()->field(), QStringLiteral("libraries of"));
        QTest::keyClick(m_window->commandPalette()->field(), Qt::Key_Return);
        const auto dialog = [this] { return m_window->findChild<LibrariesDialog *>(); };
        [&] { QTRY_VERIFY_WITH_TIMEOUT(dialog() && dialog()->isVisible(), patience); }();
        return dialog();
    }
    bool isGone() const
    {
        return QTest::qWaitFor([this] { return !m_window->findChild<LibrariesDialog *>(); }, patience);
    }
    QString write(const char *name, std::string_view text) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) < 0)
            qFatal("cannot write");
        return file.fileName();
    }
    QString measured() const
    {
        m_window->activateWindow();
        tree()->setFocus();
        QSignalSpy changed(&document(), &document::Document::measurementChanged);
        press(Qt::Key_M);
        [&] {
            QTRY_VERIFY_WITH_TIMEOUT(!changed.isEmpty() && !m_window->measuring().isRunning(), patience);
            QVERIFY(settle());
        }();
        const QModelIndex result = m_window->historyView()->model()->index(0, VariantsModel::Result);
        return result.data().toString() + u' ' + result.data(Qt::ToolTipRole).toString();
    }
    void open(const QString &file) const
    {
        m_window->open(file);
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {});
        open(write("tripled.py", tripled));
    }
    void cleanupTestCase() { m_window.reset(); }

    void withoutItsLibraryNothingRuns()
    {
        const QString result = measured();
        QVERIFY2(result.contains(QStringLiteral("nw_test_triple"))
                     && result.contains(QStringLiteral("Libraries of this kernel")),
                 qPrintable(result));
    }

    void withItTheKernelIsMeasured()
    {
        const auto library =
            backend::linkShared({{"own.c", "float nw_test_triple(float x) { return 3 * x; }\n"}}, {});
        QVERIFY2(library, library ? "" : library.error().render().c_str());
        const QString file = write("libown.so", {library->data(), library->size()});
        LibrariesDialog *dialog = ask();
        QVERIFY(dialog);
        QVERIFY(dialog->libraries().empty() && !button(dialog, "Remove")->isEnabled());
        shoot("libraries_none", dialog);
        drop(dialog, {file, path("other.so"), file});
        QCOMPARE(dialog->libraries(), std::vector({file.toStdString(), path("other.so").toStdString()}));
        // One too many: taken out by a click and a key.
        auto *list = dialog->findChild<QListWidget *>();
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(1)).center());
        QVERIFY(button(dialog, "Remove")->isEnabled());
        shoot("libraries_two", dialog);
        QTest::keyClick(list, Qt::Key_Delete);
        QCOMPARE(dialog->libraries(), std::vector{file.toStdString()});
        QTest::mouseClick(button(dialog, "OK"), Qt::LeftButton);
        QVERIFY(isGone());
        const QString result = measured();
        QVERIFY2(result.startsWith(QStringLiteral("verified")), qPrintable(result));
    }

    void cancelChangesNothing()
    {
        LibrariesDialog *dialog = ask();
        QVERIFY(dialog);
        QCOMPARE(dialog->libraries().size(), std::size_t{1});
        auto *list = dialog->findChild<QListWidget *>();
        list->selectAll();
        QTest::mouseClick(button(dialog, "Remove"), Qt::LeftButton);
        QVERIFY(dialog->libraries().empty());
        QTest::keyClick(dialog, Qt::Key_Escape);
        QVERIFY(isGone());
        QCOMPARE(m_window->measuring().libraries().size(), std::size_t{1});
    }

    /// They were named for one program, and no file says them.
    void theNextFileHasNone()
    {
        open(write("again.py", tripled));
        QVERIFY(m_window->measuring().libraries().empty());
        const QString result = measured();
        QVERIFY2(result.contains(QStringLiteral("nw_test_triple")), qPrintable(result));
    }
};

QTEST_MAIN(LibrariesTest)
#include "libraries_test.moc"
