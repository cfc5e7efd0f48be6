// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/code_edit_pane.h"

#include "app/present/code_source.h"
#include "core/support/text/three_way_merge.h"
#include "widgets/code/code_editor.h"
#include "widgets/document/text.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/fonts.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

namespace nestwright::app {

using document::toQt;

CodeEditPane::CodeEditPane(std::shared_ptr<const code::Languages> languages, QWidget *parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_apply(new look::Button(tr("Apply edit"), this, look::Button::Kind::Primary))
    , m_leave(new look::Button(tr("Leave"), this))
    , m_editor(new code::CodeEditor(tr("Edited code"), std::move(languages), this))
    , m_problem(new look::FindingBox(look::FindingBox::Kind::Bad, this))
{
    m_title->setFont(look::interfaceFont(12, QFont::DemiBold));
    m_title->setMinimumWidth(0);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_apply->setCompact();
    m_apply->setKey(QStringLiteral("Ctrl ⏎"));
    m_apply->setObjectName(QStringLiteral("edit.apply"));
    m_leave->setCompact();
    m_leave->setKey(QStringLiteral("Esc"));
    m_leave->setObjectName(QStringLiteral("edit.leave"));
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(12, 6, 8, 6);
    bar->setSpacing(6);
    bar->addWidget(m_title, 1);
    bar->addWidget(m_leave);
    bar->addWidget(m_apply);
    auto *below = new QVBoxLayout;
    below->setContentsMargins(12, 0, 12, 0);
    below->addWidget(m_problem);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_editor, 1);
    layout->addLayout(below);
    m_problem->hide();
    connect(m_apply, &QPushButton::clicked, this, &CodeEditPane::applyRequested);
    connect(m_leave, &QPushButton::clicked, this, &CodeEditPane::leaveRequested);
    connect(m_editor, &QPlainTextEdit::modificationChanged, m_problem,
            [this](bool isModified) { m_problem->setHidden(isModified || m_problem->isHidden()); });
    setFocusProxy(m_editor);
}

void CodeEditPane::start(const session::CodeEdit &edit, const QString &title)
{
    m_edit = edit;
    m_title->setText(title);
    m_title->setToolTip(title);
    m_editor->setCode(toQt(edit.text), languageOf(edit.kind));
    m_problem->hide();
    showConflicts();
    m_editor->setFocus(Qt::OtherFocusReason);
}

void CodeEditPane::showConflicts()
{
    const auto line = support::conflictAt(m_edit.text);
    if (!line)
        return m_editor->goToLine(1);
    m_problem->setContent(
        tr("%1 with the new schedule").arg(document::counted(m_edit.conflicts(), tr("conflict"))),
        tr("Both sides stand in the text. Keep one of each, or both, and delete the lines of marks."));
    m_problem->show();
    m_editor->goToLine(*line);
}

session::CodeEdit CodeEditPane::edit() const
{
    session::CodeEdit edit = m_edit;
    edit.text = m_editor->toPlainText().toStdString();
    edit.isForeign = false; // a person has it before him, and applies it
    return edit;
}

bool CodeEditPane::isChanged() const { return m_editor->document()->isModified(); }

void CodeEditPane::showProblem(const support::Diagnostic &problem)
{
    const int line = problem.locations.empty() ? 0 : problem.locations.front().line;
    if (line > 0)
        m_editor->markLine(line);
    m_problem->setContent(document::sentence(problem.message),
                          (line > 0 ? tr("Line %1. ").arg(line) : QString())
                              + document::sentence(problem.hint));
    m_problem->show();
}

void CodeEditPane::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Escape)
        return QWidget::keyPressEvent(event);
    event->accept();
    Q_EMIT leaveRequested();
}

} // namespace nestwright::app
