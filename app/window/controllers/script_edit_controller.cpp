// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/script_edit_controller.h"

#include "app/window/commands/command_menu.h"
#include "app/window/panes/nest_pane.h"
#include "app/window/panes/script_line.h"
#include "widgets/code/code_editor.h"
#include "widgets/code/code_view.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/button.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <QTextBlock>

#include <chrono>
#include <utility>

namespace nestwright::app {

using document::Document;
using document::toQt;
using session::VariantId;

namespace {
using namespace std::chrono_literals;
constexpr auto readsAfter = 150ms, pausesAfter = 600ms;
const QString readJob = QStringLiteral("script edit"), followJob = QStringLiteral("script follows");

bool isTyped(const QKeyEvent &event)
{
    return !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
           && !event.text().isEmpty() && event.text().front().isPrint();
}
} // namespace

ScriptEditController::ScriptEditController(Document &document, NestPane &pane, QWidget &dock,
                                           document::CommandRegistry &commands)
    : m_document(document)
    , m_pane(pane)
    , m_dock(dock)
    , m_commands(commands)
{
    for (QTimer *timer : {&m_reading, &m_pausing})
        timer->setSingleShot(true);
    m_reading.setInterval(readsAfter);
    m_pausing.setInterval(pausesAfter);
    connect(&m_reading, &QTimer::timeout, this, &ScriptEditController::read);
    connect(&m_pausing, &QTimer::timeout, this, &ScriptEditController::settle);
    code::CodeEditor *editor = pane.scriptEditor();
    connect(editor, &QPlainTextEdit::textChanged, this, &ScriptEditController::textEdited);
    connect(editor, &QPlainTextEdit::cursorPositionChanged, this, &ScriptEditController::cursorMoved);
    connect(pane.scriptLine(), &ScriptLine::toggled, this,
            [this] { m_pane.isEditing() ? leave() : begin(); });
    connect(&pane, &NestPane::scriptShown, this, [this] {
        if (std::exchange(m_starts, false))
            start();
    });
    connect(pane.view(), &code::CodeView::menuOpening, this, [this](QMenu *menu) {
        if (m_pane.tab() != NestPane::Script)
            return;
        menu->addSeparator();
        app::addCommands(menu, m_commands, {QStringLiteral("nest.editScript")});
    });
    connect(&document, &Document::leaving, this, [this] {
        if (m_pane.isEditing() && !m_isTaken && isRead())
            takeIn();
    });
    connect(&document, &Document::opened, this, [this] {
        m_draft.reset();
        abandon();
    });
    connect(&document, &Document::currentChanged, this, &ScriptEditController::currentChanged);
    connect(&document, &Document::busyChanged, this, [this] {
        if (m_isDue && isRead())
            takeIn();
    });
    editor->installEventFilter(this);
    pane.view()->installEventFilter(this);
}

void ScriptEditController::addCommands()
{
    m_commands.add(
        {.id = QStringLiteral("nest.editScript"),
         .title = tr("Edit the schedule script"),
         .group = tr("Loop nest"),
         .keys = {QKeySequence(Qt::Key_F4)},
         .run = [this] { begin(); },
         .unavailable = [this] { return m_document.isOpen() ? QString() : tr("Open a kernel first."); }});
    m_commands.add(
        {.id = QStringLiteral("nest.leaveScript"),
         .title = tr("Leave the edit of the schedule script"),
         .group = tr("Loop nest"),
         .run = [this] { leave(); },
         .unavailable =
             [this] { return m_pane.isEditing() ? QString() : tr("No script is being edited."); }});
}

// --- beginning and leaving --------------------------------------------------------------------------------

void ScriptEditController::begin()
{
    m_dock.show();
    if (m_pane.tab() != NestPane::Script)
        m_pane.setTab(NestPane::Script);
    if (m_pane.isEditing())
        m_pane.scriptEditor()->setFocus(Qt::OtherFocusReason);
    else if (m_pane.hasScript())
        start();
    else
        m_starts = true;
}

void ScriptEditController::start()
{
    code::CodeEditor *editor = m_pane.scriptEditor();
    const code::CodeView *view = m_pane.view();
    const bool isDraft = m_draft && m_draft->variant == m_document.currentId();
    m_read.reset();
    m_isTaken = true;
    m_isDue = m_leaves = false;
    editor->setCode(isDraft ? m_draft->text : view->source().text, code::Language::Python);
    m_text = editor->toPlainText();
    m_pane.setEditing(true);
    QTextCursor cursor(
        editor->document()->findBlockByNumber(std::min(view->cursor().line, editor->blockCount() - 1)));
    cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor,
                        std::min(view->cursor().column, static_cast<int>(cursor.block().text().size())));
    editor->setTextCursor(cursor);
    m_line = cursor.blockNumber();
    editor->verticalScrollBar()->setValue(view->firstVisibleLine());
    editor->setFocus(Qt::OtherFocusReason);
    m_commands.update();
    read();
}

void ScriptEditController::leave()
{
    if (!m_pane.isEditing())
        return;
    m_leaves = true;
    if (m_isTaken)
        finishLeaving();
    else
        settle();
}

void ScriptEditController::finishLeaving()
{
    m_leaves = false;
    m_draft = Draft{m_document.currentId(), m_text, isRead() && m_read->reading.fault.has_value()};
    abandon();
    m_pane.view()->setFocus(Qt::OtherFocusReason);
}

/// Ends the edit: another program is shown from now on, or the same one without its text.
void ScriptEditController::abandon()
{
    for (const QString &job : {readJob, followJob})
        m_document.jobs().cancel(job);
    m_reading.stop();
    m_pausing.stop();
    m_isDue = m_starts = m_leaves = false;
    m_isTaken = true;
    if (m_pane.isEditing())
        m_pane.setEditing(false);
    showIdle();
    m_commands.update();
}

bool ScriptEditController::eventFilter(QObject *watched, QEvent *event)
{
    const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (watched == m_pane.view())
        return isKey && typeInView(static_cast<QKeyEvent *>(event));
    if (event->type() == QEvent::FocusOut && m_pane.isEditing() && !m_isTaken)
        settle(); // who leaves the text leaves the line
    if (!isKey || static_cast<QKeyEvent *>(event)->key() != Qt::Key_Escape)
        return false;
    event->accept();
    if (event->type() == QEvent::KeyPress)
        leave();
    return true;
}

bool ScriptEditController::typeInView(QKeyEvent *event)
{
    if (m_pane.tab() != NestPane::Script || !m_pane.hasScript() || !isTyped(*event))
        return false;
    event->accept();
    if (event->type() == QEvent::KeyPress) {
        begin();
        QCoreApplication::sendEvent(m_pane.scriptEditor(), event);
    }
    return true;
}

// --- from the text to the history -------------------------------------------------------------------------

void ScriptEditController::textEdited()
{
    if (!m_pane.isEditing() || m_isOwn)
        return;
    const QString text = m_pane.scriptEditor()->toPlainText();
    if (text == m_text) // colours change the document, too
        return;
    m_text = text;
    m_isTaken = false;
    m_document.jobs().cancel(followJob);
    m_reading.start();
    m_pausing.start();
    cursorMoved();
}

void ScriptEditController::cursorMoved()
{
    if (!m_pane.isEditing() || m_isOwn)
        return;
    textEdited();
    const int line = m_pane.scriptEditor()->textCursor().blockNumber();
    if (std::exchange(m_line, line) != line && !m_isTaken)
        settle();
}

void ScriptEditController::settle()
{
    m_isDue = true;
    if (isRead())
        takeIn();
    else
        read();
}

void ScriptEditController::read()
{
    m_reading.stop();
    m_document.jobs().run(
        readJob, this,
        [text = m_text, tree = m_document.tree()](const jobs::Job &) {
            session::ScriptReading reading = session::readScript(*tree.root().state, text.toStdString());
            session::StepBranch branch = session::branchOf(tree, reading.steps);
            document::NestPtr nest = document::makeNest(branch.replayed.end);
            return Read{text, std::move(reading), std::move(branch), std::move(nest)};
        },
        [this](const std::shared_ptr<const Read> &made) {
            if (!m_pane.isEditing() || made->text != m_text)
                return;
            m_read = made;
            showReading();
            if (m_isDue)
                takeIn();
        });
}

void ScriptEditController::takeIn()
{
    if (m_document.isBusy()) // busyChanged comes back to it
        return;
    m_isDue = false;
    m_isTaken = true;
    m_reading.stop();
    m_pausing.stop();
    const session::StepBranch &branch = m_read->branch;
    if (!branch.replayed.steps.empty() || branch.onto != m_document.currentId()) {
        m_isOwn = true;
        m_document.takeIn(branch, m_read->nest);
        m_isOwn = false;
    }
    if (m_leaves)
        finishLeaving();
}

// --- from the history to the text -------------------------------------------------------------------------

void ScriptEditController::currentChanged()
{
    if (!m_pane.isEditing())
        showIdle();
    else if (!m_isOwn)
        follow();
}

void ScriptEditController::follow()
{
    m_reading.stop();
    m_pausing.stop();
    m_isDue = false;
    if (m_leaves)
        return finishLeaving();
    if (!m_isTaken) // what was typed is no variant yet, and stays
        return finishFollowing(m_document.currentId(), std::nullopt);
    const QTextBlock block = m_pane.scriptEditor()->textCursor().block();
    QString text = m_text;
    if (!block.next().isValid() && block.text().isEmpty())
        text += u'\n'; // the cursor's line stays as it is
    m_document.jobs().run(
        followJob, this,
        [text, target = m_document.currentId(), tree = m_document.tree()](const jobs::Job &) {
            const std::string script = text.toStdString();
            return session::changeTo(tree, target, script, session::readScript(*tree.root().state, script));
        },
        [this, from = m_text, target = m_document.currentId()](
            const std::shared_ptr<const std::optional<session::ScriptChange>> &change) {
            if (m_pane.isEditing() && from == m_text && target == m_document.currentId())
                finishFollowing(target, *change);
        });
}

void ScriptEditController::finishFollowing(VariantId target,
                                           const std::optional<session::ScriptChange> &change)
{
    code::CodeEditor *editor = m_pane.scriptEditor();
    m_isOwn = true;
    const bool isChanged = change && (change->isNone() || editor->changeEnd(toQt(change->text)));
    m_isOwn = false;
    m_text = editor->toPlainText();
    if (!isChanged)
        return m_pane.scriptLine()->showNote(
            tr("The history went elsewhere"),
            tr("The text stays as you wrote it: its lines are not those of the current variant. Go on typing "
               "to come back to it, or leave the edit to see the variant's script."));
    m_line = editor->textCursor().blockNumber();
    m_read = std::make_shared<const Read>(Read{
        m_text,
        change->reading,
        {.onto = target, .replayed = {.steps = {}, .end = change->reading.end}},
        m_document.nest(),
    });
    showReading();
}

void ScriptEditController::showReading()
{
    const session::ScriptReading &reading = m_read->reading;
    const int steps = static_cast<int>(reading.steps.size());
    m_pane.scriptEditor()->setFault(reading.faultLine,
                                    reading.fault ? document::explanation(*reading.fault) : QString());
    if (reading.fault)
        m_pane.scriptLine()->showFault(steps, reading.faultLine, *reading.fault);
    else
        m_pane.scriptLine()->showLegal(steps);
}

void ScriptEditController::showIdle()
{
    const bool isKept =
        m_draft && m_draft->isFaulty && m_document.isOpen() && m_draft->variant == m_document.currentId();
    m_pane.scriptLine()->showNote(isKept ? tr("Your text is kept") : tr("Type to edit it"), {});
}

} // namespace nestwright::app
