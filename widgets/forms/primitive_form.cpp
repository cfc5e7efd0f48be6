// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/primitive_form.h"

#include "widgets/document/text.h"
#include "widgets/forms/field_editor.h"
#include "widgets/look/button.h"
#include "widgets/look/fonts.h"

#include <QFormLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include <utility>

namespace nestwright::forms {

using document::toQt;
using schedule::Field;
using schedule::FieldKind;

namespace {
QLabel *makeLabel(const QString &text, const char *role, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setProperty("role", role);
    label->setWordWrap(true);
    label->setFont(look::interfaceFont(12));
    return label;
}

/// Scroll area as high as its contents if there is room.
class FittingScrollArea : public QScrollArea {
public:
    explicit FittingScrollArea(QWidget *parent) : QScrollArea(parent)
    {
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        viewport()->setAutoFillBackground(false);
        setFocusPolicy(Qt::NoFocus);
    }
    QSize sizeHint() const override { return widget() ? widget()->sizeHint() : QScrollArea::sizeHint(); }
};

} // namespace

PrimitiveForm::PrimitiveForm(const suggest::Action &action, const suggest::LoopNest &nest,
                             support::StmtId selected, QWidget *parent)
    : QWidget(parent)
    , m_primitive(action.primitive)
    , m_args(action.args)
    , m_fields(new QFormLayout)
    , m_remark(makeLabel({}, "secondary", this))
    , m_verdict(makeLabel({}, "bad", this))
    , m_apply(new look::Button(tr("Apply"), this, look::Button::Kind::Primary))
    , m_wait(new QTimer(this))
{
    setAccessibleName(toQt(m_primitive->title));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto *title = new QLabel(
        QStringLiteral("%1 %2").arg(toQt(m_primitive->title), toQt(nest.name(selected))).trimmed(), this);
    title->setFont(look::interfaceFont(13, QFont::DemiBold));
    layout->addWidget(title);
    layout->addWidget(makeLabel(toQt(m_primitive->summary), "secondary", this));
    m_fields->setContentsMargins(0, 2, 0, 0);
    m_fields->setHorizontalSpacing(12);
    m_fields->setVerticalSpacing(8);
    m_fields->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_fields->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto *inside = new QWidget;
    inside->setLayout(m_fields);
    addFields(action, nest, selected);
    auto *area = new FittingScrollArea(this);
    area->setWidget(inside);
    inside->setAutoFillBackground(false); // setWidget() switches it on
    layout->addWidget(area, 1);
    m_remark->setFont(look::codeFont(11.5));
    layout->addWidget(m_remark);
    layout->addWidget(m_verdict);
    auto *buttons = new QHBoxLayout;
    auto *cancel = new look::Button(tr("Cancel"), this);
    cancel->setKey(QStringLiteral("Esc"));
    m_apply->setKey(QStringLiteral("↵"));
    buttons->addWidget(m_apply);
    buttons->addWidget(cancel);
    buttons->addStretch(1);
    layout->addLayout(buttons);
    connect(m_apply, &QPushButton::clicked, this, &PrimitiveForm::accept);
    connect(cancel, &QPushButton::clicked, this, &PrimitiveForm::closed);
    m_wait->setSingleShot(true);
    m_wait->setInterval(60);
    connect(m_wait, &QTimer::timeout, this, [this] { Q_EMIT previewWanted(step()); });
    edited();
}

void PrimitiveForm::addFields(const suggest::Action &action, const suggest::LoopNest &nest,
                              support::StmtId selected)
{
    EditorContext context;
    if (nest.contains(selected)) {
        context.iterations = nest.iterations(selected).value_or(-1);
        context.loopName = toQt(nest.name(selected));
    }
    for (std::size_t i = 0; i < m_primitive->fields.size(); ++i) {
        const Field &field = m_primitive->fields[i];
        m_editors.push_back(nullptr);
        if (suggest::isSubject(*m_primitive, i))
            continue;
        FieldEditor *editor = makeEditor(field, action.choices[i], action.args[i], context, this);
        connect(editor, &FieldEditor::edited, this, &PrimitiveForm::edited);
        m_editors.back() = editor;
        auto *label = new QLabel(field.kind == FieldKind::Bool ? QString() : toQt(field.label), this);
        label->setProperty("role", "secondary");
        label->setToolTip(toQt(field.help));
        label->setBuddy(editor->focusTarget());
        m_fields->addRow(label, editor);
    }
}

schedule::Step PrimitiveForm::step() const
{
    schedule::Step step{m_primitive, m_args};
    for (std::size_t i = 0; i < m_editors.size(); ++i) {
        if (m_editors[i])
            step.args[i] = m_editors[i]->value();
    }
    return step;
}

void PrimitiveForm::edited()
{
    QString remark;
    QString problem;
    for (const FieldEditor *editor : m_editors) {
        if (!editor)
            continue;
        if (remark.isEmpty())
            remark = editor->remark();
        if (problem.isEmpty())
            problem = editor->problem();
    }
    m_remark->setText(remark);
    m_remark->setVisible(!remark.isEmpty());
    showVerdict(problem);
    m_isEntered = false;
    m_isJudged = !problem.isEmpty();
    if (problem.isEmpty())
        m_wait->start();
    else
        m_wait->stop();
}

void PrimitiveForm::setVerdict(const QString &refusal)
{
    m_isJudged = true;
    showVerdict(refusal);
    if (std::exchange(m_isEntered, false))
        accept();
}

void PrimitiveForm::showVerdict(const QString &refusal)
{
    m_verdict->setText(refusal);
    m_apply->setUnavailable(refusal);
}

void PrimitiveForm::takeFocus()
{
    for (FieldEditor *editor : m_editors) {
        if (editor) {
            editor->focusTarget()->setFocus(Qt::ShortcutFocusReason);
            return;
        }
    }
    setFocus();
}

void PrimitiveForm::accept()
{
    if (!m_isJudged) {
        m_isEntered = true;
        m_wait->stop();
        Q_EMIT previewWanted(step());
    } else if (m_verdict->text().isEmpty()) {
        Q_EMIT accepted(step());
    }
}

void PrimitiveForm::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        accept();
    else if (event->key() == Qt::Key_Escape)
        Q_EMIT closed();
    else
        QWidget::keyPressEvent(event);
}

} // namespace nestwright::forms
