// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep_dialog.h"

#include "core/measure/measurer.h"
#include "widgets/charts/sweep_curve.h"
#include "widgets/document/document.h"
#include "widgets/document/measuring.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/models/variants_model.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::app {

using document::toQt;
using session::SweepPoint;
using session::VariantId;

namespace {
const QString sweepKey = QStringLiteral("sweep");
}

SweepDialog::SweepDialog(document::Document &document, document::Measuring &measuring, VariantId variant,
                         QWidget *parent)
    : QDialog(parent)
    , m_document(document)
    , m_measuring(measuring)
    , m_variant(variant)
    , m_tip(session::tipOf(document.tree(), variant))
    , m_numbers(explore::numbersOf(document.tree().at(variant).step))
    , m_number(new QComboBox(this))
    , m_curve(new charts::SweepCurve(this))
    , m_slider(new QSlider(Qt::Horizontal, this))
    , m_text(new QLabel(this))
{
    setWindowTitle(tr("Sweep: %1").arg(toQt(document.tree().at(variant).label)));
    resize(680, 460);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    auto *form = new QFormLayout;
    for (const explore::StepNumber &number : m_numbers)
        m_number->addItem(toQt(number.name));
    m_number->setCurrentIndex(m_number->count() - 1);
    m_number->setAccessibleName(tr("Number of the step"));
    form->addRow(tr("Number"), m_number);
    layout->addLayout(form);
    m_curve->setMinimumHeight(240);
    layout->addWidget(m_curve, 1);
    m_slider->setAccessibleName(tr("Value"));
    m_slider->setPageStep(1);
    m_slider->setTickPosition(QSlider::TicksBelow);
    layout->addWidget(m_slider);
    m_text->setWordWrap(true);
    m_text->setMinimumHeight(2 * fontMetrics().lineSpacing());
    layout->addWidget(m_text);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_use = buttons->addButton(tr("Use this value"), QDialogButtonBox::ApplyRole);
    m_measure = buttons->addButton(tr("Measure all"), QDialogButtonBox::ActionRole);
    m_measure->setToolTip(tr("Each value becomes a variant of its own"));
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_use, &QPushButton::clicked, this, &SweepDialog::use);
    connect(m_measure, &QPushButton::clicked, this, &SweepDialog::measureAll);
    connect(m_number, &QComboBox::currentIndexChanged, this, &SweepDialog::predict);
    connect(m_slider, &QSlider::valueChanged, this, &SweepDialog::showCurrent);
    connect(m_curve, &charts::ChartPane::selected, m_slider, &QSlider::setValue);
    connect(&document, &document::Document::measurementChanged, this, &SweepDialog::showPoints);
    connect(&document, &document::Document::leaving, this, &QDialog::reject);
    connect(&document, &document::Document::aboutToReplace, this, &QDialog::reject);
    predict();
}

const SweepPoint *SweepDialog::current() const
{
    const auto index = static_cast<std::size_t>(m_slider->value());
    return m_points && index < m_points->size() ? &(*m_points)[index] : nullptr;
}

void SweepDialog::predict()
{
    m_points.reset();
    m_made.clear();
    m_text->setText(tr("Working out the programs…"));
    m_use->setEnabled(false);
    m_measure->setEnabled(false);
    const explore::StepNumber number = m_numbers.at(static_cast<std::size_t>(m_number->currentIndex()));
    m_document.jobs().run(
        sweepKey, this,
        [tree = m_document.tree(), variant = m_variant, tip = m_tip, number,
         threads = measure::threadsOf(m_document.session().target())](const jobs::Job &) {
            const explore::Machine machine = explore::thisMachine(threads);
            const session::Variant &changed = tree.at(variant);
            Points points;
            for (const std::int64_t value :
                 explore::valuesFor(*tree.at(*changed.parent).state, changed.step, number))
                points.push_back(session::sweepPoint(tree, variant, number, value, tip, machine));
            return points;
        },
        [this, number](const std::shared_ptr<const Points> &points) {
            m_points = points;
            const auto own = std::ranges::find(*points, number.value, &SweepPoint::value);
            {
                const QSignalBlocker blocker(m_slider); // the curve has no points yet
                m_slider->setRange(0, std::max(0, static_cast<int>(points->size()) - 1));
                m_slider->setValue(static_cast<int>(own - points->begin()));
            }
            m_measure->setEnabled(std::ranges::any_of(*points, [](const SweepPoint &p) { return !p.why; }));
            showPoints();
        });
}

void SweepDialog::showPoints()
{
    if (!m_points)
        return;
    std::vector<charts::SweepItem> items;
    for (std::size_t i = 0; i < m_points->size(); ++i) {
        const SweepPoint &point = (*m_points)[i];
        charts::SweepItem item{.value = point.value};
        if (point.prediction) {
            item.predicted = point.prediction->seconds;
            item.limit = toQt(point.prediction->limit);
        }
        if (point.why)
            item.refused = document::explanation(*point.why);
        const auto *variant = i < m_made.size() ? &m_document.tree().at(m_made[i]) : nullptr;
        if (variant && variant->measurement && variant->measurement->ok()) {
            const measure::Interval &time = variant->measurement->time;
            item.low = time.low;
            item.median = time.median;
            item.high = time.high;
        }
        items.push_back(std::move(item));
    }
    m_curve->setItems(std::move(items), m_slider->value());
    showCurrent();
}

void SweepDialog::showCurrent()
{
    m_curve->setCurrent(m_slider->value());
    const SweepPoint *point = current();
    m_use->setEnabled(point && !point->why);
    if (!point)
        return;
    if (point->why) {
        m_text->setText(tr("%1: %2").arg(point->value).arg(document::explanation(*point->why)));
        return;
    }
    QString text = QString::number(point->value);
    if (point->prediction)
        text += tr(": %1 predicted, limited by %2")
                    .arg(models::timeText(point->prediction->seconds), toQt(point->prediction->limit));
    const charts::SweepItem &item = m_curve->items()[static_cast<std::size_t>(m_slider->value())];
    if (item.median > 0)
        text += tr("; %1 measured").arg(models::timeText(item.median));
    m_text->setText(text);
}

void SweepDialog::measureAll()
{
    std::vector<session::HistoryEdit> edits;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; m_points && i < m_points->size(); ++i) {
        if ((*m_points)[i].why)
            continue;
        edits.push_back((*m_points)[i].edit);
        places.push_back(i);
    }
    m_measure->setEnabled(false);
    m_document.make(edits, [this, places](const std::vector<VariantId> &made) {
        m_made.assign(m_points->size(), VariantId{});
        for (std::size_t i = 0; i < places.size(); ++i)
            m_made[places[i]] = made[i];
        m_measuring.measure(made);
        m_measure->setEnabled(true);
        showPoints();
    });
}

void SweepDialog::use()
{
    if (const SweepPoint *point = current(); point && !point->why)
        m_document.edit(point->edit);
    accept();
}

} // namespace nestwright::app
