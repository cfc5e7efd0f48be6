// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/place_trials.h"

#include "app/window/frame/banner.h"
#include "core/explore/predict/places.h"
#include "core/measure/machine/this_machine.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"

#include <QPointer>

#include <algorithm>
#include <utility>

namespace nestwright::app {

using document::toQt;
using session::VariantId;

namespace {
const QString placesKey = QStringLiteral("places");
constexpr int placesNamed = 3; ///< in a sentence
} // namespace

/// The best places of a loop or block.
struct PlaceTrials::Found {
    QString name;
    VariantId on;
    std::vector<schedule::Step> steps;
    std::size_t legal = 0;
};

PlaceTrials::PlaceTrials(document::Document &document, document::Measuring &measuring, Banner &banner)
    : m_document(document)
    , m_measuring(measuring)
    , m_banner(banner)
{
    connect(&measuring, &document::Measuring::ranked, this, &PlaceTrials::tell);
    connect(&document, &document::Document::opened, this, [this] { m_found.reset(); });
}

QString PlaceTrials::whyNot() const
{
    if (!m_document.isOpen() || !m_document.nest())
        return tr("Open a kernel first.");
    if (!m_document.nest()->row(m_document.selection().current()))
        return tr("Select a loop or a block first.");
    return m_document.isBusy() ? tr("A step is at work.") : QString();
}

void PlaceTrials::addCommand(document::CommandRegistry &commands)
{
    commands.add({.id = QStringLiteral("schedule.tryPlaces"),
                  .title = tr("Try all places of the loop or block"),
                  .group = tr("Loops"),
                  .keys = {QKeySequence(QStringLiteral("Shift+M"))},
                  .run = [this] { find(); },
                  .unavailable = [this] { return whyNot(); }});
}

void PlaceTrials::find()
{
    const document::NestPtr nest = m_document.nest();
    const ir::StmtId moved = m_document.selection().current();
    m_document.jobs().run(
        placesKey, this,
        [nest, moved, name = nest->row(moved)->name, on = m_document.currentId(),
         target = m_document.session().target()](const jobs::Job &) {
            Found found{.name = name, .on = on, .steps = {}};
            const auto places = explore::predictedPlaces(nest->loops, moved, measure::machineOf(target));
            found.legal = places.size();
            for (const explore::PredictedPlace &each : places) {
                if (std::ssize(found.steps) < explore::mostPlaces)
                    found.steps.push_back(each.place.steps.front());
            }
            return found;
        },
        [this](const std::shared_ptr<const Found> &found) { take(found); });
}

void PlaceTrials::take(const std::shared_ptr<const Found> &found)
{
    if (m_document.isBusy() || m_document.currentId() != found->on)
        return;
    if (found->steps.empty()) {
        m_banner.showInfo(tr("'%1' has no other place").arg(found->name),
                          tr("Wherever it went, the program would compute something else, or not be a loop "
                             "nest any more."));
        return;
    }
    std::vector<session::HistoryEdit> edits;
    for (const schedule::Step &step : found->steps)
        edits.push_back({.onto = m_document.tree().programOf(found->on), .steps = {}, .step = step});
    m_document.make(edits, [trials = QPointer(this), found](const std::vector<VariantId> &made) {
        if (!trials)
            return;
        trials->m_found = found;
        trials->measure(*found, made);
    });
}

void PlaceTrials::measure(const Found &found, std::vector<VariantId> made)
{
    made.insert(made.begin(), m_document.tree().programOf(found.on));
    m_variants = made;
    const auto count = static_cast<int>(found.steps.size());
    m_banner.showInfo(tr("Trying %1 of '%2'").arg(document::counted(count, tr("place")), found.name),
                      found.legal > found.steps.size()
                          ? tr("These are the best %1 of %2 as predicted; all are timed in turns.")
                                .arg(count)
                                .arg(found.legal)
                          : tr("Each is a variant; all are timed in turns with the program as it is."));
    m_measuring.rank(made);
    Q_EMIT shown(made.back().value);
}

void PlaceTrials::tell(const document::RankedRun &run)
{
    if (!m_found || run.variants.empty() || run.variants != m_variants)
        return;
    const auto found = std::exchange(m_found, {});
    if (!run.best) {
        m_banner.showInfo(tr("No place of '%1' ran").arg(found->name), {});
        return;
    }
    Q_EMIT shown(run.best->value);
    const auto nameOf = [&](VariantId id) {
        return id == run.variants.front() ? tr("as it is") : toQt(m_document.tree().at(id).label);
    };
    QStringList tied;
    for (const VariantId id : run.tied)
        tied << nameOf(id);
    std::vector<Banner::Button> buttons;
    if (*run.best != run.variants.front())
        buttons.push_back({tr("Go to it"), [this, best = *run.best] { m_document.jumpTo(best); }});
    m_banner.showInfo(tr("The fastest place of '%1': %2").arg(found->name, nameOf(*run.best)),
                      tied.isEmpty()
                          ? tr("It is significantly faster than all others.")
                          : tr("No significant difference: %1.").arg(document::firstOf(tied, placesNamed)),
                      buttons);
}

} // namespace nestwright::app
