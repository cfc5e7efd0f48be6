// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/step_search_commands.h"

#include "app/window/frame/banner.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/step_searching.h"
#include "widgets/history/history_view.h"

#include <QMenu>

#include <array>

namespace nestwright::app {

using document::Document;
using document::StepSearching;
using document::toQt;
using explore::Complaint;
using session::VariantId;

namespace {
constexpr std::array complaints{Complaint::Wrong, Complaint::Slow};
} // namespace

StepSearchCommands::StepSearchCommands(Document &document, StepSearching &searching,
                                       const document::Measuring &measuring, Banner &banner)
    : m_document(document)
    , m_searching(searching)
    , m_measuring(measuring)
    , m_banner(banner)
{
    connect(&searching, &StepSearching::found, this, &StepSearchCommands::showFound);
    connect(&searching, &StepSearching::failed, &banner, &Banner::showError);
    connect(&searching, &StepSearching::nothingFound, this, [this](Complaint complaint) {
        if (complaint == Complaint::Wrong)
            m_banner.showInfo(tr("Nothing is wrong"),
                              tr("The variant gives the results of the unscheduled program."));
        else
            m_banner.showInfo(tr("No speed was lost"),
                              tr("The variant is about as fast as the fastest on the way to it."));
    });
}

QString StepSearchCommands::unavailable(VariantId variant, Complaint complaint) const
{
    if (!m_document.isOpen())
        return tr("Open a kernel first.");
    if (!m_document.tree().at(variant).ok())
        return tr("The step was refused: there is no program.");
    if (m_document.tree().at(variant).isRoot())
        return tr("No step leads to it.");
    if (m_searching.isRunning())
        return tr("A search is at work.");
    if (complaint == Complaint::Slow && m_measuring.isRunning())
        return tr("Other measurements would disturb it.");
    return {};
}

void StepSearchCommands::addCommands(document::CommandRegistry &commands, const history::HistoryView &view)
{
    const QString group = tr("History");
    for (const Complaint complaint : complaints) {
        const bool isWrong = complaint == Complaint::Wrong;
        commands.add(
            {.id = isWrong ? QStringLiteral("history.findWrong") : QStringLiteral("history.findSlow"),
             .title =
                 isWrong ? tr("Find the step that made it wrong…") : tr("Find the step that lost the speed…"),
             .group = group,
             .run = [this, &view, complaint] { m_searching.find(view.focused(), complaint); },
             .unavailable =
                 [this, &view, complaint] {
                     return unavailable(m_document.isOpen() ? view.focused() : VariantId(), complaint);
                 }});
    }
    commands.add({.id = QStringLiteral("history.stopSearch"),
                  .title = tr("Stop looking for the step"),
                  .group = group,
                  .icon = QStringLiteral("stop"),
                  .run = [this] { m_searching.cancel(); },
                  .unavailable =
                      [this] { return m_searching.isRunning() ? QString() : tr("No search is at work."); }});
    connect(&m_searching, &StepSearching::changed, &commands, &document::CommandRegistry::update);
}

void StepSearchCommands::addTo(QMenu &menu, VariantId variant)
{
    for (const Complaint complaint : complaints) {
        QAction *action =
            menu.addAction(complaint == Complaint::Wrong ? tr("Find the step that made it wrong…")
                                                         : tr("Find the step that lost the speed…"),
                           this, [this, variant, complaint] { m_searching.find(variant, complaint); });
        const QString why = unavailable(variant, complaint);
        action->setEnabled(why.isEmpty());
        action->setToolTip(why);
    }
}

void StepSearchCommands::showFound(const document::StepInHistory &step)
{
    QStringList notes{document::sentence(step.found.detail)};
    for (const std::string &note : step.found.notes)
        notes << document::sentence(note);
    std::vector<Banner::Button> buttons{
        {tr("Go to it"), [this, variant = step.variant] { m_document.jumpTo(variant); }}};
    if (const auto &least = step.found.smallest) {
        const std::size_t enough = least->path.size();
        notes << (enough == 1 ? tr("%1 of %2 steps is enough for that.")
                              : tr("%1 of %2 steps are enough for that."))
                     .arg(enough)
                     .arg(step.of);
        const QString name = step.complaint == Complaint::Wrong ? tr("smallest wrong") : tr("smallest slow");
        buttons.push_back({tr("Show the smallest script"), [this, name, steps = least->path.steps()] {
                               m_document.branch(m_document.tree().root().id, name.toStdString(), steps);
                           }});
    }
    m_banner.showInfo(document::sentence(step.found.sentence), notes.join(u' '), buttons);
}

} // namespace nestwright::app
