// SPDX-License-Identifier: GPL-3.0-or-later
// The inputs of a kernel in the real window: given by mouse and keys, used by measuring, shown, kept in the
// session, taken back. NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "app/window/dialogs/file_edit.h"
#include "app/window/dialogs/inputs_dialog.h"
#include "app/window/frame/banner.h"
#include "core/ir/npy.h"
#include "tests/e2e/dialog_hands.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/document/command_registry.h"
#include "widgets/history/history_view.h"
#include "widgets/look/card.h"
#include "widgets/models/variants_model.h"

#include <QLabel>
#include <QtTest>

using namespace nestwright;
using app::FileEdit;
using app::InputsDialog;
using e2e::button;
using e2e::drop;
using e2e::patience;
using models::VariantsModel;

namespace {

const char *const gather = R"(
@T.prim_func
def main(table: T.Buffer((1000, 64), "float32"), place: T.Buffer((256,), "int32"),
         out: T.Buffer((256, 64), "float32")):
    for i, j in T.grid(256, 64):
        with T.block("out"):
            vi, vj = T.axis.remap("SS", [i, j])
            out[vi, vj] = table[place[vi], vj]
)";

} // namespace

class InputsTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    QString write(const char *name, ir::DataType dtype, const std::vector<std::int64_t> &shape,
                  double value) const
    {
        ir::NdArray array(dtype, shape);
        for (std::int64_t i = 0; i < array.size(); ++i)
            array.set(i, value);
        if (!ir::writeNpy(path(name).toStdString(), array))
            qFatal("cannot write");
        return path(name);
    }

    /// No window manager gives the window its keys back when a dialog closes.
    void activate() const
    {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get(), patience));
    }
    InputsDialog *ask() const
    {
        activate();
        QTest::keyClick(m_window.get(), Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
        const auto dialog = [this] { return m_window->findChild<InputsDialog *>(); };
        [&] { QTRY_VERIFY_WITH_TIMEOUT(dialog() && dialog()->isVisible(), patience); }();
        return dialog();
    }
    static FileEdit *field(const InputsDialog *dialog, const char *name)
    {
        for (FileEdit *each : dialog->findChildren<FileEdit *>()) {
            if (each->accessibleName() == QStringLiteral("File for %1").arg(QLatin1String(name)))
                return each;
        }
        return nullptr;
    }
    bool isGone() const
    {
        return QTest::qWaitFor([this] { return !m_window->findChild<InputsDialog *>(); }, patience);
    }

    QString cell(int row, int column) const
    {
        return m_window->historyView()->model()->index(row, column).data().toString();
    }
    /// The verdict of a variant; its remark on other programs while it was timed depends on them.
    QString verdict(int row) const
    {
        return cell(row, VariantsModel::Result).remove(QStringLiteral(", busy"));
    }
    bool isShown(const QString &text) const
    {
        for (const QLabel *label : m_window->findChildren<QLabel *>()) {
            if (label->isVisible() && (label->text() + label->toolTip()).contains(text))
                return true;
        }
        return false;
    }
    void measure() const
    {
        activate();
        tree()->setFocus();
        QSignalSpy changed(&document(), &document::Document::measurementChanged);
        press(Qt::Key_M);
        QTRY_VERIFY_WITH_TIMEOUT(!changed.isEmpty() && !m_window->measuring().isRunning(), patience);
        QVERIFY(settle());
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1366, 768, {});
        QFile file(path("gather.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(gather);
        file.close();
        m_window->open(file.fileName());
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen() && !document().isBusy(), patience);
        QVERIFY(settle());
        measure();
        QCOMPARE(verdict(0), QStringLiteral("verified"));
    }
    void cleanupTestCase() { m_window.reset(); }

    /// The kernel only moves data: bytes a second stand for it, under the memories that hold them.
    void aKernelWithoutFlops()
    {
        const auto *bars = m_window->findChild<look::CardDock *>(QStringLiteral("variants"));
        QTRY_VERIFY_WITH_TIMEOUT(bars->header()->secondary().contains("GB/s · median"), patience);
        QVERIFY(!bars->header()->secondary().contains("GFLOPS"));
        const charts::RooflineData &roofs = m_window->roofline()->data();
        QTRY_VERIFY_WITH_TIMEOUT(roofs.areBytes && !roofs.points.empty(), patience);
        QVERIFY(roofs.points.front().across > 1000 && roofs.points.front().rate > 0);
    }

    void theDialogSaysWhatIsDrawn()
    {
        const InputsDialog *dialog = ask();
        QVERIFY(dialog);
        QCOMPARE(dialog->findChildren<FileEdit *>().size(), 3);
        QVERIFY(isShown(QStringLiteral("random from 0 to 999")));
        QVERIFY(isShown(QStringLiteral("256 i32")));
        QVERIFY(!button(dialog, "Clear all")->isEnabled());
        shoot("inputs_empty", dialog->window());
        QTest::keyClick(field(dialog, "table"), Qt::Key_Escape);
        QVERIFY(isGone());
    }

    void misfitsAreToldBesideTheirField()
    {
        const InputsDialog *dialog = ask();
        QVERIFY(dialog);
        FileEdit *place = field(dialog, "place");
        QVERIFY(place);
        place->setFocus();
        QTest::keyClicks(place, write("wide.npy", ir::DataType::int_(64), {256}, 3));
        QTest::keyClick(place, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(
            place->accessibleDescription().contains(QStringLiteral("is int64 (256), but 'place' is int32")),
            patience);
        QVERIFY(dialog->isVisible() && !button(dialog, "Use these")->isEnabled());
        QVERIFY(isShown(QStringLiteral("array.astype(\"int32\")")));
        shoot("inputs_wrong", dialog->window());
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot("inputs_wrong_dark", dialog->window());
        m_theme->setMode(look::Mode::Light);
        place->setText(write("short.npy", ir::DataType::int_(32), {100}, 3));
        QTRY_VERIFY_WITH_TIMEOUT(
            place->accessibleDescription().contains(QStringLiteral("dimension 0 of 'place' is 256")),
            patience);
        place->setText(path("nowhere.npy"));
        QTRY_VERIFY_WITH_TIMEOUT(place->accessibleDescription().contains(QStringLiteral("nowhere.npy")),
                                 patience);
        QTest::keyClick(place, Qt::Key_Escape);
        QVERIFY(isGone());
        QVERIFY(document().session().inputs().empty());
    }

    void givenInputsAreUsedAndShown()
    {
        const InputsDialog *dialog = ask();
        QVERIFY(dialog);
        FileEdit *place = field(dialog, "place");
        drop(place, {write("seven.npy", ir::DataType::int_(32), {256}, 7)});
        QTRY_COMPARE_WITH_TIMEOUT(place->accessibleDescription(), QStringLiteral("fits"), patience);
        shoot("inputs_given", dialog->window());
        QTest::mouseClick(button(dialog, "Use these"), Qt::LeftButton);
        QVERIFY(isGone());
        QCOMPARE(document().session().inputs().at("place").path, path("seven.npy").toStdString());
        QVERIFY(document().isModified());
        QVERIFY(settle());
        // The figures of before are of other inputs, and everything says which are given now.
        QCOMPARE(verdict(0), QStringLiteral("other inputs"));
        QVERIFY(isShown(QStringLiteral("with place = seven.npy")));
        shoot("inputs_other");
        measure();
        const auto &measured = document().tree().root().measurement;
        QVERIFY(measured && measured->isVerified());
        QVERIFY(measured->inputs.at("place").content != 0);
        QCOMPARE(verdict(0), QStringLiteral("verified"));
        shoot("inputs_measured");
        m_theme->setMode(look::Mode::Dark);
        QTest::qWait(50);
        shoot("inputs_measured_dark");
        m_theme->setMode(look::Mode::Light);
    }

    void itIsKeptInTheSession()
    {
        QSignalSpy saved(&document(), &document::Document::saved);
        document().save(path("gather.nest"));
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, patience);
        QSignalSpy opened(&document(), &document::Document::opened);
        m_window->open(path("gather.nest"));
        QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, patience);
        QVERIFY(settle());
        QCOMPARE(document().session().inputs().at("place").path, path("seven.npy").toStdString());
        QVERIFY(isShown(QStringLiteral("with place = seven.npy")));
        // The file says that it was verified; a check here does not.
        QCOMPARE(verdict(0), QStringLiteral("was verified"));
        QVERIFY(isShown(QStringLiteral("0 of 1 verified")));
        QVERIFY(isShown(QStringLiteral("1 not checked here")));
        shoot("inputs_stored");
        m_window->commands().trigger(QStringLiteral("measure.all"));
        QTRY_COMPARE_WITH_TIMEOUT(verdict(0), QStringLiteral("verified"), patience);
        QVERIFY(settle());
    }

    /// The kernel reads far outside of the table there: it was given these indices, and none of its own.
    void numbersOfTheFileReachTheKernel()
    {
        write("seven.npy", ir::DataType::int_(32), {256}, 2e9); // in place of the given one
        measure();
        const auto &measured = document().tree().root().measurement;
        QVERIFY(measured && measured->failure);
        QVERIFY2(!measured->ok(), qPrintable(verdict(0)));
        write("seven.npy", ir::DataType::int_(64), {256}, 1); // and inputs that no longer fit are told of
        measure();
        QVERIFY(document().tree().root().measurement->failure);
        QCOMPARE(document().tree().root().measurement->failure->code, std::string("measure.input"));
    }

    void allCanBeTakenBack()
    {
        const InputsDialog *dialog = ask();
        QVERIFY(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(
            field(dialog, "place")->accessibleDescription().contains(QStringLiteral("int64")), patience);
        QTest::mouseClick(button(dialog, "Clear all"), Qt::LeftButton);
        QTest::keyClick(field(dialog, "table"), Qt::Key_Return);
        QVERIFY(isGone());
        QVERIFY(document().session().inputs().empty());
        QVERIFY(!isShown(QStringLiteral("with place")));
        measure();
        QVERIFY(document().tree().root().measurement->isVerified());
    }
};

QTEST_MAIN(InputsTest)
#include "inputs_test.moc"
