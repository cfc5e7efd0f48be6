// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/field_editor.h"

#include "widgets/forms/factor_editor.h"
#include "widgets/forms/order_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSpinBox>

#include <limits>

namespace nestwright::forms {

using schedule::ArgList;
using schedule::ArgValue;
using schedule::Field;
using schedule::FieldKind;

namespace {

QString toQt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

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
    ChoiceEditor(const Field &field, std::vector<document::Choice> choices, const ArgValue &proposed,
                 bool mayType, QWidget *parent)
        : SimpleEditor(field, parent)
        , m_choices(std::move(choices))
    {
        m_widget->setEditable(mayType);
        for (const document::Choice &choice : m_choices) {
            m_widget->addItem(choice.label);
            if (choice.value == proposed)
                m_widget->setCurrentIndex(m_widget->count() - 1);
        }
        if (const auto *typed = proposed.as<std::string>(); typed && mayType)
            m_widget->setCurrentText(QString::fromStdString(*typed));
        connect(m_widget, &QComboBox::currentTextChanged, this, &FieldEditor::edited);
    }
    ArgValue value() const override
    {
        const int index = m_widget->findText(m_widget->currentText());
        if (index >= 0 && index < static_cast<int>(m_choices.size()))
            return m_choices[static_cast<std::size_t>(index)].value;
        return m_widget->currentText().toStdString();
    }

private:
    std::vector<document::Choice> m_choices;
};

class TextEditor : public SimpleEditor<QLineEdit> {
public:
    TextEditor(const Field &field, const ArgValue &proposed, QWidget *parent)
        : SimpleEditor(field, parent)
        , m_kind(field.kind)
        , m_required(!field.fallback)
    {
        if (const auto *text = proposed.as<std::string>())
            m_widget->setText(QString::fromStdString(*text));
        else if (!proposed.isNone())
            m_widget->setText(QString::fromStdString(schedule::str(proposed)));
        if (m_kind == FieldKind::Ints)
            m_widget->setPlaceholderText(tr("numbers with commas"));
        connect(m_widget, &QLineEdit::textChanged, this, &FieldEditor::edited);
    }
    ArgValue value() const override
    {
        if (m_kind == FieldKind::Ints)
            return numbers();
        if (m_kind == FieldKind::AnnotationValue)
            return parseAnnotation(m_widget->text());
        return m_widget->text().toStdString();
    }
    QString problem() const override
    {
        if (m_required && m_widget->text().trimmed().isEmpty())
            return tr("Type in a value for “%1”").arg(m_widget->accessibleName());
        return {};
    }

private:
    ArgValue numbers() const
    {
        ArgList list;
        const QStringList parts = m_widget->text().remove(u'[').remove(u']').split(u',', Qt::SkipEmptyParts);
        for (const QString &part : parts)
            list.emplace_back(static_cast<std::int64_t>(part.trimmed().toLongLong()));
        return list;
    }

    FieldKind m_kind;
    bool m_required;
};

/// A value that a form cannot change.
class FixedEditor : public SimpleEditor<QLineEdit> {
public:
    FixedEditor(const Field &field, ArgValue value, QWidget *parent)
        : SimpleEditor(field, parent)
        , m_value(std::move(value))
    {
        m_widget->setReadOnly(true);
        m_widget->setText(m_value.isNone() ? tr("none") : QString::fromStdString(schedule::str(m_value)));
    }
    ArgValue value() const override { return m_value; }

private:
    ArgValue m_value;
};

} // namespace

FieldEditor *makeEditor(const Field &field, const std::vector<document::Choice> &choices,
                        const ArgValue &proposed, const EditorContext &context, QWidget *parent)
{
    switch (field.kind) {
    case FieldKind::OptionalInts: return new FactorEditor(proposed, context, parent);
    case FieldKind::Loops: return new OrderEditor(choices, proposed, parent);
    case FieldKind::Int: return new IntEditor(field, proposed, parent);
    case FieldKind::Bool: return new BoolEditor(field, proposed, parent);
    case FieldKind::String: return new ChoiceEditor(field, choices, proposed, true, parent);
    case FieldKind::Choice:
    case FieldKind::Loop:
    case FieldKind::Block:
    case FieldKind::BufferIndex:
    case FieldKind::BufferRef: return new ChoiceEditor(field, choices, proposed, false, parent);
    case FieldKind::Ints:
    case FieldKind::AnnotationValue: return new TextEditor(field, proposed, parent);
    case FieldKind::BlockOrLoop:
    case FieldKind::Blocks:
    case FieldKind::IndexMap: return new FixedEditor(field, proposed, parent);
    }
    return nullptr;
}

ArgValue parseAnnotation(const QString &text)
{
    const QString trimmed = text.trimmed();
    if (trimmed == u"None" || trimmed.isEmpty())
        return {};
    if (trimmed == u"True" || trimmed == u"False")
        return trimmed == u"True";
    bool ok = false;
    if (const qlonglong number = trimmed.toLongLong(&ok); ok)
        return static_cast<std::int64_t>(number);
    if (const double number = trimmed.toDouble(&ok); ok)
        return number;
    const bool quoted = trimmed.size() > 1 && trimmed.front() == u'"' && trimmed.back() == u'"';
    return (quoted ? trimmed.mid(1, trimmed.size() - 2) : trimmed).toStdString();
}

} // namespace nestwright::forms
