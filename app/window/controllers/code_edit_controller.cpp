// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/code_edit_controller.h"

#include "app/window/commands/command_menu.h"
#include "app/window/frame/banner.h"
#include "app/window/panes/code_edit_pane.h"
#include "app/window/panes/source_pane.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/session/history/history_edit.h"
#include "widgets/code/code_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/target_source.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/jobs/job_runner.h"

#include <QAbstractButton>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>

#include <utility>

namespace nestwright::app {

using document::Document;
using document::toQt;
using session::CodeEdit;
using session::VariantId;

CodeEditController::CodeEditController(Document &document, document::Measuring &measuring,
                                       document::TargetSource &source, SourcePane &pane, CodeEditPane &editor,
                                       QWidget &dock, document::CommandRegistry &commands, Banner &banner,
                                       QWidget *window)
    : m_document(document)
    , m_measuring(measuring)
    , m_source(source)
    , m_pane(pane)
    , m_editor(editor)
    , m_dock(dock)
    , m_commands(commands)
    , m_banner(banner)
    , m_window(window)
{
    connect(&editor, &CodeEditPane::applyRequested, this, &CodeEditController::apply);
    connect(&editor, &CodeEditPane::leaveRequested, this, &CodeEditController::askToLeave);
    connect(pane.view(), &code::CodeView::menuOpening, this, [this](QMenu *menu) {
        menu->addSeparator();
        app::addCommands(menu, m_commands,
                         {QStringLiteral("source.edit"), QStringLiteral("source.carryEdit")});
    });
    connect(&document, &Document::leaving, this, &CodeEditController::keep);
    connect(&document, &Document::opened, this, [this] {
        leave();
        m_applied.reset();
        m_last.reset();
        askToRun();
    });
    connect(&document, &Document::currentChanged, this, [this] {
        const auto &edit = m_document.tree().current().edit;
        if (!edit)
            return;
        m_last = m_document.currentId();
        if (!m_edited)
            m_pane.setKind(edit->kind);
    });
    connect(&document, &Document::measurementChanged, this, &CodeEditController::measured);
    connect(&document, &Document::editConflicts, this, &CodeEditController::settle);
    connect(&measuring, &document::Measuring::agreementNeeded, this, &CodeEditController::askToRun);
}

void CodeEditController::addCommands()
{
    const QString group = tr("Target source");
    m_commands.add({.id = QStringLiteral("source.edit"),
                    .title = tr("Edit this code"),
                    .group = group,
                    .keys = {QKeySequence(QStringLiteral("Ctrl+E"))},
                    .run = [this] { begin(); },
                    .unavailable = [this] { return whyNotEditable(); }});
    m_commands.add({.id = QStringLiteral("source.applyEdit"),
                    .title = tr("Apply the edit"),
                    .group = group,
                    .keys = {QKeySequence(QStringLiteral("Ctrl+Return"))},
                    .run = [this] { apply(); },
                    .unavailable = [this] { return m_edited ? QString() : tr("No code is being edited."); }});
    m_commands.add({.id = QStringLiteral("source.leaveEdit"),
                    .title = tr("Leave the edit"),
                    .group = group,
                    .run = [this] { askToLeave(); },
                    .unavailable = [this] { return m_edited ? QString() : tr("No code is being edited."); }});
    m_commands.add({.id = QStringLiteral("source.carryEdit"),
                    .title = tr("Apply the last edit here"),
                    .group = group,
                    .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+E"))},
                    .run = [this] { carry(); },
                    .unavailable = [this] { return whyNotCarried(); }});
}

QString CodeEditController::whyNotEditable() const
{
    if (!m_document.isOpen())
        return tr("Open a kernel first.");
    if (m_edited)
        return tr("It is being edited.");
    if (m_document.isBusy())
        return tr("Wait for the step at work.");
    if (m_document.session().target().isGpu())
        return tr("Code of GPUs cannot be edited: choose the target llvm or c.");
    return backend::isEditable(m_source.kind()) ? QString() : tr("Show C, LLVM IR or assembly first.");
}

QString CodeEditController::whyNotCarried() const
{
    if (!m_document.isOpen() || !m_last)
        return tr("No code of this kernel was edited yet.");
    if (m_document.isBusy())
        return tr("Wait for the step at work.");
    const auto &tree = m_document.tree();
    return tree.programOf(m_document.currentId()) == tree.programOf(*m_last)
               ? tr("The edit is of this variant: go to another one.")
               : QString();
}

void CodeEditController::begin()
{
    const session::Variant &current = m_document.tree().current();
    if (current.edit && current.edit->kind == m_source.kind())
        return edit(current.id, *current.edit);
    m_document.jobs().run(
        QStringLiteral("editable source"), this,
        [state = *current.state, target = m_document.session().target(), kind = m_source.kind()](
            const jobs::Job &job) { return session::beginEdit(state, target, kind, job.stopToken()); },
        [this, of = current.id](const std::shared_ptr<const support::Result<CodeEdit>> &made) {
            if (!*made)
                m_banner.showError(made->error());
            else if (m_document.isOpen() && m_document.currentId() == of && !m_edited)
                edit(of, **made);
        });
}

void CodeEditController::edit(VariantId of, const CodeEdit &edit)
{
    m_edited = of;
    m_dock.show();
    m_pane.setKind(edit.kind);
    const session::Variant &variant = m_document.tree().at(m_document.tree().programOf(of));
    m_editor.start(edit,
                   tr("%1 of %2").arg(toQt(backend::sourceFormat(edit.kind).title), toQt(variant.label)));
    m_pane.setEditing(true);
    m_editor.setFocus();
    m_commands.update();
}

void CodeEditController::apply()
{
    if (!m_edited)
        return;
    const CodeEdit edit = m_editor.edit();
    if (edit.text == edit.base) {
        support::Diagnostic same = support::diagnostic("edited.same", "the text is the generated one");
        return m_editor.showProblem(std::move(same).withHint("change it, or leave"));
    }
    m_sinceApply.start();
    m_toVerdict.reset();
    const VariantId id = m_document.addEdit(*m_edited, edit);
    m_applied = id;
    leave();
    m_measuring.measure({id});
}

void CodeEditController::keep()
{
    if (m_edited && m_editor.isChanged() && m_document.isOpen())
        m_document.addEdit(*m_edited, m_editor.edit());
    leave();
}

void CodeEditController::askToLeave()
{
    if (!m_edited)
        return;
    if (!m_editor.isChanged())
        return leave();
    auto *question =
        new QMessageBox(QMessageBox::Question, tr("Leave the edit?"),
                        tr("The code was changed and not applied."), QMessageBox::NoButton, m_window);
    question->setAttribute(Qt::WA_DeleteOnClose);
    const QAbstractButton *applies = question->addButton(tr("Apply edit"), QMessageBox::AcceptRole);
    const QAbstractButton *discards =
        question->addButton(tr("Discard changes"), QMessageBox::DestructiveRole);
    question->setDefaultButton(question->addButton(tr("Go on editing"), QMessageBox::RejectRole));
    connect(question, &QMessageBox::buttonClicked, this, [this, applies, discards](QAbstractButton *pressed) {
        if (pressed == applies)
            apply();
        else if (pressed == discards)
            leave();
        else
            m_editor.setFocus();
    });
    question->open();
}

void CodeEditController::leave()
{
    if (!std::exchange(m_edited, std::nullopt))
        return;
    m_pane.setEditing(false);
    m_commands.update();
}

void CodeEditController::carry()
{
    m_document.edit(session::rebase(m_document.tree(), *m_last, *m_last,
                                    m_document.tree().programOf(m_document.currentId())));
}

void CodeEditController::askToRun()
{
    const int count = m_document.isOpen() ? m_document.tree().foreignEdits() : 0;
    if (count == 0)
        return;
    m_document.jobs().run(
        QStringLiteral("probed sandbox"), this, [](const jobs::Job &) { return measure::sandboxHere(); },
        [this, count](const std::shared_ptr<const measure::Sandbox> &sandbox) {
            if (!m_document.isOpen() || m_document.tree().foreignEdits() != count)
                return;
            m_banner.showInfo(sandbox->holdsStrangers()
                                  ? tr("This session holds hand-edited code. Run it?")
                                  : tr("This session holds hand-edited code. Run it without a sandbox?"),
                              toQt(session::foreignEditsText(count, *sandbox)),
                              {{tr("Run it"), [this] { m_document.allowEdits(); }}, {tr("Not now"), [] {}}});
        });
}

void CodeEditController::measured(int variant)
{
    if (!m_applied || m_applied->value != variant)
        return;
    const auto &measurement = m_document.tree().at(*m_applied).measurement;
    const bool isJudged = measurement
                          && (measurement->verdict != measure::Verdict::NotVerified
                              || measurement->failed != measure::Failure::None);
    if (!isJudged)
        return;
    const VariantId id = *std::exchange(m_applied, std::nullopt);
    m_toVerdict = static_cast<double>(m_sinceApply.nsecsElapsed()) * 1e-9;
    const session::Variant &edited = m_document.tree().at(id);
    if (measurement->failed != measure::Failure::Compile || m_edited || m_document.currentId() != id)
        return;
    edit(id, *edited.edit); // to be mended where it is wrong
    m_editor.showProblem(*measurement->failure);
}

void CodeEditController::settle(int variant)
{
    const session::Variant &edited = m_document.tree().at({variant});
    m_banner.showProblem(
        support::diagnostic("edited.conflict", "the edit and the new schedule changed the same lines: "
                                                   + session::summaryOf(*edited.edit))
            .withHint("both sides stand in the text of the variant, which runs once they are settled"),
        {{tr("Settle them"), [this, id = edited.id] {
              if (m_document.currentId() != id)
                  m_document.jumpTo(id);
              if (m_document.isOpen() && !m_edited)
                  edit(id, *m_document.tree().at(id).edit);
          }}});
}

} // namespace nestwright::app
