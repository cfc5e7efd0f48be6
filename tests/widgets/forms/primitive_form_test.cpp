// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a primitive: previews of what is typed, Enter once it is known to be legal, Esc and Cancel.
#include "widgets/forms/primitive_form.h"

#include "tests/support/programs.h"
#include "widgets/document/nest.h"
#include "widgets/forms/factor_editor.h"
#include "widgets/look/button.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QtTest>

using namespace nestwright;
using forms::PrimitiveForm;
using schedule::ArgList;

class PrimitiveFormTest : public QObject {
    Q_OBJECT

    document::NestPtr m_nest;
    std::unique_ptr<PrimitiveForm> m_form;
    std::vector<schedule::Step> m_previews, m_accepted;
    int m_closed = 0;

    support::StmtId row(const char *name) const
    {
        return std::ranges::find(m_nest->rows, QLatin1String(name), &document::NestRow::name)->id;
    }
    /// Opens the form of a primitive on a loop or block.
    void open(const char *primitive, const char *on)
    {
        const auto actions = suggest::actionsFor(m_nest->loops, {row(on)}, {});
        const auto action =
            std::ranges::find(actions, std::string_view(primitive),
                              [](const suggest::Action &each) { return each.primitive->name; });
        m_form = std::make_unique<PrimitiveForm>(*action, m_nest->loops, row(on));
        connect(m_form.get(), &PrimitiveForm::previewWanted, this,
                [this](const schedule::Step &step) { m_previews.push_back(step); });
        connect(m_form.get(), &PrimitiveForm::accepted, this,
                [this](const schedule::Step &step) { m_accepted.push_back(step); });
        connect(m_form.get(), &PrimitiveForm::closed, this, [this] { ++m_closed; });
        m_form->show();
        m_form->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_form.get()));
        m_form->takeFocus();
    }
    forms::FactorEditor &factors() const { return *m_form->findChild<forms::FactorEditor *>(); }
    QLineEdit &lastFactor() const { return *factors().boxes().back(); }
    look::Button &button(const char *key) const
    {
        const auto all = m_form->findChildren<look::Button *>();
        return **std::ranges::find(all, QString::fromUtf8(key), &look::Button::key);
    }
    bool shows(const QString &text) const
    {
        return std::ranges::any_of(m_form->findChildren<QLabel *>(), [&](const QLabel *label) {
            return label->isVisible() && label->text() == text;
        });
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_nest = document::makeNest(schedule::makeState(tests::program("matmul")).value());
    }
    void init()
    {
        m_previews.clear();
        m_accepted.clear();
        m_closed = 0;
    }
    void cleanup() { m_form.reset(); }

    void fieldsOfThePrimitive()
    {
        open("split", "i");
        QCOMPARE(m_form->primitive().name, std::string_view("split"));
        QVERIFY(shows(QStringLiteral("Split i")));
        QVERIFY(shows(QString::fromUtf8(m_form->primitive().summary)));
        QVERIFY(shows(QStringLiteral("4 × 32 = 128, all of i's iterations")));
        QCOMPARE(m_form->editors().size(), m_form->primitive().fields.size());
        QVERIFY(!m_form->editors().front()); // the selection stands for it
        QCOMPARE(QApplication::focusWidget(), &lastFactor());
        QCOMPARE(m_form->step().args[0], schedule::ArgValue(row("i")));
        QCOMPARE(m_form->step().args[1], schedule::ArgValue(ArgList{{}, 32}));
    }

    /// A text is offered for a preview once, when the typing rests.
    void previewsWhenTypingRests()
    {
        open("split", "i");
        QTRY_COMPARE(m_previews.size(), 1U); // as it opens
        QTest::keyClicks(&lastFactor(), QStringLiteral("16"));
        QCOMPARE(m_previews.size(), 1U);
        QTRY_COMPARE(m_previews.size(), 2U);
        QCOMPARE(m_previews.back(), m_form->step());
        QCOMPARE(m_previews.back().args[1], schedule::ArgValue(ArgList{{}, 16}));
        QTest::qWait(100);
        QCOMPARE(m_previews.size(), 2U);
        lastFactor().clear(); // two are left open: that is no step
        QTest::qWait(100);
        QCOMPARE(m_previews.size(), 2U);
        QVERIFY(shows(QStringLiteral("Only one factor can be left to be worked out")));
        QVERIFY(!button("↵").reason().isEmpty());
    }

    void enterOnceItIsLegal()
    {
        open("split", "i");
        m_form->setVerdict({});
        QTest::keyClick(&lastFactor(), Qt::Key_Return);
        QCOMPARE(m_accepted.size(), 1U);
        QCOMPARE(m_accepted.front(), m_form->step());
    }

    /// Enter before that is known asks at once, and applies when the answer is there.
    void enterBeforeItIsKnown()
    {
        open("split", "i");
        QTest::keyClick(&lastFactor(), Qt::Key_Enter);
        QVERIFY(m_form->isEntered());
        QCOMPARE(m_previews.size(), 1U);
        QVERIFY(m_accepted.empty());
        m_form->setVerdict({});
        QCOMPARE(m_accepted.size(), 1U);
        QVERIFY(!m_form->isEntered());
        m_form->setVerdict({}); // again, as of a button under the pointer
        QCOMPARE(m_accepted.size(), 1U);
    }

    /// A change after Enter was not meant by it.
    void typingAfterEnter()
    {
        open("split", "i");
        QTest::keyClick(&lastFactor(), Qt::Key_Return);
        QTest::keyClicks(&lastFactor(), QStringLiteral("4"));
        QVERIFY(!m_form->isEntered());
        m_form->setVerdict({});
        QVERIFY(m_accepted.empty());
    }

    void refused()
    {
        open("split", "i");
        QTest::keyClick(&lastFactor(), Qt::Key_Return);
        m_form->setVerdict(QStringLiteral("The factors are too small."));
        QVERIFY(m_accepted.empty());
        QVERIFY(shows(QStringLiteral("The factors are too small.")));
        QTest::keyClick(&lastFactor(), Qt::Key_Return);
        QTest::mouseClick(&button("↵"), Qt::LeftButton);
        QVERIFY(m_accepted.empty());
        QCOMPARE(button("↵").reason(), QStringLiteral("The factors are too small."));
        QTest::keyClicks(&lastFactor(), QStringLiteral("2")); // another step, of which nothing is known
        QVERIFY(button("↵").reason().isEmpty());
        QVERIFY(!shows(QStringLiteral("The factors are too small.")));
    }

    void byButtons()
    {
        open("split", "i");
        m_form->setVerdict({});
        QTest::mouseClick(&button("↵"), Qt::LeftButton);
        QCOMPARE(m_accepted.size(), 1U);
        QTest::mouseClick(&button("Esc"), Qt::LeftButton);
        QCOMPARE(m_closed, 1);
        QCOMPARE(m_accepted.size(), 1U);
    }

    void escapeFromAnyField()
    {
        open("split", "i");
        QTest::keyClick(&lastFactor(), Qt::Key_Escape);
        QCOMPARE(m_closed, 1);
        QVERIFY(m_accepted.empty());
    }

    /// Enter on Cancel cancels, whatever is in the form.
    void enterOnCancel()
    {
        open("split", "i");
        m_form->setVerdict({});
        button("Esc").setFocus();
        QTest::keyClick(&button("Esc"), Qt::Key_Return);
        QCOMPARE(m_closed, 1);
        QVERIFY(m_accepted.empty());
    }

    /// The label of a field leads to it, and says what it means.
    void labels()
    {
        open("split", "i");
        const auto *fields = m_form->findChild<QFormLayout *>();
        QVERIFY(fields);
        for (std::size_t i = 0; i < m_form->editors().size(); ++i) {
            forms::FieldEditor *editor = m_form->editors()[i];
            if (!editor)
                continue;
            const auto *label = qobject_cast<QLabel *>(fields->labelForField(editor));
            QVERIFY(label && label->buddy() == editor->focusTarget());
            QCOMPARE(label->toolTip(), QString::fromUtf8(m_form->primitive().fields[i].help));
        }
    }

    /// A primitive of which nothing is asked can be entered too.
    void noFields()
    {
        open("parallel", "i");
        QVERIFY(m_form->hasFocus() || QApplication::focusWidget() == nullptr);
        m_form->setVerdict({});
        QTest::keyClick(m_form.get(), Qt::Key_Return);
        QCOMPARE(m_accepted.size(), 1U);
        QCOMPARE(m_accepted.front().primitive->name, std::string_view("parallel"));
    }
};

QTEST_MAIN(PrimitiveFormTest)
#include "primitive_form_test.moc"
