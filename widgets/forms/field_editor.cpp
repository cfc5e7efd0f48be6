// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/field_editor.h"

#include "core/schedule/script/values.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/forms/factor_editor.h"
#include "widgets/forms/order_editor.h"
#include "widgets/look/fonts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace nestwright::forms {

using document::toQt;
using schedule::ArgList;
using schedule::ArgValue;
using schedule::Field;
using schedule::FieldKind;

namespace {

/// An editor made of one ready widget.
template <class Widget> class SimpleEditor : public FieldEditor {
public:
    SimpleEditor(const Field &field, QWidget *parent) : FieldEditor(parent), m_widget(new Widget(this))
    {
        auto *layout = new QHBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(m_widget);
        m_widget->setAccessibleName(toQt(field.label));
        m_widget->setToolTip(toQt(field.help));
    }
    QWidget *focusTarget() override { return m_widget; }

protected:
    Widget *m_widget;
};

class IntEditor : public SimpleEditor<QSpinBox> {
public:
    IntEditor(const Field &field, const ArgValue &proposed, QWidget *parent) : SimpleEditor(field, parent)
    {
        m_widget->setRange(-1, std::numeric_limits<int>::max());
        if (const auto *number = proposed.as<std::int64_t>())
            m_widget->setValue(static_cast<int>(*number));
        connect(m_widget, &QSpinBox::valueChanged, this, &FieldEditor::edited);
    }
    ArgValue value() const override { return static_cast<std::int64_t>(m_widget->value()); }
};

class BoolEditor : public SimpleEditor<QCheckBox> {
public:
    BoolEditor(const Field &field, const ArgValue &proposed, QWidget *parent) : SimpleEditor(field, parent)
    {
        m_widget->setText(toQt(field.label));
        if (const auto *on = proposed.as<bool>())
            m_widget->setChecked(*on);
        connect(m_widget, &QCheckBox::toggled, this, &FieldEditor::edited);
    }
    ArgValue value() const override { return m_widget->isChecked(); }
};

/// One of several values; where `mayType` is set any other text too.
class ChoiceEditor : public SimpleEditor<QComboBox> {
public:
    ChoiceEditor(const Field &field, std::vector<suggest::Choice> choices, const ArgValue &proposed,
                 bool mayType, QWidget *parent)
        : SimpleEditor(field, parent)
        , m_choices(std::move(choices))
    {
        m_widget->setEditable(mayType);
        for (const suggest::Choice &choice : m_choices) {
            m_widget->addItem(toQt(choice.label));
            if (choice.value == proposed)
                m_widget->setCurrentIndex(m_widget->count() - 1);
        }
        if (const auto *typed = proposed.as<std::string>(); typed && mayType)
            m_widget->setCurrentText(QString::fromStdString(*typed));
        if (mayType)
            connect(m_widget, &QComboBox::currentTextChanged, this, &FieldEditor::edited);
        else
            connect(m_widget, &QComboBox::currentIndexChanged, this, &FieldEditor::edited);
    }
    ArgValue value() const override
    {
        const int index = m_widget->isEditable() ? m_widget->findText(m_widget->currentText())
                                                 : m_widget->currentIndex(); // labels may be the same
        if (index >= 0 && index < static_cast<int>(m_choices.size()))
            return m_choices[static_cast<std::size_t>(index)].value;
        return m_widget->currentText().toStdString();
    }

private:
    std::vector<suggest::Choice> m_choices;
};

/// A value typed as in a script: numbers with commas, the lambda of an index map, the value of an annotation.
class TextEditor : public SimpleEditor<QLineEdit> {
public:
    TextEditor(const Field &field, const ArgValue &proposed, QWidget *parent)
        : SimpleEditor(field, parent)
        , m_kind(field.kind)
        , m_required(!field.fallback)
    {
        if (m_kind == FieldKind::IndexMap)
            m_widget->setFont(look::codeFont(12));
        const QString text = QString::fromStdString(schedule::str(proposed));
        if (const auto *plain = proposed.as<std::string>())
            m_widget->setText(QString::fromStdString(*plain));
        else if (m_kind == FieldKind::Ints && proposed.as<ArgList>())
            m_widget->setText(text.mid(1, text.size() - 2)); // without the brackets
        else if (!proposed.isNone())
            m_widget->setText(text);
        if (m_kind == FieldKind::Ints)
            m_widget->setPlaceholderText(tr("numbers with commas"));
        if (m_kind == FieldKind::IndexMap)
            m_widget->setPlaceholderText(m_required ? tr("lambda i, j: (j, i)") : tr("none"));
        connect(m_widget, &QLineEdit::textChanged, this, &FieldEditor::edited);
    }
    ArgValue value() const override
    {
        if (m_kind == FieldKind::AnnotationValue)
            return parseAnnotation(m_widget->text());
        return typed().value_or(ArgValue());
    }
    QString problem() const override
    {
        const bool empty = m_widget->text().trimmed().isEmpty();
        if (empty && m_required)
            return tr("Type in a value for “%1”").arg(m_widget->accessibleName());
        if (empty || m_kind == FieldKind::AnnotationValue)
            return {};
        const auto value = typed();
        if (!value)
            return document::sentence(value.error().message);
        if (m_kind == FieldKind::Ints && !isNumbers(*value))
            return tr("“%1” takes numbers with commas between them").arg(m_widget->accessibleName());
        return {};
    }

private:
    schedule::Result<ArgValue> typed() const
    {
        const QString text = m_widget->text().trimmed();
        const bool list = m_kind == FieldKind::Ints && !text.startsWith(u'[');
        if (text.isEmpty() && m_kind == FieldKind::IndexMap)
            return ArgValue();
        return schedule::readValue((list ? u'[' + text + u']' : text).toStdString());
    }

    static bool isNumbers(const ArgValue &value)
    {
        const ArgList *list = value.as<ArgList>();
        return list && std::ranges::all_of(*list, [](const ArgValue &each) {
                   return each.as<std::int64_t>() != nullptr;
               });
    }

    FieldKind m_kind;
    bool m_required;
};

/// Any number of several values, each with a check mark; none means the primitive's default.
class ManyEditor : public SimpleEditor<QListWidget> {
public:
    ManyEditor(const Field &field, std::vector<suggest::Choice> choices, const ArgValue &proposed,
               QWidget *parent)
        : SimpleEditor(field, parent)
        , m_choices(std::move(choices))
    {
        const ArgList *chosen = proposed.as<ArgList>();
        for (const suggest::Choice &choice : m_choices) {
            auto *item = new QListWidgetItem(toQt(choice.label), m_widget);
            item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable | Qt::ItemIsSelectable);
            const bool on = chosen && std::ranges::find(*chosen, choice.value) != chosen->end();
            item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
        }
        const int rows = std::clamp(m_widget->count(), 1, 4);
        m_widget->setFixedHeight(rows * 27 + 4);
        connect(m_widget, &QListWidget::itemChanged, this, &FieldEditor::edited);
    }
    ArgValue value() const override
    {
        ArgList list;
        for (int i = 0; i < m_widget->count(); ++i) {
            if (m_widget->item(i)->checkState() == Qt::Checked)
                list.push_back(m_choices[static_cast<std::size_t>(i)].value);
        }
        return list;
    }

private:
    std::vector<suggest::Choice> m_choices;
};

} // namespace

FieldEditor *makeEditor(const Field &field, const std::vector<suggest::Choice> &choices,
                        const ArgValue &proposed, const EditorContext &context, QWidget *parent)
{
    switch (field.kind) {
    case FieldKind::OptionalInts: return new FactorEditor(field, proposed, context, parent);
    case FieldKind::Loops: return new OrderEditor(choices, proposed, parent);
    case FieldKind::Int: return new IntEditor(field, proposed, parent);
    case FieldKind::Bool: return new BoolEditor(field, proposed, parent);
    case FieldKind::String: return new ChoiceEditor(field, choices, proposed, true, parent);
    case FieldKind::Choice:
    case FieldKind::Loop:
    case FieldKind::Block:
    case FieldKind::BlockOrLoop:
    case FieldKind::BufferIndex:
    case FieldKind::BufferRef: return new ChoiceEditor(field, choices, proposed, false, parent);
    case FieldKind::Ints:
    case FieldKind::IndexMap:
    case FieldKind::AnnotationValue: return new TextEditor(field, proposed, parent);
    case FieldKind::Blocks: return new ManyEditor(field, choices, proposed, parent);
    }
    return nullptr;
}

ArgValue parseAnnotation(const QString &text)
{
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty())
        return {};
    if (auto value = schedule::readValue(trimmed.toStdString());
        value && !value->as<schedule::IndexMap>() && !value->as<schedule::Formula>())
        return *std::move(value);
    return trimmed.toStdString();
}

} // namespace nestwright::forms
