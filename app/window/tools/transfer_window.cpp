// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/transfer_window.h"

#include "app/present/comparison_page.h"
#include "app/present/transfer_page.h"
#include "app/window/tools/tool_window.h"
#include "app/window/tools/transfer_settings.h"
#include "core/session/reuse/recipe.h"
#include "core/session/reuse/transfer_text.h"
#include "core/support/errors/codes.h"
#include "widgets/charts/export.h"
#include "widgets/charts/ratio_map.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/tokens.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace nestwright::app {

using document::toQt;

namespace {
const QString transferJob = QStringLiteral("transfer"), transferSizesJob = QStringLiteral("transfer sizes");
constexpr int transferSideWidth = 330;
} // namespace

TransferWindow::TransferWindow(document::Document &document, document::Measuring &measuring, QWidget *parent)
    : QDialog(parent)
    , m_document(document)
    , m_measuring(measuring)
    , m_settings(new TransferSettings(this))
    , m_measure(new QPushButton(tr("Measure"), this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_export(new QPushButton(tr("Export…"), this))
    , m_note(new look::FindingBox(look::FindingBox::Kind::Info, this))
    , m_map(new charts::RatioMap(this))
{
    setWindowTitle(tr("Other shapes and targets"));
    setAccessibleName(windowTitle());
    resize(1120, 640);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->setSpacing(8);
    layout->addWidget(makeSettings());
    layout->addWidget(makeResults(), 1);
    connect(m_measure, &QPushButton::clicked, this, &TransferWindow::measure);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_document.jobs().cancel(transferJob);
        m_note->setContent(tr("Cancelled"), tr("Cells that were measured before stay."));
        showState();
    });
    connect(m_export, &QPushButton::clicked, this, &TransferWindow::askWhere);
    connect(m_map, &charts::ChartPane::selected, m_map, &charts::RatioMap::setCurrent);
    connect(m_map, &charts::RatioMap::activated, this, &TransferWindow::openCell);
    connect(m_settings, &TransferSettings::changed, this, &TransferWindow::showState);
    connect(&m_document.jobs(), &jobs::JobRunner::progressed, this, [this](const QString &key) {
        if (key != transferJob || !m_progress)
            return;
        const std::lock_guard lock(m_progress->mutex);
        show(m_progress->table);
    });
    connect(&m_measuring, &document::Measuring::changed, this, &TransferWindow::showState);
    connect(this, &QDialog::finished, this, [this] { m_document.jobs().cancel(transferJob); });
}

QWidget *TransferWindow::makeSettings()
{
    auto *card = new look::Card(tr("Schedule and shapes"), this);
    card->setFixedWidth(transferSideWidth);
    auto *content = new QWidget(card);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(12, 10, 12, 12);
    layout->setSpacing(8);
    layout->addWidget(m_settings, 1);
    auto *buttons = new QHBoxLayout;
    m_measure->setDefault(true);
    buttons->addWidget(m_measure);
    buttons->addWidget(m_cancel);
    buttons->addStretch(1);
    layout->addLayout(buttons);
    card->setContent(content);
    return card;
}

QWidget *TransferWindow::makeResults()
{
    auto *card = new look::Card(tr("Speed over the unscheduled program"), this);
    auto *content = new QWidget(card);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(m_note);
    layout->addWidget(m_map, 1);
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(m_export);
    layout->addLayout(row);
    card->setContent(content);
    return card;
}

TransferWindow *TransferWindow::open(document::Document &document, document::Measuring &measuring,
                                     QWidget *parent)
{
    auto *window = inFront<TransferWindow>(parent, document, measuring);
    if (!document.jobs().isRunning(transferJob))
        window->begin();
    return window;
}

void TransferWindow::begin()
{
    const session::Session &session = m_document.session();
    m_kernelText = session.source().text;
    m_kernelName = session.source().name;
    m_stepsName = tr("steps of %1").arg(toQt(shortNameOf(m_document.tree().current())));
    m_script.clear();
    if (const auto script = session.exportSchedule(m_document.currentId()))
        m_script = *script;
    m_note->setContent(
        tr("How far this schedule carries"),
        tr("Every cell is checked against the unscheduled program of its shape, and timed in turns with it. "
           "A click on a cell opens its kernel with the schedule in a new tab."));
    QStringList names;
    if (const auto recipes = session::recipes(m_document.session().target())) {
        for (const session::Recipe &recipe : *recipes)
            names << toQt(recipe.name);
    }
    m_settings->setSchedules(tr("steps of %1").arg(titleOf(m_document.tree().current())), names);
    m_document.jobs().run(
        transferSizesJob, this,
        [text = m_kernelText,
         name = m_kernelName](const jobs::Job &) -> support::Result<session::KernelSizes> {
            auto kernel = session::openWithSizes(text, name, {});
            return kernel ? support::Result<session::KernelSizes>(kernel->sizes)
                          : support::fail(kernel.error());
        },
        [this](const std::shared_ptr<const support::Result<session::KernelSizes>> &sizes) {
            takeSizes(*sizes);
        });
    showState();
}

void TransferWindow::takeSizes(const support::Result<session::KernelSizes> &sizes)
{
    m_settings->setSizes(sizes ? *sizes : session::KernelSizes());
    if (!sizes)
        m_note->setContent(tr("It cannot be opened anew"), document::explanation(sizes.error()));
    else if (sizes->empty())
        m_note->setContent(tr("The sizes of this program are fixed"),
                           tr("It is measured as it is. Open it as a TE script, an operator or with symbolic "
                              "sizes to give it others."));
}

session::TransferSchedule TransferWindow::chosenSchedule() const
{
    const QString recipe = m_settings->recipe();
    if (recipe.isEmpty())
        return {.name = m_stepsName.toStdString(),
                .run =
                    [script = m_script](const schedule::State &state) {
                        return schedule::runScheduleScript(state, script, "schedule");
                    },
                .text = m_script};
    const auto found = session::findRecipe(recipe.toStdString(), m_document.session().target());
    if (!found)
        return {
            .name = recipe.toStdString(),
            .run = [why = found.error()](const schedule::State &) -> support::Result<schedule::ScriptRun> {
                return support::fail(why);
            }};
    return {
        .name = recipe.toStdString(),
        .run = [recipe = *found](const schedule::State &state) { return session::runRecipe(state, recipe); },
        .text = found->text};
}

session::TransferRequest TransferWindow::request() const
{
    session::TransferRequest wanted{.kernelText = m_kernelText,
                                    .kernelName = m_kernelName,
                                    .shapes = m_settings->shapes(),
                                    .targets = m_settings->targets(),
                                    .schedule = chosenSchedule()};
    wanted.repetitions = m_effort.repetitions;
    wanted.secondsPerRepetition = m_effort.secondsPerRepetition;
    return wanted;
}

void TransferWindow::measure()
{
    if (!m_measure->isEnabled())
        return;
    m_request = request();
    m_progress = std::make_shared<Progress>();
    m_note->setContent(tr("Measuring"), tr("Each cell takes a few seconds."));
    m_document.jobs().run(
        transferJob, this,
        [wanted = *m_request, progress = m_progress](const jobs::Job &job) {
            measure::Measurer measurer;
            return session::measureTransfer(
                wanted, measurer,
                [&](const session::TransferTable &table, double fraction) {
                    {
                        const std::lock_guard lock(progress->mutex);
                        progress->table = table;
                    }
                    job.progress(fraction);
                },
                job.stopToken());
        },
        [this](const std::shared_ptr<const support::Result<session::TransferTable>> &result) {
            finish(*result);
        });
    showState();
}

void TransferWindow::show(const session::TransferTable &table)
{
    m_table = table;
    m_map->setData(ratiosOf(table));
}

void TransferWindow::finish(const support::Result<session::TransferTable> &result)
{
    if (result) {
        show(*result);
        m_note->setContent(tr("Where it holds"), transferSummary(*result));
    } else {
        m_note->setContent(tr("Nothing was measured"), document::explanation(result.error()));
    }
    QMetaObject::invokeMethod(this, &TransferWindow::showState, Qt::QueuedConnection); // the job still counts
}

void TransferWindow::openCell(int cell)
{
    if (!m_request || !m_table || m_table->targets.empty())
        return;
    const std::size_t row = static_cast<std::size_t>(cell) / m_table->targets.size();
    if (row >= m_request->shapes.size() || m_document.isBusy())
        return;
    if (m_table->cells[static_cast<std::size_t>(cell)].isDone
        && !m_table->cells[static_cast<std::size_t>(cell)].step.empty()) {
        m_note->setContent(tr("The steps are not legal on this shape"),
                           toQt(session::reasonOf(m_table->cells[static_cast<std::size_t>(cell)])));
        return;
    }
    m_document.leave();
    m_document.openSession(
        [wanted = *m_request, shape = m_request->shapes[row]] { return session::sessionAt(wanted, shape); });
}

bool TransferWindow::exportTo(const QString &path)
{
    if (!m_table)
        return false;
    const auto written =
        charts::writeRatios(m_map->data(), toQt(session::csvOf(*m_table)), path, look::tokens(this).dark);
    m_note->setContent(written ? tr("Written") : tr("Not written"),
                       written ? document::fileInFolder(path) : document::explanation(written.error()));
    return written.has_value();
}

void TransferWindow::askWhere()
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export the ratios"), QStringLiteral("transfer.csv"),
                                     tr("Table (*.csv);;Picture (*.png);;Drawing (*.svg)"));
    if (!path.isEmpty())
        exportTo(path);
}

void TransferWindow::showState()
{
    const bool isRunning = m_document.jobs().isRunning(transferJob);
    const QString why = m_measuring.isRunning() ? tr("Variants are being measured: both would take longer.")
                                                : m_settings->whyNot();
    m_measure->setEnabled(!isRunning && why.isEmpty());
    m_measure->setToolTip(why);
    m_cancel->setEnabled(isRunning);
    m_export->setEnabled(m_table.has_value() && !isRunning);
}

bool TransferWindow::isSettled() const
{
    return !m_document.jobs().isRunning(transferJob) && !m_document.jobs().isRunning(transferSizesJob);
}

void addTransferCommand(document::CommandRegistry &commands, document::Document &document,
                        document::Measuring &measuring, QWidget *window)
{
    commands.add(
        {.id = QStringLiteral("measure.transfer"),
         .title = TransferWindow::tr("Measure on other shapes and targets…"),
         .group = TransferWindow::tr("Measure"),
         .icon = QStringLiteral("table"),
         .run = [&document, &measuring, window] { TransferWindow::open(document, measuring, window); },
         .unavailable =
             [&document] {
                 return document.isOpen() && document.tree().current().ok()
                            ? QString()
                            : TransferWindow::tr("Open a kernel first.");
             }});
}

} // namespace nestwright::app
