// SPDX-License-Identifier: GPL-3.0-or-later
// The editors of fields by mouse and keys, one for each kind of field.
#include "widgets/forms/field_editor.h"

#include "widgets/forms/factor_editor.h"
#include "widgets/forms/order_editor.h"
#include "widgets/look/button.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStyle>
#include <QtTest>

using namespace nestwright;
using forms::FactorEditor;
using forms::FieldEditor;
using schedule::ArgList;
using schedule::ArgValue;
using schedule::Field;
using schedule::FieldKind;
using suggest::Choice;
using support::StmtId;

namespace {

Field field(FieldKind kind, std::optional<ArgValue> fallback = {},
            schedule::FieldForm form = schedule::FieldForm::Plain)
{
    return {.name = "field",
            .label = "Field",
            .help = "Its meaning.",
            .kind = kind,
            .form = form,
            .fallback = std::move(fallback)};
}

const std::vector<Choice> letters{{std::string("a"), "a"}, {std::string("b"), "b"}, {std::string("c"), "c"}};
const std::vector<Choice> threeLoops{{StmtId{1}, "i"}, {StmtId{2}, "j"}, {StmtId{3}, "k"}};

/// Shown, with the focus where it wants it; counts its edits.
struct Shown {
    Shown(const Field &of, const std::vector<Choice> &choices, const ArgValue &proposed,
          const forms::EditorContext &context = {})
        : editor(forms::makeEditor(of, choices, proposed, context, nullptr))
        , edits(editor.get(), &FieldEditor::edited)
    {
        editor->show();
        editor->activateWindow();
        if (!QTest::qWaitForWindowActive(editor.get()))
            qFatal("the editor is not shown");
        editor->focusTarget()->setFocus();
    }
    template <class Widget> Widget *the() const { return editor->findChild<Widget *>(); }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const
    {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    }
    void type(const QString &text) const { QTest::keyClicks(QApplication::focusWidget(), text); }

    std::unique_ptr<FieldEditor> editor;
    QSignalSpy edits;
};

struct ShownFactors : Shown {
    ShownFactors(const ArgList &proposed, std::int64_t iterations,
                 schedule::FieldForm form = schedule::FieldForm::Plain)
        : Shown(field(FieldKind::OptionalInts, {}, form), {}, proposed, {iterations, QStringLiteral("i")})
    {
    }
    FactorEditor &factors() const { return static_cast<FactorEditor &>(*editor); }
    look::Button *button(const char *name) const
    {
        for (look::Button *each : editor->findChildren<look::Button *>()) {
            if (each->accessibleName() == QLatin1String(name))
                return each;
        }
        return nullptr;
    }
};

} // namespace

class FieldEditorsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyKindHasOne()
    {
        for (const schedule::Primitive &primitive : schedule::primitives()) {
            for (const Field &each : primitive.fields) {
                const std::unique_ptr<FieldEditor> editor(
                    forms::makeEditor(each, {}, each.fallback.value_or(ArgValue()), {}, nullptr));
                QVERIFY2(editor != nullptr, each.name.data());
                QVERIFY(editor->focusTarget());
            }
        }
    }

    void numbers()
    {
        const Shown shown(field(FieldKind::Int), {}, std::int64_t{3});
        QCOMPARE(shown.editor->value(), ArgValue(3));
        shown.key(Qt::Key_Up);
        QCOMPARE(shown.editor->value(), ArgValue(4));
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.type(QStringLiteral("17"));
        QCOMPARE(shown.editor->value(), ArgValue(17));
        QCOMPARE(shown.edits.size(), 3); // with the 1 on the way
        QCOMPARE(shown.the<QSpinBox>()->accessibleName(), QStringLiteral("Field"));
        QCOMPARE(shown.the<QSpinBox>()->toolTip(), QStringLiteral("Its meaning."));
    }

    void checkMarks()
    {
        const Shown shown(field(FieldKind::Bool), {}, true);
        auto *box = shown.the<QCheckBox>();
        QCOMPARE(shown.editor->value(), ArgValue(true));
        QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
        QCOMPARE(shown.editor->value(), ArgValue(false));
        shown.key(Qt::Key_Space);
        QCOMPARE(shown.editor->value(), ArgValue(true));
        QCOMPARE(shown.edits.size(), 2);
        QCOMPARE(box->text(), QStringLiteral("Field"));
    }

    void choices()
    {
        const Shown shown(field(FieldKind::Choice), letters, std::string("b"));
        QCOMPARE(shown.editor->value(), ArgValue(std::string("b")));
        QVERIFY(!shown.the<QComboBox>()->isEditable());
        shown.key(Qt::Key_Down);
        QCOMPARE(shown.editor->value(), ArgValue(std::string("c")));
        shown.key(Qt::Key_Home);
        QCOMPARE(shown.editor->value(), ArgValue(std::string("a")));
        QCOMPARE(shown.edits.size(), 2);
    }

    /// A block may read the buffer that it writes: both have its name.
    void choicesOfOneName()
    {
        const ArgValue read(ArgList{"read", 0}), written(ArgList{"write", 0});
        const Shown shown(field(FieldKind::BufferRef),
                          {{read, "C"}, {ArgList{"read", 1}, "A"}, {written, "C"}}, written);
        QCOMPARE(shown.editor->value(), written);
        shown.key(Qt::Key_Home);
        QCOMPARE(shown.editor->value(), read);
        QCOMPARE(shown.edits.size(), 1);
        shown.key(Qt::Key_End);
        QCOMPARE(shown.editor->value(), written);
        QCOMPARE(shown.edits.size(), 2);
    }

    void noChoices()
    {
        const Shown shown(field(FieldKind::Loop), {}, {});
        QCOMPARE(shown.editor->value(), ArgValue(std::string()));
        QCOMPARE(shown.editor->problem(), QString());
    }

    /// Other text than what is offered may be typed; what is offered means its value.
    void typedChoices()
    {
        const Shown shown(field(FieldKind::String), letters, std::string("mine"));
        QCOMPARE(shown.editor->value(), ArgValue(std::string("mine")));
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.type(QStringLiteral("b"));
        QCOMPARE(shown.editor->value(), ArgValue(std::string("b")));
        shown.type(QStringLiteral("2"));
        QCOMPARE(shown.editor->value(), ArgValue(std::string("b2")));
        QVERIFY(shown.edits.size() >= 2);
    }

    void lists()
    {
        const Shown shown(field(FieldKind::Ints), {}, ArgList{0, 1, 2});
        QCOMPARE(shown.the<QLineEdit>()->text(), QStringLiteral("0, 1, 2"));
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{0, 1, 2}));
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.type(QStringLiteral("2,0"));
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{2, 0}));
        shown.type(QStringLiteral(", x"));
        QVERIFY(!shown.editor->problem().isEmpty());
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.type(QStringLiteral("1, \"a\""));
        QCOMPARE(shown.editor->problem(), QStringLiteral("“Field” takes numbers with commas between them"));
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.type(QStringLiteral("[3, 1]"));
        QCOMPARE(shown.editor->problem(), QString());
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{3, 1}));
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.key(Qt::Key_Delete);
        QCOMPARE(shown.editor->problem(), QStringLiteral("Type in a value for “Field”"));
    }

    void listsThatMayBeEmpty()
    {
        const Shown none(field(FieldKind::Ints, ArgValue(ArgList{})), {}, {});
        QCOMPARE(none.the<QLineEdit>()->text(), QString());
        QCOMPARE(none.editor->problem(), QString());
        QCOMPARE(none.editor->value(), ArgValue(ArgList{}));
        const Shown empty(field(FieldKind::Ints, ArgValue(ArgList{})), {}, ArgList{});
        QCOMPARE(empty.the<QLineEdit>()->text(), QString());
    }

    void indexMaps()
    {
        const Shown shown(field(FieldKind::IndexMap), {}, {});
        QVERIFY(!shown.editor->problem().isEmpty()); // it is needed
        shown.type(QStringLiteral("lambda i, j: (j, i"));
        QVERIFY(!shown.editor->problem().isEmpty());
        shown.type(QStringLiteral(")"));
        QCOMPARE(shown.editor->problem(), QString());
        const ArgValue typed = shown.editor->value();
        const auto *map = typed.as<schedule::IndexMap>();
        QVERIFY(map && map->inputs.size() == 2 && map->outputs.size() == 2);
        QVERIFY(ir::Var::from(map->outputs[0]) == map->inputs[1]);
        const Shown optional(field(FieldKind::IndexMap, ArgValue()), {}, {});
        QCOMPARE(optional.editor->problem(), QString());
        QVERIFY(optional.editor->value().isNone());
        // The proposal stands there to be edited.
        const Shown again(field(FieldKind::IndexMap), {}, shown.editor->value());
        QCOMPARE(again.the<QLineEdit>()->text(), QString::fromStdString(schedule::str(typed)));
        QCOMPARE(again.editor->problem(), QString());
    }

    void annotations()
    {
        const Shown shown(field(FieldKind::AnnotationValue), {}, std::string("text"));
        QCOMPARE(shown.the<QLineEdit>()->text(), QStringLiteral("text"));
        QCOMPARE(shown.editor->value(), ArgValue(std::string("text")));
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.type(QStringLiteral("[1, 2"));
        QCOMPARE(shown.editor->problem(), QString()); // anything else is text
        QCOMPARE(shown.editor->value(), ArgValue(std::string("[1, 2")));
        shown.type(QStringLiteral("]"));
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{1, 2}));
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.key(Qt::Key_Backspace);
        QVERIFY(!shown.editor->problem().isEmpty());
    }

    void several()
    {
        const Shown shown(field(FieldKind::Blocks), threeLoops, ArgList{StmtId{2}});
        auto *list = shown.the<QListWidget>();
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{StmtId{2}}));
        list->setCurrentRow(2);
        shown.key(Qt::Key_Space);
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{StmtId{2}, StmtId{3}}));
        const QRect first = list->visualItemRect(list->item(1));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          first.topLeft() + QPoint(10, first.height() / 2));
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{StmtId{3}}));
        QCOMPARE(shown.edits.size(), 2);
        shown.key(Qt::Key_Down);
        shown.key(Qt::Key_Space);
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{}));
    }

    /// The loops that are proposed stand in that order in the places that they have among all.
    void orders()
    {
        const std::vector<Choice> four{
            {StmtId{1}, "i"}, {StmtId{2}, "j"}, {StmtId{3}, "k"}, {StmtId{4}, "l"}};
        const Shown shown(field(FieldKind::Loops), four, ArgList{StmtId{3}, StmtId{1}});
        QCOMPARE(shown.editor->remark(), QStringLiteral("k, j, i, l"));
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{StmtId{3}, StmtId{2}, StmtId{1}, StmtId{4}}));
        QCOMPARE(shown.the<QListWidget>()->currentItem()->text(), QStringLiteral("i"));
        shown.key(Qt::Key_Up, Qt::AltModifier);
        shown.key(Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(shown.editor->remark(), QStringLiteral("i, k, j, l"));
        shown.key(Qt::Key_Up, Qt::AltModifier); // it is the outermost
        QCOMPARE(shown.editor->remark(), QStringLiteral("i, k, j, l"));
        QCOMPARE(shown.edits.size(), 2);
        shown.key(Qt::Key_Down); // the next one, which goes to the end and stays there
        for (int i = 0; i < 4; ++i)
            shown.key(Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(shown.editor->remark(), QStringLiteral("i, j, l, k"));
        QCOMPARE(shown.edits.size(), 4);
    }

    /// Where nothing is proposed the loops stand as they do.
    void ordersThatAreOpen()
    {
        for (const ArgValue &proposed : {ArgValue(), ArgValue(ArgList{})}) {
            const Shown shown(field(FieldKind::Loops), threeLoops, proposed);
            QCOMPARE(shown.editor->remark(), QStringLiteral("i, j, k"));
        }
    }

    void factorsByButtons()
    {
        const ShownFactors shown(ArgList{{}, 8}, 64);
        look::Button *more = shown.button("Add a factor"), *fewer = shown.button("Remove a factor");
        QVERIFY(more && fewer);
        QVERIFY(!fewer->reason().isEmpty());
        QTest::mouseClick(fewer, Qt::LeftButton);
        QCOMPARE(shown.factors().boxes().size(), 2U);
        QCOMPARE(shown.edits.size(), 0);
        QTest::mouseClick(more, Qt::LeftButton);
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{{}, 8, 2}));
        QCOMPARE(shown.editor->remark(), QStringLiteral("4 × 8 × 2 = 64, all of i's iterations"));
        QCOMPARE(shown.edits.size(), 1);
        QVERIFY(fewer->reason().isEmpty());
        QCOMPARE(shown.editor->findChildren<QLabel *>().size(), 2); // a × between two
        QTest::mouseClick(fewer, Qt::LeftButton);
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{{}, 8}));
        QCOMPARE(shown.edits.size(), 2);
    }

    /// Tab goes through the boxes in their order, a new one behind the others.
    void factorsByKeys()
    {
        const ShownFactors shown(ArgList{4, 8}, 32);
        shown.factors().addFactor();
        const auto &boxes = shown.factors().boxes();
        QTRY_VERIFY(boxes[2]->isVisible());
        boxes[0]->setFocus();
        for (std::size_t i = 1; i < 3; ++i) {
            shown.key(Qt::Key_Tab);
            QCOMPARE(QApplication::focusWidget(), boxes[i]);
        }
        for (std::size_t i = 0; i < 3; ++i)
            QCOMPARE(boxes[i]->accessibleName(), QStringLiteral("Factor %1").arg(i + 1));
    }

    /// Only digits can be typed where no formula is understood.
    void factorsAreNumbers()
    {
        const ShownFactors shown(ArgList{{}, 8}, 100);
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.type(QStringLiteral("-1x2.5"));
        QCOMPARE(shown.factors().boxes()[1]->text(), QStringLiteral("125"));
        QCOMPARE(shown.editor->remark(),
                 QStringLiteral("1 × 125 = 125 covers the 100 iterations; a predicate guards "
                                "the rest"));
    }

    void remarksOnFactors()
    {
        QCOMPARE(ShownFactors(ArgList{{}, 8}, -1).editor->remark(),
                 QStringLiteral("i has a symbolic number of iterations"));
        QCOMPARE(ShownFactors(ArgList{2, 8}, 100).editor->remark(),
                 QStringLiteral("2 × 8 = 16 is less than the 100 iterations"));
        QCOMPARE(ShownFactors(ArgList{999'999'999, 999'999'999, 999'999'999}, 100).editor->remark(),
                 QStringLiteral("The factors are far more than the 100 iterations"));
        QCOMPARE(ShownFactors(ArgList{{}, {}}, 100).editor->problem(),
                 QStringLiteral("Only one factor can be left to be worked out"));
    }

    /// A box of blanks is left open as an empty one is.
    void blanksAreNoFactor()
    {
        const ShownFactors shown(ArgList{4, 8}, 64, schedule::FieldForm::AcceptsFormulas);
        shown.factors().boxes()[0]->setFocus();
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.type(QStringLiteral("  "));
        QCOMPARE(shown.editor->value(), ArgValue(ArgList{{}, 8}));
        QCOMPARE(shown.editor->problem(), QString());
        QCOMPARE(shown.editor->remark(), QStringLiteral("8 × 8 = 64, all of i's iterations"));
    }

    void factorsBeyondNumbers()
    {
        const ShownFactors shown(ArgList{{}, 8}, 64, schedule::FieldForm::AcceptsFormulas);
        shown.key(Qt::Key_A, Qt::ControlModifier);
        shown.type(QStringLiteral("1000000000"));
        QVERIFY(shown.editor->problem().contains(QStringLiteral("1000000000")));
        shown.key(Qt::Key_Backspace);
        QCOMPARE(shown.editor->problem(), QString());
    }
};

QTEST_MAIN(FieldEditorsTest)
#include "field_editors_test.moc"
