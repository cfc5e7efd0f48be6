// SPDX-License-Identifier: GPL-3.0-or-later
// The action strip and its forms by mouse and keys.
#include "core/ir/node/attributes.h"
#include "core/schedule/apply.h"
#include "tests/widgets/forms/strip_fixture.h"
#include "widgets/forms/factor_editor.h"
#include "widgets/forms/order_editor.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/link_button.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QtTest>

using namespace nestwright;
using schedule::ArgList;
using schedule::ArgValue;

class FormsTest : public tests::StripFixture {
    Q_OBJECT
private Q_SLOTS:
    void init() { show(); }
    void cleanup() { close(); }

    void nothingIsPossibleWithoutASelection()
    {
        QVERIFY(!m_strip->button("split")->reason().isEmpty());
        QTest::mouseClick(m_strip->button("split"), Qt::LeftButton);
        QVERIFY(!m_strip->form());
    }

    void aClickAppliesWhatNeedsNoForm()
    {
        select("i");
        QTest::mouseClick(m_strip->button("parallel"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QCOMPARE(m_document->tree().current().label, std::string("parallel(i)"));
    }

    void saysWhyNotAndMovesNothing()
    {
        select("k");
        const QRect before = m_strip->button("reorder")->geometry();
        QVERIFY(!m_strip->button("vectorize")->reason().isEmpty());
        QTest::mouseClick(m_strip->button("vectorize"), Qt::LeftButton);
        QVERIFY(m_strip->finding()->isVisible());
        QCOMPARE(m_strip->finding()->title(), QStringLiteral("Vectorize is not possible here"));
        QTest::qWait(20);
        QCOMPARE(m_strip->button("reorder")->geometry(), before);
        QCOMPARE(m_document->tree().size(), 1);
        select("i"); // another selection, other reasons
        QVERIFY(!m_strip->finding()->isVisible());
    }

    /// A reduction runs in parallel once its sum is made of partial ones.
    void aStepThatHelpsIsOneClick()
    {
        select("k");
        QTest::mouseClick(m_strip->button("parallel"), Qt::LeftButton);
        look::FindingBox *finding = m_strip->finding();
        QVERIFY(finding->isVisible());
        const auto *link = finding->findChild<look::LinkButton *>();
        QVERIFY(link);
        Q_EMIT m_document->currentChanged(); // of the same loops: what is being explained stays
        QTRY_COMPARE_WITH_TIMEOUT(link->text(), QStringLiteral("Apply: rfactor(k, 0) first"), patience);
        QVERIFY(finding->isVisible());
        Q_EMIT finding->actionTriggered();
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 3, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!finding->isVisible(), patience);
        QCOMPARE(m_document->tree().at({1}).label, std::string("rfactor(k, 0)"));
        QVERIFY(m_document->tree().current().ok());
        QVERIFY2(m_document->tree().current().label.starts_with("parallel("),
                 m_document->tree().current().label.c_str());
    }

    void splitForm()
    {
        select("i");
        openForm("split");
        auto *factors = m_strip->form()->findChild<forms::FactorEditor *>();
        QVERIFY(factors);
        QCOMPARE(factors->remark(), QStringLiteral("4 × 32 = 128, all of i's iterations"));
        QTRY_COMPARE(QApplication::focusWidget(), factors->boxes().back());
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("48"));
        QVERIFY(factors->remark().contains(QStringLiteral("a predicate guards the rest")));
        factors->addFactor(QStringLiteral("2"));
        QCOMPARE(factors->value(), ArgValue(ArgList{{}, 48, 2}));
        factors->removeFactor();
        QTest::keyClick(factors->boxes().back(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QCOMPARE(m_document->tree().current().label, std::string("split(i, [None, 48])"));
        QVERIFY(!m_strip->form());
    }

    void factorsMayBeFormulas()
    {
        select("i");
        openForm("split");
        auto *factors = m_strip->form()->findChild<forms::FactorEditor *>();
        factors->boxes().back()->selectAll();
        QTest::keyClicks(factors->boxes().back(), QStringLiteral("4 * T.vscale("));
        QVERIFY(factors->problem().contains(QStringLiteral("neither a number nor a formula")));
        QTest::keyClicks(factors->boxes().back(), QStringLiteral(")"));
        QCOMPARE(factors->problem(), QString());
        QVERIFY(factors->remark().contains(QStringLiteral("The machine that runs it")));
        QTest::keyClick(factors->boxes().back(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QCOMPARE(m_document->tree().current().label, std::string("split(i, [None, 4 * T.vscale()])"));
    }

    void factorsThatAreTooSmallCannotBeApplied()
    {
        select("i");
        openForm("split");
        auto *factors = m_strip->form()->findChild<forms::FactorEditor *>();
        factors->boxes().front()->setText(QStringLiteral("2"));
        QVERIFY(factors->remark().contains(QStringLiteral("less than")));
        QTRY_VERIFY_WITH_TIMEOUT(m_actions->currentPreview() && m_actions->currentPreview()->refused,
                                 patience);
        factors->boxes().front()->clear();
        factors->boxes().back()->clear(); // two left open
        QVERIFY(!factors->problem().isEmpty());
        QTest::keyClick(factors->boxes().back(), Qt::Key_Return);
        QTest::qWait(30);
        QCOMPARE(m_document->tree().size(), 1);
        QVERIFY(m_strip->form());
    }

    void escapeCloses()
    {
        select("i");
        openForm("tile");
        QTest::keyClick(m_strip->form(), Qt::Key_Escape);
        QVERIFY(!m_strip->form());
        QVERIFY(!m_actions->currentPreview());
        QCOMPARE(m_document->tree().size(), 1);
    }

    void reorderForm()
    {
        select("i");
        openForm("reorder");
        auto *order = m_strip->form()->findChild<forms::OrderEditor *>();
        QVERIFY(order);
        QCOMPARE(order->remark(), QStringLiteral("j, i, k")); // one place inwards is proposed
        auto *list = order->findChild<QListWidget *>();
        list->setCurrentRow(1);
        QTest::keyClick(list, Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(order->remark(), QStringLiteral("j, k, i"));
        QTest::keyClick(m_strip->form(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QCOMPARE(m_document->tree().current().label, std::string("reorder(j, k, i)"));
    }

    void triggeredBeforeTheListIsThere()
    {
        m_document->selection().select(row("i"));
        QVERIFY(!m_actions->isCurrent());
        m_strip->trigger("parallel");
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
    }

    void hoverPreviews()
    {
        select("i");
        QEnterEvent enter(QPointF(4, 4), QPointF(4, 4), QPointF(4, 4));
        QApplication::sendEvent(m_strip->button("unroll"), &enter);
        const auto ofUnroll = [this] {
            const document::PreviewPtr &preview = m_actions->currentPreview();
            return preview && preview->nest && preview->step.primitive->name == "unroll";
        };
        QTRY_VERIFY_WITH_TIMEOUT(ofUnroll(), patience);
        QCOMPARE(m_actions->currentPreview()->nest->row(row("i"))->badge, QStringLiteral("unroll"));
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(m_strip->button("unroll"), &leave);
        QVERIFY(!m_actions->currentPreview());
        QCOMPARE(m_document->tree().size(), 1);
    }

    /// The preview of a button under the pointer would take the place of the form's own, whose step then
    /// waits for ever for its verdict.
    void aButtonUnderThePointerLeavesAnOpenFormAlone()
    {
        select("i");
        QEnterEvent enter(QPointF(4, 4), QPointF(4, 4), QPointF(4, 4));
        QApplication::sendEvent(m_strip->button("unroll"), &enter);
        openForm("split");
        constexpr int longerThanAHover = 300;
        QTest::qWait(longerThanAHover);
        QTRY_COMPARE_WITH_TIMEOUT(m_jobs->runningCount(), 0, patience);
        QVERIFY(m_actions->currentPreview());
        QCOMPARE(m_actions->currentPreview()->step.primitive->name, std::string_view("split"));
        QTest::keyClick(m_strip->form(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QVERIFY(m_document->tree().current().label.starts_with("split"));
    }

    /// The form before it, whose check is due, asks for nothing any more.
    void aFormThatIsClosedAsksForNothing()
    {
        select("i");
        m_strip->trigger("reorder");
        QVERIFY(m_strip->form());
        QTimer::singleShot(0, m_strip.get(),
                           [this] { // a form that is closed lives until events have been handled
                               constexpr int longerThanACheckWaits = 80;
                               QThread::msleep(longerThanACheckWaits);
                               m_strip->trigger("split");
                               QTest::keyClick(m_strip->form(), Qt::Key_Return);
                           });
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QVERIFY(m_document->tree().current().label.starts_with("split"));
    }

    void everyPrimitiveHasAButton()
    {
        for (const schedule::Primitive &primitive : schedule::primitives())
            QCOMPARE(m_strip->button(primitive.name) != nullptr, !primitive.isQuery);
    }

    /// The names that mean something are offered; others may be typed.
    void annotationsAreOfferedByName()
    {
        select("k");
        QTest::mouseClick(m_strip->button("annotate"), Qt::LeftButton);
        QVERIFY(m_strip->form());
        const auto *names = m_strip->form()->findChild<QComboBox *>();
        QVERIFY(names && names->isEditable());
        QVERIFY(names->findText(QStringLiteral("reassociate")) >= 0);
        QVERIFY(names->findText(QStringLiteral("fast_math")) >= 0);
        const auto step = schedule::makeStep(
            "annotate",
            {{"block_or_loop", row("k")}, {"ann_key", "fast_math"}, {"ann_val", std::int64_t{1}}});
        m_document->apply(*step);
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), 2, patience);
        QVERIFY(m_document->tree().current().ok());
        QVERIFY(ir::allowsFastMath(*m_document->tree().current().state->module.mainEntry()->function));
    }

    void annotationValues_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("meant");
        QTest::newRow("integer") << QStringLiteral("4") << QStringLiteral("4");
        QTest::newRow("bool") << QStringLiteral("True") << QStringLiteral("True");
        QTest::newRow("none") << QStringLiteral("None") << QStringLiteral("None");
        QTest::newRow("text") << QStringLiteral("fast") << QStringLiteral("\"fast\"");
        QTest::newRow("quoted") << QStringLiteral("\"4\"") << QStringLiteral("\"4\"");
    }
    void annotationValues()
    {
        QFETCH(QString, typed);
        QFETCH(QString, meant);
        QCOMPARE(QString::fromStdString(schedule::str(forms::parseAnnotation(typed))), meant);
    }
};

QTEST_MAIN(FormsTest)
#include "forms_test.moc"
