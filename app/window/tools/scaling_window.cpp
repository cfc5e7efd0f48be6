// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/scaling_window.h"

#include "app/present/comparison_page.h"
#include "app/window/tools/tool_window.h"
#include "core/target/kinds.h"
#include "widgets/charts/export.h"
#include "widgets/charts/scale.h"
#include "widgets/charts/scaling_curve.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/tokens.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::app {

using document::toQt;

namespace {

const QString scalingJob = QStringLiteral("scaling");
constexpr double unitOfRates = 1e-9;
constexpr int tableHeight = 190;

std::vector<charts::ScalingItem> itemsOf(const session::ScalingTable &table)
{
    std::vector<charts::ScalingItem> items;
    for (const session::ScalingRow &row : table.rows) {
        const double rate = table.rate(row) * unitOfRates;
        charts::ScalingItem item{.threads = row.threads,
                                 .median = rate,
                                 .ideal = table.ideal(row) * unitOfRates,
                                 .roof = row.roof * unitOfRates,
                                 .limit = toQt(row.why ? row.why->message : row.limit)};
        if (rate > 0) {
            item.low = rate * row.measured->time.median / row.measured->time.high;
            item.high = rate * row.measured->time.median / row.measured->time.low;
        }
        items.push_back(std::move(item));
    }
    return items;
}

} // namespace

ScalingWindow::ScalingWindow(document::Document &document, document::Measuring &measuring, QWidget *parent)
    : QDialog(parent)
    , m_document(document)
    , m_measuring(measuring)
    , m_measure(new QPushButton(tr("Measure"), this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_export(new QPushButton(tr("Export…"), this))
    , m_note(new look::FindingBox(look::FindingBox::Kind::Info, this))
    , m_curve(new charts::ScalingCurve(this))
    , m_rows(new QTableWidget(this))
{
    setWindowTitle(tr("Scaling over threads"));
    setAccessibleName(windowTitle());
    resize(900, 640);
    m_rows->setColumnCount(6);
    m_rows->verticalHeader()->hide();
    m_rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_rows->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_rows->horizontalHeader()->setStretchLastSection(true);
    m_rows->setFixedHeight(tableHeight);
    m_rows->setAccessibleName(tr("Rates by threads"));
    m_measure->setDefault(true);
    auto *card = new look::Card(tr("Rate over threads"), this);
    auto *content = new QWidget(card);
    auto *inner = new QVBoxLayout(content);
    inner->setContentsMargins(8, 8, 8, 8);
    inner->setSpacing(6);
    inner->addWidget(m_note);
    inner->addWidget(m_curve, 1);
    inner->addWidget(m_rows);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_measure);
    buttons->addWidget(m_cancel);
    buttons->addStretch(1);
    buttons->addWidget(m_export);
    inner->addLayout(buttons);
    card->setContent(content);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->addWidget(card);
    connect(m_measure, &QPushButton::clicked, this, &ScalingWindow::measure);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_document.jobs().cancel(scalingJob);
        m_note->setContent(tr("Cancelled"), tr("Numbers of threads that were measured before stay."));
        showState();
    });
    connect(m_export, &QPushButton::clicked, this, &ScalingWindow::askWhere);
    connect(m_curve, &charts::ChartPane::selected, m_rows, &QTableWidget::selectRow);
    connect(&m_document.jobs(), &jobs::JobRunner::progressed, this, [this](const QString &key) {
        if (key != scalingJob || !m_progress)
            return;
        const std::lock_guard lock(m_progress->mutex);
        show(m_progress->table);
    });
    connect(&m_measuring, &document::Measuring::changed, this, &ScalingWindow::showState);
    connect(this, &QDialog::finished, this, [this] { m_document.jobs().cancel(scalingJob); });
}

ScalingWindow *ScalingWindow::open(document::Document &document, document::Measuring &measuring,
                                   QWidget *parent)
{
    auto *window = inFront<ScalingWindow>(parent, document, measuring);
    if (!document.jobs().isRunning(scalingJob))
        window->begin();
    return window;
}

void ScalingWindow::begin()
{
    const session::Session &session = m_document.session();
    const session::Variant &variant = m_document.tree().current();
    m_request = session::ScalingRequest{
        .kernel = session.source().name,
        .schedule = shortNameOf(variant),
        .reference = session.tree().root().state->module,
        .program = [module = variant.state->module](const target::Target &) -> support::Result<ir::Module> {
            return module;
        },
        .target = session.target()};
    m_table.reset();
    m_curve->setItems({}, QStringLiteral("GFLOPS"));
    m_rows->setRowCount(0);
    m_note->setContent(
        tr("How far more threads help"),
        tr("%1 is timed with 1, 2, 4 … and all threads that can run at the same time, each checked against "
           "the "
           "unscheduled program. The ideal is one thread's rate times the threads; the roof is what the "
           "machine can do with so many.")
            .arg(titleOf(variant)));
    showState();
}

void ScalingWindow::measure()
{
    if (!m_measure->isEnabled() || !m_request)
        return;
    m_progress = std::make_shared<Progress>();
    m_request->repetitions = m_effort.repetitions;
    m_request->secondsPerRepetition = m_effort.secondsPerRepetition;
    m_note->setContent(tr("Measuring"), tr("Each number of threads takes a few seconds."));
    m_document.jobs().run(
        scalingJob, this,
        [wanted = *m_request, progress = m_progress](const jobs::Job &job) {
            measure::Measurer measurer;
            return session::measureScaling(
                wanted, measurer,
                [&](const session::ScalingTable &table, double fraction) {
                    {
                        const std::lock_guard lock(progress->mutex);
                        progress->table = table;
                    }
                    job.progress(fraction);
                },
                job.stopToken());
        },
        [this](const std::shared_ptr<const support::Result<session::ScalingTable>> &result) {
            finish(*result);
        });
    showState();
}

void ScalingWindow::show(const session::ScalingTable &table)
{
    m_table = table;
    const QString unit = toQt(session::rateUnit(table));
    m_curve->setItems(itemsOf(table), unit);
    m_rows->setHorizontalHeaderLabels(
        {tr("Threads"), unit, tr("Ideal"), tr("Roof"), tr("Times as fast"), tr("What limits it")});
    m_rows->setRowCount(static_cast<int>(table.rows.size()));
    for (int i = 0; i < m_rows->rowCount(); ++i) {
        const session::ScalingRow &row = table.rows[static_cast<std::size_t>(i)];
        const auto number = [](double rate) {
            return rate > 0 ? charts::shortNumber(rate * unitOfRates) : QStringLiteral("–");
        };
        const auto speedup = table.speedup(row);
        const QStringList texts{QString::number(row.threads),
                                number(table.rate(row)),
                                number(table.ideal(row)),
                                number(row.roof),
                                speedup ? QString::number(*speedup, 'f', 2) : QStringLiteral("–"),
                                toQt(row.why ? row.why->message : row.limit)};
        for (int column = 0; column < texts.size(); ++column) {
            auto *item = new QTableWidgetItem(texts[column]);
            const bool isNumber = column + 1 < texts.size();
            item->setTextAlignment((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            item->setToolTip(texts[column]);
            m_rows->setItem(i, column, item);
        }
    }
}

void ScalingWindow::finish(const support::Result<session::ScalingTable> &result)
{
    if (result) {
        show(*result);
        const session::ScalingRow &last = result->rows.back();
        const auto speedup = result->speedup(last);
        m_note->setContent(speedup ? tr("%1 times as fast with %2")
                                         .arg(QString::number(*speedup, 'f', 2),
                                              document::counted(last.threads, tr("thread")))
                                   : tr("Not measured"),
                           last.why             ? toQt(last.why->message)
                           : last.limit.empty() ? tr("It is near the ideal.")
                                                : tr("What limits it: %1.").arg(toQt(last.limit)));
    } else {
        m_note->setContent(tr("Nothing was measured"), document::explanation(result.error()));
    }
    QMetaObject::invokeMethod(this, &ScalingWindow::showState, Qt::QueuedConnection); // the job still counts
}

bool ScalingWindow::exportTo(const QString &path)
{
    if (!m_table)
        return false;
    const auto written = charts::writeScaling(m_curve->items(), toQt(session::rateUnit(*m_table)),
                                              toQt(session::csvOf(*m_table)), path, look::tokens(this).dark);
    m_note->setContent(written ? tr("Written") : tr("Not written"),
                       written ? document::fileInFolder(path) : document::explanation(written.error()));
    return written.has_value();
}

void ScalingWindow::askWhere()
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export the rates"), QStringLiteral("scaling.csv"),
                                     tr("Table (*.csv);;Picture (*.png);;Drawing (*.svg)"));
    if (!path.isEmpty())
        exportTo(path);
}

void ScalingWindow::showState()
{
    const bool isRunning = m_document.jobs().isRunning(scalingJob);
    const bool isOfDevice = m_request && target::kindOf(m_request->target.kind).isOfDevices;
    const QString why = m_measuring.isRunning() ? tr("Variants are being measured: both would take longer.")
                        : isOfDevice            ? tr("A device uses all of its processors.")
                                                : QString();
    m_measure->setEnabled(!isRunning && why.isEmpty());
    m_measure->setToolTip(why);
    m_cancel->setEnabled(isRunning);
    m_export->setEnabled(m_table.has_value() && !isRunning);
}

bool ScalingWindow::isSettled() const { return !m_document.jobs().isRunning(scalingJob); }

void addScalingCommand(document::CommandRegistry &commands, document::Document &document,
                       document::Measuring &measuring, QWidget *window)
{
    commands.add(
        {.id = QStringLiteral("measure.scaling"),
         .title = ScalingWindow::tr("Scaling over threads…"),
         .group = ScalingWindow::tr("Measure"),
         .icon = QStringLiteral("table"),
         .run = [&document, &measuring, window] { ScalingWindow::open(document, measuring, window); },
         .unavailable =
             [&document] {
                 return document.isOpen() && document.tree().current().ok()
                            ? QString()
                            : ScalingWindow::tr("Open a kernel first.");
             }});
}

} // namespace nestwright::app
