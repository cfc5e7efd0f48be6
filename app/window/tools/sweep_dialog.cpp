// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/sweep_dialog.h"

#include "core/measure/machine/this_machine.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/jobs/job_runner.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <ranges>

namespace nestwright::app {

using document::toQt;
using session::SweepGrid;
using session::SweepPoint;
using session::SweptNumber;
using session::VariantId;

namespace {

const QString sweepKey = QStringLiteral("sweep");
constexpr std::size_t madeAtOnce = 12;
constexpr int sweepRetryMs = 30, sweepPointsMs = 40;

/// A sweep over one number is a grid of one row.
SweepGrid sweepRow(const session::VariantTree &tree, const SweptNumber &swept, VariantId tip,
                   const target::Machine &machine)
{
    const session::Variant &changed = tree.at(swept.variant);
    SweepGrid grid{.axes = {.down = swept, .across = swept, .rows = {swept.number.value}, .columns = {}},
                   .points = {}};
    grid.axes.columns = explore::valuesFor(*tree.at(*changed.parent).state, changed.step, swept.number);
    for (const std::int64_t value : grid.axes.columns)
        grid.points.push_back(session::sweepPoint(tree, swept.variant, swept.number, value, tip, machine));
    return grid;
}

void setRange(QSlider &slider, const std::vector<std::int64_t> &values, std::int64_t own)
{
    const QSignalBlocker blocker(slider); // the charts have no points yet
    slider.setRange(0, std::max(0, static_cast<int>(values.size()) - 1));
    slider.setValue(static_cast<int>(std::ranges::find(values, own) - values.begin()));
}

} // namespace

SweepDialog::SweepDialog(document::Document &document, document::Measuring &measuring, VariantId variant,
                         QWidget *parent)
    : QDialog(parent)
    , m_document(document)
    , m_measuring(measuring)
    , m_variant(variant)
    , m_tip(session::tipOf(document.tree(), variant))
    , m_numbers(explore::numbersOf(document.tree().at(variant).step))
    , m_number(new QComboBox(this))
    , m_second(new QComboBox(this))
    , m_charts(new QStackedWidget(this))
    , m_curve(new charts::SweepCurve(m_charts))
    , m_map(new charts::RatioMap(m_charts))
    , m_acrossLabel(new QLabel(this))
    , m_downLabel(new QLabel(this))
    , m_across(new QSlider(Qt::Horizontal, this))
    , m_down(new QSlider(Qt::Horizontal, this))
    , m_text(new QLabel(this))
    , m_result(new QLabel(this))
{
    setWindowTitle(tr("Sweep: %1").arg(toQt(document.tree().at(variant).label)));
    resize(760, 560);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addLayout(makeForm());
    m_charts->addWidget(m_curve);
    m_charts->addWidget(m_map);
    m_charts->setMinimumHeight(240);
    m_map->setOpensOnClick(false);
    layout->addWidget(m_charts, 1);
    layout->addLayout(makeSliders());
    for (QLabel *label : {m_text, m_result}) {
        label->setWordWrap(true);
        label->setMinimumHeight(label == m_text ? 2 * fontMetrics().lineSpacing()
                                                : fontMetrics().lineSpacing());
        layout->addWidget(label);
    }
    layout->addWidget(makeButtons());
    m_pointsWait.setSingleShot(true);
    m_pointsWait.setInterval(sweepPointsMs);
    connectAll();
    fillSecond();
    predict();
}

QGridLayout *SweepDialog::makeSliders()
{
    auto *sliders = new QGridLayout;
    int row = 0;
    for (const auto &[label, slider, name] :
         {std::tuple(m_acrossLabel, m_across, tr("Value")), {m_downLabel, m_down, tr("Second value")}}) {
        slider->setAccessibleName(name);
        slider->setPageStep(1);
        slider->setTickPosition(QSlider::TicksBelow);
        label->setMinimumWidth(fontMetrics().horizontalAdvance(tr("across: %1").arg(4096)));
        sliders->addWidget(label, row, 0);
        sliders->addWidget(slider, row++, 1);
    }
    sliders->setColumnStretch(1, 1);
    return sliders;
}

QFormLayout *SweepDialog::makeForm()
{
    auto *form = new QFormLayout;
    for (const explore::StepNumber &number : m_numbers)
        m_number->addItem(toQt(number.name));
    m_number->setCurrentIndex(m_number->count() - 1);
    m_number->setAccessibleName(tr("Number of the step"));
    form->addRow(tr("Number"), m_number);
    m_second->setAccessibleName(tr("Second number"));
    form->addRow(tr("and"), m_second);
    return form;
}

QWidget *SweepDialog::makeButtons()
{
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_use = buttons->addButton(tr("Use this value"), QDialogButtonBox::ApplyRole);
    m_measure = buttons->addButton(tr("Measure all"), QDialogButtonBox::ActionRole);
    m_measure->setToolTip(tr("Each becomes a variant of its own; all are timed in turns"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    return buttons;
}

void SweepDialog::connectAll()
{
    connect(m_use, &QPushButton::clicked, this, &SweepDialog::use);
    connect(m_measure, &QPushButton::clicked, this, [this] {
        if (m_isMeasuring)
            cancelMeasuring();
        else
            measureAll();
    });
    connect(m_number, &QComboBox::currentIndexChanged, this, [this] {
        fillSecond();
        predict();
    });
    connect(m_second, &QComboBox::currentIndexChanged, this, &SweepDialog::predict);
    connect(m_across, &QSlider::valueChanged, this, &SweepDialog::showCurrent);
    connect(m_down, &QSlider::valueChanged, this, &SweepDialog::showCurrent);
    connect(m_curve, &charts::ChartPane::selected, this, &SweepDialog::select);
    connect(m_map, &charts::ChartPane::selected, this, &SweepDialog::select);
    connect(m_map, &charts::RatioMap::activated, this, &SweepDialog::use);
    connect(&m_pointsWait, &QTimer::timeout, this, &SweepDialog::showPoints);
    connect(&m_document, &document::Document::measurementChanged, this, [this] {
        if (!m_pointsWait.isActive())
            m_pointsWait.start();
    });
    connect(&m_measuring, &document::Measuring::changed, this, &SweepDialog::showState);
    connect(&m_measuring, &document::Measuring::ranked, this, &SweepDialog::takeRanking);
    connect(&m_document.jobs(), &jobs::JobRunner::progressed, this,
            [this](const QString &key, double fraction) {
                if (key == sweepKey && !m_grid)
                    m_text->setText(tr("Working out the programs: %1 %").arg(qRound(fraction * 100)));
            });
    connect(this, &QDialog::finished, this, [this] { m_document.jobs().cancel(sweepKey); });
    connect(&m_document, &document::Document::leaving, this, &QDialog::reject);
    connect(&m_document, &document::Document::aboutToReplace, this, &QDialog::reject);
}

SweptNumber SweepDialog::first() const
{
    return {m_variant, m_numbers.at(static_cast<std::size_t>(m_number->currentIndex()))};
}

void SweepDialog::fillSecond()
{
    const std::optional<SweptNumber> chosen = second();
    const QSignalBlocker blocker(m_second);
    m_second->clear();
    m_others = session::sweptNumbers(m_document.tree(), m_tip);
    std::erase(m_others, first());
    m_second->addItem(tr("(nothing)"));
    for (const SweptNumber &other : m_others)
        m_second->addItem(toQt(describe(m_document.tree(), other)));
    const auto same = chosen ? std::ranges::find(m_others, *chosen) : m_others.end();
    m_second->setCurrentIndex(same == m_others.end() ? 0 : static_cast<int>(same - m_others.begin()) + 1);
    m_second->setEnabled(!m_others.empty());
}

std::optional<SweptNumber> SweepDialog::second() const
{
    const int index = m_second->currentIndex() - 1;
    return index < 0 ? std::nullopt : std::optional(m_others.at(static_cast<std::size_t>(index)));
}

void SweepDialog::predict()
{
    if (m_isMeasuring)
        cancelMeasuring();
    m_grid.reset();
    m_variants = {};
    m_text->setText(tr("Working out the programs…"));
    m_result->clear();
    showState();
    m_document.jobs().run(
        sweepKey, this,
        [tree = m_document.tree(), tip = m_tip, first = first(), second = second(),
         target = m_document.session().target()](const jobs::Job &job) {
            const target::Machine machine = measure::machineOf(target);
            if (!second)
                return sweepRow(tree, first, tip, machine);
            return session::sweepGrid(tree, session::sweepAxes(tree, *second, first), tip, machine,
                                      [&job](double fraction) { job.progress(fraction); });
        },
        [this](const std::shared_ptr<const SweepGrid> &grid) { setGrid(grid); });
}

void SweepDialog::setGrid(std::shared_ptr<const SweepGrid> grid)
{
    m_grid = std::move(grid);
    const session::SweepAxes &axes = m_grid->axes;
    setRange(*m_across, axes.columns, axes.across.number.value);
    setRange(*m_down, axes.rows, axes.down.number.value);
    const bool isMap = second().has_value();
    m_charts->setCurrentWidget(isMap ? static_cast<QWidget *>(m_map) : m_curve);
    m_acrossLabel->setVisible(isMap);
    m_downLabel->setVisible(isMap);
    m_down->setVisible(isMap);
    m_use->setText(isMap ? tr("Use these values") : tr("Use this value"));
    showState();
    showPoints();
}

std::optional<std::size_t> SweepDialog::current() const
{
    if (!m_grid || m_grid->points.empty())
        return {};
    return m_grid->index(static_cast<std::size_t>(m_down->value()),
                         static_cast<std::size_t>(m_across->value()));
}

void SweepDialog::select(int point)
{
    const auto columns = static_cast<int>(m_grid->axes.columns.size());
    {
        const QSignalBlocker blocker(m_down); // shown once, with the other one
        m_down->setValue(point / columns);
    }
    const QSignalBlocker blocker(m_across);
    m_across->setValue(point % columns);
    showCurrent();
}

void SweepDialog::showPoints()
{
    if (!m_grid)
        return;
    const session::VariantTree &tree = m_document.tree();
    if (second())
        m_map->setData(sweepMapOf(tree, *m_grid, m_variants));
    else
        m_curve->setItems(sweepCurveOf(tree, *m_grid, m_variants), m_across->value());
    showCurrent();
}

void SweepDialog::showCurrent()
{
    const std::optional<std::size_t> point = current();
    m_use->setEnabled(point && !m_grid->points[*point].why);
    if (!point)
        return;
    const session::SweepAxes &axes = m_grid->axes;
    m_acrossLabel->setText(tr("across: %1").arg(axes.columns[static_cast<std::size_t>(m_across->value())]));
    m_downLabel->setText(tr("down: %1").arg(axes.rows[static_cast<std::size_t>(m_down->value())]));
    if (second())
        m_map->setCurrent(static_cast<int>(*point));
    else
        m_curve->setCurrent(static_cast<int>(*point));
    m_text->setText(sweepCellText(m_document.tree(), *m_grid, m_variants, *point));
}

void SweepDialog::showState()
{
    m_measure->setText(m_isMeasuring ? tr("Cancel") : second() ? tr("Measure these") : tr("Measure all"));
    m_measure->setEnabled(
        m_isMeasuring
        || (m_grid && std::ranges::any_of(m_grid->points, [](const SweepPoint &p) { return !p.why; })));
    if (m_isMeasuring && m_toMake.empty() && !m_measuring.isRunning())
        cancelMeasuring(); // it was cancelled elsewhere
    if (m_isMeasuring)
        m_result->setText(
            m_toMake.empty()
                ? tr("Measuring %1: %2, %3 %")
                      .arg(document::counted(static_cast<int>(m_variants.made.size()), tr("program")),
                           m_measuring.phase())
                      .arg(qRound(m_measuring.fraction() * 100))
                : tr("Making variants…"));
}

void SweepDialog::measureAll()
{
    if (!m_grid)
        return;
    m_variants = {};
    m_toMake.clear();
    for (std::size_t i = m_grid->points.size(); i-- > 0;) {
        if (!m_grid->points[i].why)
            m_toMake.push_back(i);
    }
    m_isMeasuring = true;
    showState();
    makeNext();
}

void SweepDialog::makeNext()
{
    if (m_document.isBusy()) { // a step of the person comes first
        QTimer::singleShot(sweepRetryMs, this, [this] {
            if (m_isMeasuring && !m_toMake.empty())
                makeNext();
        });
        return;
    }
    std::vector<std::size_t> places;
    std::vector<session::HistoryEdit> edits;
    while (!m_toMake.empty() && places.size() < madeAtOnce) {
        places.push_back(m_toMake.back());
        edits.push_back(m_grid->points[m_toMake.back()].edit);
        m_toMake.pop_back();
    }
    m_document.make(edits,
                    [dialog = QPointer(this), places, grid = m_grid](const std::vector<VariantId> &made) {
                        if (!dialog || !dialog->m_isMeasuring || dialog->m_grid != grid)
                            return;
                        for (std::size_t i = 0; i < places.size(); ++i)
                            dialog->m_variants.made[places[i]] = made[i];
                        if (!dialog->m_toMake.empty()) {
                            QTimer::singleShot(0, dialog, [dialog] {
                                if (dialog->m_isMeasuring && !dialog->m_toMake.empty())
                                    dialog->makeNext();
                            });
                            return;
                        }
                        std::vector<VariantId> all;
                        for (const VariantId id : dialog->m_variants.made | std::views::values)
                            all.push_back(id);
                        dialog->m_measuring.rank(all);
                        dialog->showPoints();
                    });
}

void SweepDialog::cancelMeasuring()
{
    const bool isAtWork = m_toMake.empty() && m_measuring.isRunning();
    m_isMeasuring = false;
    m_toMake.clear();
    if (isAtWork)
        m_measuring.cancel();
    m_result->setText(tr("Cancelled."));
    showState();
}

void SweepDialog::takeRanking(const document::RankedRun &run)
{
    std::vector<VariantId> own;
    for (const VariantId id : m_variants.made | std::views::values) {
        if (!std::ranges::contains(own, id))
            own.push_back(id);
    }
    if (!m_isMeasuring || own != run.variants)
        return;
    m_isMeasuring = false;
    m_variants.ranked = run;
    m_result->setText(sweepConclusion(*m_grid, m_variants));
    showState();
    showPoints();
}

void SweepDialog::use()
{
    if (const auto point = current(); point && !m_grid->points[*point].why) {
        m_document.edit(m_grid->points[*point].edit);
        accept();
    }
}

} // namespace nestwright::app
