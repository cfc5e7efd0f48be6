// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/action_list.h"

#include "core/explore/predict/places.h"
#include "core/measure/machine/this_machine.h"
#include "core/schedule/apply.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/jobs/job_runner.h"

#include <algorithm>

namespace nestwright::document {

namespace {
const QString gainsKey = QStringLiteral("gains of placements");
const QString actionsKey = QStringLiteral("actions");
} // namespace

ActionList::ActionList(Document &document, QObject *parent) : QObject(parent), m_document(document)
{
    connect(&document, &Document::currentChanged, this, &ActionList::refresh);
    connect(&document.selection(), &Selection::changed, this, &ActionList::refresh);
}

const suggest::Action *ActionList::find(std::string_view primitive) const
{
    const auto found = std::ranges::find_if(
        *m_actions, [&](const suggest::Action &action) { return action.primitive->name == primitive; });
    return found == m_actions->end() ? nullptr : &*found;
}

bool ActionList::isCurrent() const
{
    return m_nest && m_nest == m_document.nest() && m_selection == m_document.selection().all();
}

void ActionList::refresh()
{
    endPreview();
    if (isCurrent()) { // an explanation of one of them may be open, and its fix on its way
        if (m_document.jobs().isRunning(actionsKey)) {
            m_document.jobs().cancel(actionsKey);
            Q_EMIT changed(); // who waits for the list of another selection waits no more
        }
        return;
    }
    m_document.jobs().cancel(QStringLiteral("fix"));
    if (!m_document.isOpen() || !m_document.nest())
        return;
    const NestPtr nest = m_document.nest();
    const std::vector<StmtId> selection = m_document.selection().all();
    m_document.jobs().run(
        actionsKey, this,
        [nest, selection](const jobs::Job &job) {
            return suggest::actionsFor(nest->loops, selection, job.stopToken());
        },
        [this, nest, selection](const std::shared_ptr<const std::vector<suggest::Action>> &actions) {
            m_actions = actions;
            m_selection = selection;
            m_nest = nest;
            Q_EMIT changed();
        });
}

void ActionList::preview(const schedule::Step &step)
{
    if (!m_document.nest())
        return;
    m_document.jobs().run(
        QStringLiteral("preview"), this,
        [step, nest = m_document.nest()](const jobs::Job &) {
            Preview preview{step, {}, {}};
            const auto applied = schedule::apply(nest->loops.state(), step);
            if (applied)
                preview.nest = makeNest(applied->state);
            else
                preview.refused = applied.error();
            return preview;
        },
        [this](const PreviewPtr &preview) {
            m_preview = preview;
            Q_EMIT previewChanged();
        });
}

void ActionList::endPreview()
{
    m_document.jobs().cancel(QStringLiteral("preview"));
    if (!m_preview)
        return;
    m_preview.reset();
    Q_EMIT previewChanged();
}

void ActionList::findFix(const suggest::Action &action)
{
    if (!isCurrent())
        return;
    m_document.jobs().run(
        QStringLiteral("fix"), this,
        [action, nest = m_nest](const jobs::Job &) { return suggest::fixFor(nest->loops, action); },
        [this, nest = m_nest](const std::shared_ptr<const std::optional<schedule::Fix>> &fix) {
            if (*fix && nest == m_document.nest())
                Q_EMIT fixFound(**fix);
        });
}

template <class Find> void ActionList::findPlacements(StmtId dragged, const Find &find)
{
    endDragging();
    m_places = std::make_shared<Places>();
    m_gains = std::make_shared<std::vector<double>>();
    if (!m_document.nest())
        return;
    m_document.jobs().run(
        QStringLiteral("placements"), this,
        [find, nest = m_document.nest()](const jobs::Job &job) { return find(nest->loops, job.stopToken()); },
        [this, dragged](const std::shared_ptr<const Places> &found) {
            m_places = found;
            Q_EMIT placementsReady(dragged);
            findGains(dragged);
        });
}

void ActionList::findGains(StmtId dragged)
{
    if (m_places->placements.empty() || !m_document.nest())
        return;
    m_document.jobs().run(
        gainsKey, this,
        [places = m_places, nest = m_document.nest(),
         target = m_document.session().target()](const jobs::Job &) {
            if (target.isGpu())
                return std::vector<double>(); // the prediction is of processors
            const target::Machine machine = measure::machineOf(target);
            return explore::predictedGains(nest->loops.state(), places->placements, machine);
        },
        [this, dragged, places = m_places](const std::shared_ptr<const std::vector<double>> &gains) {
            if (places != m_places)
                return;
            m_gains = gains;
            Q_EMIT gainsReady(dragged);
        });
}

void ActionList::endDragging() { m_document.jobs().cancel(gainsKey); }

void ActionList::findPlacements(StmtId dragged)
{
    findPlacements(dragged, [dragged](const suggest::LoopNest &nest, const std::stop_token &stop) {
        return Places{suggest::placementsOf(nest, dragged, stop), suggest::bindingsOf(nest, dragged, stop)};
    });
}

void ActionList::findPlacementsOfBuffer(const QString &buffer, suggest::BufferUse use)
{
    findPlacements(
        {}, [name = buffer.toStdString(), use](const suggest::LoopNest &nest, const std::stop_token &stop) {
            return Places{suggest::placementsOfBuffer(nest, name, use, stop), {}};
        });
}

} // namespace nestwright::document
