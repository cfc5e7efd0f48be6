// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/like_kernels_window.h"

#include "app/present/comparison_page.h"
#include "app/window/tools/like_kernels_table.h"
#include "app/window/tools/tool_window.h"
#include "core/schedule/script/values.h"
#include "core/session/model/like_kernels_text.h"
#include "core/session/reuse/recipe_writer.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/document/text.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::app {

using document::toQt;
using session::Keep;
using session::LikeKernels;

namespace {
const QString likeKernelsJob = QStringLiteral("like kernels"), keepJob = QStringLiteral("keep like kernels");
constexpr int likeKernelsSideWidth = 270;

/// "gemm", with values other than those of the file "gemm (rows=6)".
QString nameOfRecipe(const session::Recipe &recipe, const std::vector<session::Recipe> &known)
{
    const auto plain = std::ranges::find(known, recipe.name, &session::Recipe::name);
    QStringList values;
    for (std::size_t i = 0; i < recipe.parameters.size(); ++i) {
        const schedule::ScriptParameter &each = recipe.parameters[i];
        const bool isUsual = plain != known.end() && i < plain->parameters.size()
                             && schedule::str(plain->parameters[i].value) == schedule::str(each.value);
        if (!isUsual)
            values << toQt(each.name) + u'=' + toQt(schedule::str(each.value));
    }
    const QString name = toQt(recipe.name);
    return values.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, values.join(QStringLiteral(", ")));
}
} // namespace

LikeKernelsWindow::LikeKernelsWindow(const Parts &parts, QWidget *parent)
    : QDialog(parent)
    , m_document(parts.document)
    , m_model(parts.model)
    , m_measuring(parts.measuring)
    , m_modelMeasuring(parts.modelMeasuring)
    , m_schedules(new QComboBox(this))
    , m_rule(new QComboBox(this))
    , m_title(new QLabel(this))
    , m_try(new QPushButton(tr("Try and measure"), this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_keep(new QPushButton(tr("Keep"), this))
    , m_note(new look::FindingBox(look::FindingBox::Kind::Info, this))
    , m_table(new LikeKernelsTable(this))
{
    setWindowTitle(tr("All like kernels"));
    setAccessibleName(tr("A schedule on all like kernels"));
    resize(1200, 560);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->setSpacing(8);
    layout->addWidget(makeSettings());
    layout->addWidget(makeResults(), 1);
    connect(m_try, &QPushButton::clicked, this, &LikeKernelsWindow::tryOut);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_document.jobs().cancel(likeKernelsJob);
        m_note->setContent(tr("Cancelled"), tr("Kernels that were measured before can be kept."));
        showState();
    });
    connect(m_keep, &QPushButton::clicked, this, &LikeKernelsWindow::keepTicked);
    connect(m_schedules, &QComboBox::currentIndexChanged, this, &LikeKernelsWindow::showSchedule);
    connect(m_rule, &QComboBox::currentIndexChanged, this, [this] { m_table->tick(chosenRule()); });
    connect(m_table, &LikeKernelsTable::ticksChanged, this, &LikeKernelsWindow::showState);
    connect(m_table, &LikeKernelsTable::kernelChosen, &m_model, &document::Model::openKernel);
    connect(&m_document.jobs(), &jobs::JobRunner::progressed, this, [this](const QString &key) {
        if (key != likeKernelsJob || !m_progress)
            return;
        const std::lock_guard lock(m_progress->mutex);
        show(m_progress->found);
    });
    connect(&m_measuring, &document::Measuring::changed, this, &LikeKernelsWindow::showState);
    connect(&m_modelMeasuring, &document::ModelMeasuring::changed, this, &LikeKernelsWindow::showState);
    connect(&m_document, &document::Document::busyChanged, this, &LikeKernelsWindow::showState);
    connect(&m_model, &document::Model::opened, this, &LikeKernelsWindow::forget);
    connect(&m_model, &document::Model::kernelChanged, this, [this] {
        if (isVisible() && !m_found && isSettled())
            begin({});
    });
    connect(this, &QDialog::finished, this, [this] { m_document.jobs().cancel(likeKernelsJob); });
}

QWidget *LikeKernelsWindow::makeSettings()
{
    auto *card = new look::Card(tr("Schedule"), this);
    card->setFixedWidth(likeKernelsSideWidth);
    auto *content = new QWidget(card);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(12, 10, 12, 12);
    layout->setSpacing(8);
    m_schedules->setAccessibleName(tr("Schedule"));
    layout->addWidget(m_schedules);
    m_title->setWordWrap(true);
    m_title->setProperty("role", "secondary");
    m_title->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    layout->addWidget(m_title, 1);
    auto *form = new QFormLayout;
    m_rule->addItem(tr("where it is faster"), static_cast<int>(Keep::Faster));
    m_rule->addItem(tr("wherever it fits"), static_cast<int>(Keep::All));
    m_rule->setItemData(0, tr("Beyond what the same program differs by from itself"), Qt::ToolTipRole);
    m_rule->setAccessibleName(tr("Keep it"));
    form->addRow(tr("&Keep it"), m_rule);
    layout->addLayout(form);
    auto *buttons = new QHBoxLayout;
    m_try->setDefault(true);
    buttons->addWidget(m_try);
    buttons->addWidget(m_cancel);
    buttons->addStretch(1);
    layout->addLayout(buttons);
    card->setContent(content);
    return card;
}

QWidget *LikeKernelsWindow::makeResults()
{
    auto *card = new look::Card(tr("Kernels of the model"), this);
    auto *content = new QWidget(card);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(m_note);
    layout->addWidget(m_table, 1);
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(m_keep);
    layout->addLayout(row);
    card->setContent(content);
    return card;
}

LikeKernelsWindow *LikeKernelsWindow::open(const Parts &parts, QWidget *parent,
                                           const std::optional<session::Recipe> &recipe)
{
    auto *window = inFront<LikeKernelsWindow>(parent, parts);
    if (window->isSettled())
        window->begin(recipe);
    return window;
}

void LikeKernelsWindow::begin(const std::optional<session::Recipe> &recipe)
{
    const session::Variant &current = m_document.tree().current();
    m_steps.reset();
    if (!current.isRoot() && current.ok())
        m_steps = std::make_shared<const explore::StepPath>(m_document.tree().steps(current.id));
    m_stepsName = tr("steps of %1").arg(toQt(shortNameOf(current)));
    m_recipes.clear();
    if (auto recipes = session::recipes(m_document.session().target()))
        m_recipes = std::move(*recipes);
    const std::vector<session::Recipe> known = m_recipes;
    std::string wanted = current.name;
    if (recipe) {
        std::erase_if(m_recipes, [&](const session::Recipe &each) { return each.name == recipe->name; });
        m_recipes.insert(m_recipes.begin(), *recipe);
        wanted = recipe->name;
    }
    m_schedules->clear();
    if (m_steps)
        m_schedules->addItem(m_stepsName, -1);
    for (std::size_t i = 0; i < m_recipes.size(); ++i) {
        m_schedules->addItem(tr("recipe %1").arg(nameOfRecipe(m_recipes[i], known)), static_cast<int>(i));
        if (m_recipes[i].name == wanted)
            m_schedules->setCurrentIndex(m_schedules->count() - 1);
    }
    m_found.reset();
    m_table->clearAll();
    m_note->setContent(
        tr("Where else this schedule fits"),
        tr("It is tried on every kernel of the model, from its unscheduled program on. Where its steps are "
           "legal, the result is checked and timed in turns with the schedule that the kernel has now."));
    showSchedule();
}

void LikeKernelsWindow::forget()
{
    m_document.jobs().cancel(likeKernelsJob);
    m_document.jobs().cancel(keepJob);
    m_found.reset();
    m_table->clearAll();
    close();
}

void LikeKernelsWindow::showSchedule()
{
    const int place = m_schedules->currentData().toInt();
    m_title->setText(place >= 0 && static_cast<std::size_t>(place) < m_recipes.size()
                         ? toQt(m_recipes[static_cast<std::size_t>(place)].title)
                         : tr("Recorded as a recipe: numbers that follow from extents are formulas of those "
                              "of each kernel, blocks and loops are found by their places."));
    showState();
}

session::TransferSchedule LikeKernelsWindow::chosenSchedule() const
{
    const int place = m_schedules->currentData().toInt();
    if (place >= 0) {
        const session::Recipe &recipe = m_recipes[static_cast<std::size_t>(place)];
        return {.name = recipe.name,
                .run = [recipe](const schedule::State &state) { return session::runRecipe(state, recipe); },
                .text = recipe.text};
    }
    // Recorded with the first kernel, which the job does.
    using Recorded = support::Result<session::Recipe>;
    return {.name = m_stepsName.toStdString(),
            .run = [path = m_steps, recorded = std::make_shared<std::optional<Recorded>>()](
                       const schedule::State &state) -> support::Result<schedule::ScriptRun> {
                if (!*recorded)
                    *recorded = session::recordedRecipe(*path, "steps");
                return **recorded ? session::runRecipe(state, ***recorded)
                                  : support::fail((*recorded)->error());
            }};
}

session::Keep LikeKernelsWindow::chosenRule() const
{
    return static_cast<Keep>(m_rule->currentData().toInt());
}

void LikeKernelsWindow::tryOut()
{
    if (!m_try->isEnabled())
        return;
    session::LikeKernelsRequest request{.model = m_model.shared(),
                                        .schedule = chosenSchedule(),
                                        .now = m_model.states(),
                                        .target = m_document.session().target()};
    request.repetitions = m_effort.repetitions;
    request.secondsPerRepetition = m_effort.secondsPerRepetition;
    m_progress = std::make_shared<Progress>();
    m_found.reset();
    m_table->clearAll();
    m_note->setContent(tr("Measuring"), tr("Each kernel that it fits takes a few seconds."));
    m_document.jobs().run(
        likeKernelsJob, this,
        [request = std::move(request), progress = m_progress](const jobs::Job &job) {
            measure::Measurer measurer;
            return session::measureLikeKernels(
                request, measurer,
                [&](const LikeKernels &found, double fraction) {
                    {
                        const std::lock_guard lock(progress->mutex);
                        progress->found = found;
                    }
                    job.progress(fraction);
                },
                job.stopToken());
        },
        [this](const std::shared_ptr<const support::Result<LikeKernels>> &result) { finish(*result); });
    showState();
}

void LikeKernelsWindow::show(const LikeKernels &found)
{
    m_found = found;
    m_table->show(found, chosenRule());
    const auto done = std::ranges::count_if(
        found.kernels, [](const session::LikeKernel &each) { return each.cell.isDone && each.run; });
    m_note->setContent(tr("Measuring"),
                       tr("It fits %1 of %2 kernels; %3 of them are measured.")
                           .arg(found.fitting())
                           .arg(m_model.isOpen() ? m_model.model().program.kernels.size() : 0)
                           .arg(done));
}

void LikeKernelsWindow::finish(const support::Result<LikeKernels> &result)
{
    if (result) {
        show(*result);
        m_note->setContent(tr("Where it holds"), toQt(session::summaryOf(*result)));
    } else {
        m_note->setContent(tr("Nothing was measured"), document::explanation(result.error()));
    }
    // The job still counts.
    QMetaObject::invokeMethod(this, &LikeKernelsWindow::showState, Qt::QueuedConnection);
}

void LikeKernelsWindow::keepTicked()
{
    const std::vector<int> places = m_table->ticked();
    if (!m_found || places.empty() || !m_keep->isEnabled())
        return;
    using Kept = support::Result<std::map<int, session::Session>>;
    const int here = m_model.kernel();
    std::vector<int> elsewhere = places;
    std::erase(elsewhere, here);
    m_document.jobs().run(
        keepJob, this,
        [sessions = m_model.sessions(), model = m_model.shared(), found = *m_found,
         elsewhere](const jobs::Job &) { return session::keepIn(sessions, *model, found, elsewhere); },
        [this, here, places](const std::shared_ptr<const Kept> &kept) {
            if (!*kept)
                m_note->setContent(tr("Not kept"), document::explanation(kept->error()));
            else if (m_model.kernel() != here || m_document.isBusy())
                m_note->setContent(tr("Not kept yet"),
                                   tr("Another kernel was opened meanwhile. Press the button once more."));
            else
                takeKept(**kept, places);
            QMetaObject::invokeMethod(this, &LikeKernelsWindow::showState, Qt::QueuedConnection);
        });
    showState();
}

void LikeKernelsWindow::takeKept(const std::map<int, session::Session> &sessions,
                                 const std::vector<int> &places)
{
    m_model.replaceSessions(sessions);
    const QString told = document::counted(static_cast<int>(places.size()), tr("kernel"));
    if (std::ranges::contains(places, m_model.kernel()))
        keepHere(m_model.kernel());
    else
        m_modelMeasuring.measureIfChanged();
    m_found.reset();
    m_table->clearAll();
    m_note->setContent(tr("Kept on %1").arg(told),
                       tr("It is a branch of the history of each, and its current variant."));
}

void LikeKernelsWindow::keepHere(int place)
{
    const session::LikeKernel kernel = m_found->kernels[static_cast<std::size_t>(place)];
    std::vector<schedule::Step> steps;
    for (const schedule::ScriptStep &each : kernel.run->steps) {
        if (!each.step.primitive->isQuery)
            steps.push_back(each.step);
    }
    m_document.branch(m_document.tree().root().id, m_found->schedule, std::move(steps),
                      [this, kernel, target = m_found->target] {
                          measure::Measurement measured = *kernel.cell.scheduled;
                          measured.speedup.reset(); // over a variant that is not its parent
                          if (m_document.session().target() == target)
                              m_document.setMeasurement(m_document.currentId(), std::move(measured));
                          m_modelMeasuring.measureIfChanged();
                      });
}

void LikeKernelsWindow::showState()
{
    const bool isRunning = m_document.jobs().isRunning(likeKernelsJob);
    const bool isKeeping = m_document.jobs().isRunning(keepJob);
    const QString why = m_measuring.isRunning() || m_modelMeasuring.isRunning()
                            ? tr("Something else is being measured: both would take longer.")
                            : QString();
    m_try->setEnabled(!isRunning && !isKeeping && why.isEmpty() && m_schedules->count() > 0);
    m_try->setToolTip(why);
    m_cancel->setEnabled(isRunning);
    const auto count = static_cast<int>(m_table->ticked().size());
    m_keep->setText(count > 0 ? tr("Keep on %1").arg(document::counted(count, tr("kernel"))) : tr("Keep"));
    m_keep->setEnabled(count > 0 && !isRunning && !isKeeping && !m_document.isBusy());
}

bool LikeKernelsWindow::isSettled() const
{
    return !m_document.jobs().isRunning(likeKernelsJob) && !m_document.jobs().isRunning(keepJob);
}

void addLikeKernelsCommand(document::CommandRegistry &commands, const LikeKernelsWindow::Parts &parts,
                           QWidget *window)
{
    commands.add({.id = QStringLiteral("schedule.likeKernels"),
                  .title = LikeKernelsWindow::tr("Apply to all like kernels…"),
                  .group = LikeKernelsWindow::tr("Loops"),
                  .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+R"))},
                  .icon = QStringLiteral("table"),
                  .run = [parts, window] { LikeKernelsWindow::open(parts, window); },
                  .unavailable =
                      [&model = parts.model] {
                          return model.isOpen() && model.kernel() >= 0
                                     ? QString()
                                     : LikeKernelsWindow::tr("Open a model first.");
                      }});
}

} // namespace nestwright::app
