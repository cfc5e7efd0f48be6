// SPDX-License-Identifier: GPL-3.0-or-later
// Help on a primitive from where the user is, and forms that are typed into: the map of a layout, the blocks
// that read a cache.
#include "app/window/help/help_pages.h"
#include "app/window/help/help_window.h"
#include "core/schedule/primitive.h"
#include "tests/e2e/window_fixture.h"
#include "widgets/document/action_list.h"
#include "widgets/forms/field_editor.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/look/button.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QTextBrowser>

using namespace nestwright;
using e2e::patience;

namespace {
const char *const kernel = R"(from tvm import te
A = te.placeholder((16, 32), name="A")
B = te.compute((16, 32), lambda i, j: A[i, j] + 1.0, name="B")
C = te.compute((16, 32), lambda i, j: B[i, j] * 2.0, name="C")
func = te.create_prim_func([A, C])
)";
} // namespace

class HelpAndFormsTest : public QObject, e2e::WindowFixture {
    Q_OBJECT

    /// Opens the form of a primitive on the selection, from the palette's command.
    forms::PrimitiveForm *openForm(const char *primitive) const
    {
        strip()->trigger(primitive);
        if (!QTest::qWaitFor([&] { return strip()->form() != nullptr; }, patience))
            return nullptr;
        return strip()->form();
    }

    template <class Widget> static Widget *inForm(forms::PrimitiveForm *form, std::size_t field)
    {
        return form->editors()[field] ? form->editors()[field]->findChild<Widget *>() : nullptr;
    }

private Q_SLOTS:
    void initTestCase()
    {
        showWindow(1600, 1000, {{"chain.py", kernel}});
        m_window->open(m_folder.filePath(QStringLiteral("examples/chain.py")));
        QTRY_VERIFY_WITH_TIMEOUT(document().isOpen(), patience);
        QVERIFY(settle());
    }

    void cleanupTestCase() { m_window.reset(); }

    void helpOpensAtTheActionUnderThePointer()
    {
        click("B");
        QTest::mouseMove(tree()->viewport());
        QTRY_VERIFY([this] {
            QTest::mouseMove(strip()->button("compute_at"));
            QTest::qWait(20);
            return strip()->topic() == schedule::findPrimitive("compute_at");
        }());
        press(Qt::Key_F1);
        QTRY_VERIFY(m_window->help() && m_window->help()->isVisible());
        app::HelpWindow *help = m_window->help();
        QVERIFY(help->page()->toPlainText().contains(
            QStringLiteral("compute_at(block, loop, preserve_unit_loops=False")));
        if (const QString folder = qEnvironmentVariable("NESTWRIGHT_SHOTS"); !folder.isEmpty())
            help->grab().save(folder + QStringLiteral("/help.png"));
        QTest::keyClicks(help->field(), QStringLiteral("vectori"));
        QCOMPARE(help->list()->currentItem()->text(), QStringLiteral("vectorize"));
        QVERIFY(help->page()->toPlainText().contains(QStringLiteral("vectorize(loop)")));
        QTest::keyClicks(help->field(), QStringLiteral("zzz"));
        QVERIFY(help->page()->toPlainText().contains(QStringLiteral("Nothing is named so")));
        help->close();
    }

    void everyPrimitiveHasAPage()
    {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        press(Qt::Key_F1);
        QTRY_VERIFY(m_window->help()->isVisible());
        for (const schedule::Primitive &primitive : schedule::primitives()) {
            m_window->help()->open(app::helpAddress(primitive));
            const QString page = m_window->help()->page()->toPlainText();
            QVERIFY2(page.contains(QString::fromUtf8(primitive.name) + u'('), primitive.name.data());
            QVERIFY2(page.contains(QString::fromUtf8(primitive.summary)), primitive.name.data());
            for (const schedule::Field &field : primitive.fields)
                QVERIFY2(page.contains(QString::fromUtf8(field.help)), field.name.data());
        }
        m_window->help()->close();
    }

    void aLayoutIsTypedAsALambda()
    {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        click("B");
        forms::PrimitiveForm *form = openForm("transform_layout");
        QVERIFY(form);
        const auto field = schedule::findPrimitive("transform_layout")->fieldIndex("index_map");
        QVERIFY(field.has_value());
        inForm<QComboBox>(form, 1)->setCurrentText(QStringLiteral("B"));
        auto *map = inForm<QLineEdit>(form, *field);
        QVERIFY(map);
        QCOMPARE(map->text(), QStringLiteral("lambda i, j: (i, j,)")); // the layout as it is
        map->setFocus();
        map->selectAll();
        QTest::keyClicks(map, QStringLiteral("lambda i, j: (j // 4,"));
        QVERIFY(!form->editors()[*field]->problem().isEmpty());
        QTest::keyClicks(map, QStringLiteral(" i, j % 4)"));
        QVERIFY2(form->editors()[*field]->problem().isEmpty(),
                 qPrintable(form->editors()[*field]->problem()));
        QTest::qWait(80); // its preview
        QVERIFY(settle());
        shoot("layout_form");
        QTest::keyClick(map, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 2, patience);
        QVERIFY(settle());
        const std::string step = schedule::str(document().tree().current().step.args[*field]);
        QCOMPARE(QString::fromStdString(step), QStringLiteral("lambda i, j: (j // 4, i, j % 4,)"));
    }

    void consumersAreChosen()
    {
        click("C");
        forms::PrimitiveForm *form = openForm("cache_read");
        QVERIFY(form);
        const auto field = schedule::findPrimitive("cache_read")->fieldIndex("consumer_blocks");
        QVERIFY(field.has_value());
        auto *blocks = inForm<QListWidget>(form, *field);
        QVERIFY(blocks);
        QCOMPARE(blocks->count(), 2);
        shoot("cache_form");
        const schedule::ArgValue before = form->step().args[*field];
        QVERIFY(before.as<schedule::ArgList>() && before.as<schedule::ArgList>()->empty());
        blocks->item(1)->setCheckState(Qt::Checked);
        const schedule::ArgValue after = form->step().args[*field];
        QVERIFY(after.as<schedule::ArgList>() && after.as<schedule::ArgList>()->size() == 1);
        QTest::keyClick(form, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), 3, patience);
    }
};

QTEST_MAIN(HelpAndFormsTest)
#include "help_and_forms_test.moc"
