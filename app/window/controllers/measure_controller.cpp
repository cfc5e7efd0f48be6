// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/controllers/measure_controller.h"

#include "app/window/controllers/chart_facts.h"
#include "app/window/controllers/source_file.h"
#include "app/window/dialogs/inputs_dialog.h"
#include "app/window/dialogs/libraries_dialog.h"
#include "app/window/frame/notification.h"
#include "app/window/frame/top_bar.h"
#include "app/window/frame/window_settings.h"
#include "core/backend/backend.h"
#include "core/target/kinds.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/document/work/model_results.h"
#include "widgets/document/work/peer_measuring.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"

#include <QFileInfo>

#include <utility>

namespace nestwright::app {

using document::Document;
using document::toQt;

namespace {
constexpr int chartsEveryMs = 40;
const QString modelTooKey = QStringLiteral("measureModelToo"), wayKey = QStringLiteral("rooflineWay");
} // namespace

MeasureController::MeasureController(Document &document, document::Model &model,
                                     document::Measuring &measuring, document::PeerMeasuring &peer,
                                     document::ModelMeasuring &modelMeasuring,
                                     document::ModelResults &modelResults,
                                     document::CommandRegistry &commands, WindowSettings &settings,
                                     TopBar &topBar, const Charts &charts, QWidget *window)
    : m_document(document)
    , m_model(model)
    , m_measuring(measuring)
    , m_peer(peer)
    , m_modelMeasuring(modelMeasuring)
    , m_modelResults(modelResults)
    , m_commands(commands)
    , m_settings(settings)
    , m_topBar(topBar)
    , m_charts(charts)
    , m_window(window)
    , m_notification(new Notification(window))
    , m_measuresModelToo(settings.value(modelTooKey, true).toBool())
    , m_showsWay(settings.value(wayKey, true).toBool())
{
    m_chartsWait.setSingleShot(true);
    m_chartsWait.setInterval(chartsEveryMs);
    connect(&m_chartsWait, &QTimer::timeout, this, &MeasureController::showCharts);
    connect(&document, &Document::currentChanged, this, &MeasureController::showChartsSoon);
    connect(&document, &Document::measurementChanged, this, &MeasureController::showChartsSoon);
    connect(&document, &Document::targetChanged, this, &MeasureController::showTarget);
    connect(&document, &Document::targetChanged, this, &MeasureController::lookForDevices);
    connect(&document, &Document::opened, this, &MeasureController::lookForDevices);
    connect(&document, &Document::inputsChanged, this, &MeasureController::showChartHeaders);
    connect(&document, &Document::inputsChanged, this, &MeasureController::showChartsSoon);
    connect(&measuring, &document::Measuring::changed, this, &MeasureController::measuringChanged);
    connect(&measuring, &document::Measuring::peakChanged, this, &MeasureController::showChartsSoon);
    connect(&peer, &document::PeerMeasuring::changed, this, &MeasureController::showChartsSoon);
    const auto jump = [this](int id) { m_document.jumpTo({id}); };
    connect(&charts.bars, &charts::ChartPane::selected, this, jump);
    connect(&charts.roofline, &charts::ChartPane::selected, this, jump);
    showChartHeaders();
}

void MeasureController::addCommands()
{
    const auto needsKernel = [this] { return m_document.isOpen() ? QString() : tr("Open a kernel first."); };
    const auto needsDevice = [this, needsKernel] {
        const bool lacks = m_document.isOpen() && m_absent.contains(m_document.session().target().kind);
        return lacks ? tr("No device for this target is here: F6 checks the variant without one.")
                     : needsKernel();
    };
    m_commands.add({.id = QStringLiteral("measure.current"),
                    .title = tr("Measure"),
                    .group = tr("Measure"),
                    .keys = {QKeySequence(Qt::Key_F5), QKeySequence(QStringLiteral("M"))},
                    .icon = QStringLiteral("measure"),
                    .run = [this] { m_measuring.measure({m_document.currentId()}); },
                    .unavailable = needsDevice});
    m_commands.add({.id = QStringLiteral("measure.all"),
                    .title = tr("Measure all variants"),
                    .group = tr("Measure"),
                    .keys = {QKeySequence(QStringLiteral("Shift+F5"))},
                    .run = [this] { m_measuring.measureAll(); },
                    .unavailable = needsDevice});
    m_commands.add({.id = QStringLiteral("measure.check"),
                    .title = tr("Check on every rung of trust"),
                    .group = tr("Measure"),
                    .keys = {QKeySequence(QStringLiteral("F6"))},
                    .run = [this] { m_measuring.check(m_document.currentId()); },
                    .unavailable = needsKernel});
    m_commands.add({.id = QStringLiteral("measure.inputs"),
                    .title = tr("Inputs of the kernel…"),
                    .group = tr("Measure"),
                    .keys = {QKeySequence(QStringLiteral("Ctrl+Shift+I"))},
                    .run = [this] { askForInputs(); },
                    .unavailable = needsKernel});
    m_commands.add({.id = QStringLiteral("measure.libraries"),
                    .title = tr("Libraries of this kernel…"),
                    .group = tr("Measure"),
                    .run = [this] { askForLibraries(); },
                    .unavailable = needsKernel});
    m_commands.add({.id = QStringLiteral("measure.cancel"),
                    .title = tr("Cancel measuring"),
                    .group = tr("Measure"),
                    .icon = QStringLiteral("stop"),
                    .run =
                        [this] {
                            m_measuring.cancel();
                            m_modelMeasuring.cancel();
                            m_modelResults.cancel();
                        },
                    .unavailable =
                        [this] {
                            return m_measuring.isRunning() || m_modelMeasuring.isRunning()
                                           || m_modelResults.isRunning()
                                       ? QString()
                                       : tr("Nothing is being measured.");
                        }});
    m_commands.add(
        {.id = QStringLiteral("measure.model"),
         .title = tr("Measure the model"),
         .group = tr("Measure"),
         .keys = {QKeySequence(QStringLiteral("Ctrl+F5"))},
         .run = [this] { m_modelMeasuring.measure(); },
         .unavailable = [this] { return m_model.isOpen() ? QString() : tr("Open a model first."); }});
    m_commands.add({.id = QStringLiteral("measure.modelToo"),
                    .title = tr("Measure the model after its kernel"),
                    .group = tr("Measure"),
                    .run =
                        [this] {
                            m_measuresModelToo = !m_measuresModelToo;
                            m_settings.setValue(modelTooKey, m_measuresModelToo);
                        },
                    .checked = [this] { return m_measuresModelToo; }});
}

void MeasureController::addViewCommands()
{
    m_commands.add({.id = QStringLiteral("view.rooflineWay"),
                    .title = tr("Show the way in the roofline"),
                    .group = tr("View"),
                    .run =
                        [this] {
                            m_showsWay = !m_showsWay;
                            m_settings.setValue(wayKey, m_showsWay);
                            showCharts();
                        },
                    .checked = [this] { return m_showsWay; }});
}

void MeasureController::askForLibraries()
{
    auto *dialog =
        new LibrariesDialog(m_measuring.libraries(),
                            QFileInfo(toQt(m_document.session().source().path)).absolutePath(), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog] { m_measuring.setLibraries(dialog->libraries()); });
    dialog->open();
}

void MeasureController::askForInputs()
{
    const session::Session &session = m_document.session();
    auto *dialog = new InputsDialog(m_document.jobs(), kernelInputTexts(),
                                    inputRows(session.tree().root().state->module, session.inputs()),
                                    sourceFolder(m_document, m_model), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_document.setInputs(givenInputs(dialog->files(), m_document.session().inputs()));
    });
    connect(&m_document, &document::Document::opened, dialog,
            &QDialog::reject); // they were for another kernel
    dialog->open();
}

void MeasureController::measuringChanged()
{
    showChartsSoon();
    m_commands.update();
    const bool wasRunning = std::exchange(m_wasMeasuring, m_measuring.isRunning());
    if (!wasRunning && m_measuring.isRunning())
        m_notification->begin();
    else if (wasRunning && !m_measuring.isRunning())
        m_notification->end(tr("The measurement is done."));
    if (m_measuresModelToo && wasRunning && !m_measuring.isRunning())
        m_modelMeasuring.measureIfChanged();
}

void MeasureController::showTarget()
{
    m_topBar.setTarget(targetText(m_document.session().target()));
    showCharts();
    m_commands.update();
}

void MeasureController::showChartsSoon()
{
    if (!m_chartsWait.isActive())
        m_chartsWait.start();
}

void MeasureController::showCharts()
{
    const ChartFacts facts = chartFactsOf(m_document, m_measuring, m_peer);
    m_charts.bars.setData(barsOf(facts));
    m_charts.roofline.setData(rooflineOf(facts, m_showsWay));
    // The roofs of a GPU say something also where nothing can be measured.
    const bool hasGpuRoofs = m_measuring.peak() && m_measuring.peak()->isGpu && m_document.isOpen();
    Q_EMIT chartsShown(!m_charts.bars.data().bars.empty() || hasGpuRoofs);
    showChartHeaders();
}

/// Drivers take up to a second, in a process of their own.
void MeasureController::lookForDevices()
{
    const target::TargetKind kind =
        m_document.isOpen() ? m_document.session().target().kind : target::TargetKind::Llvm;
    if (!target::kindOf(kind).isOfDevices)
        return;
    m_document.jobs().run(
        QStringLiteral("device of the target"), this,
        [kind](const jobs::Job &) { return backend::devices(kind).empty(); },
        [this, kind](const std::shared_ptr<const bool> &isAbsent) {
            if (*isAbsent)
                m_absent.insert(kind);
            else
                m_absent.erase(kind);
            m_commands.update();
        });
}

/// The inputs stand beside the figures that were measured with them.
void MeasureController::showChartHeaders()
{
    const QString given =
        m_document.isOpen() ? document::inputsText(m_document.session().inputs()) : QString();
    const QString on =
        m_document.isOpen() ? targetText(m_document.session().target()) + QStringLiteral(" · ") : QString();
    const QString with = on + (given.isEmpty() ? QString() : tr("with %1 · ").arg(given));
    const QString unit =
        m_charts.bars.data().bars.empty() ? QString() : m_charts.bars.data().unit + QStringLiteral(" · ");
    m_charts.barsHeader.setSecondary(with + unit + tr("median, 95 % interval"));
    QString roofs = with;
    if (const auto &peak = m_measuring.peak(); peak && peak->isGpu)
        roofs = (peak->isOfDataSheet ? tr("%1 by its data sheet · ") : tr("%1 · "))
                    .arg(document::toQt(peak->processor));
    if (const auto &peak = m_measuring.peak(); peak && peak->disturbed)
        roofs += tr("peak taken beside other work · ");
    m_charts.rooflineHeader.setSecondary(roofs + tr("log–log"));
    m_charts.roofline.setEmptyText(tr("Nothing is measured yet"),
                                   tr("It shows the bounds of memory and arithmetic"));
}

} // namespace nestwright::app
