// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/waterfall_page.h"

#include "widgets/charts/scale.h"
#include "widgets/document/text.h"
#include "widgets/models/measurement_texts.h"
#include "widgets/models/variants_model.h"

#include <QObject>

namespace nestwright::app {

using charts::WaterfallBar;
using document::toQt;
using explore::Ablation;
using explore::AblationMode;
using explore::Contribution;
using measure::Interval;

namespace {

/// Throughput of calls that take so long.
class Level {
public:
    explicit Level(double flops) : m_work(flops > 0 ? flops * 1e-9 : 1) {}
    double of(double seconds) const { return seconds > 0 ? m_work / seconds : 0; }

private:
    double m_work; ///< of a call
};

void setInterval(WaterfallBar &bar, const Interval &time, Level level)
{
    bar.low = level.of(time.high);
    bar.high = level.of(time.low);
}

WaterfallBar total(const QString &name, const Interval &time, Level level)
{
    WaterfallBar bar{.kind = WaterfallBar::Kind::Total, .name = name, .label = name};
    bar.to = level.of(time.median);
    setInterval(bar, time, level);
    return bar;
}

QString numberOf(const Contribution &step)
{
    const QString number = QString::number(step.place + 1);
    return step.others.empty() ? number : QStringLiteral("%1 +%2").arg(number).arg(step.others.size());
}

WaterfallBar barOf(const Contribution &step, AblationMode mode, double before, Level level)
{
    WaterfallBar bar{.number = numberOf(step),
                     .name = toQt(step.label).section(u'(', 0, 0),
                     .label = QStringLiteral("%1 · %2").arg(step.place + 1).arg(toQt(step.label))};
    if (!step.gain) {
        bar.kind = WaterfallBar::Kind::Missing;
        bar.from = bar.to = before;
        bar.note = step.failure  ? document::sentence(step.failure->message)
                   : step.isSame ? QObject::tr("The program is the same without it.")
                                 : QObject::tr("The first program that could be measured.");
    } else {
        bar.from = level.of(step.without.median);
        bar.to = level.of(step.with.median);
        bar.gain = step.gain->ratio.median;
        bar.gainLow = step.gain->ratio.low;
        bar.gainHigh = step.gain->ratio.high;
        bar.significant = step.gain->significant;
        setInterval(bar, mode == AblationMode::Added ? step.with : step.without, level);
    }
    if (const std::string others = explore::othersText(step, mode); !others.empty())
        bar.note = (bar.note + u' ' + document::sentence(others)).trimmed();
    return bar;
}

} // namespace

WaterfallPage waterfallOf(const Ablation &ablation)
{
    WaterfallPage page;
    const Level level(ablation.flops);
    const bool isAdded = ablation.mode == AblationMode::Added;
    page.chart.unit = ablation.flops > 0 ? QStringLiteral("GFLOPS") : QStringLiteral("calls/s");
    const auto add = [&page](WaterfallBar bar, std::optional<std::size_t> contribution) {
        bar.id = static_cast<int>(page.chart.bars.size());
        page.chart.bars.push_back(std::move(bar));
        page.contributions.push_back(contribution);
    };
    if (isAdded)
        add(total(QObject::tr("unscheduled"), ablation.first, level), {});
    else
        page.chart.reference = level.of(ablation.last.median);
    double before = level.of(isAdded ? ablation.first.median : ablation.last.median);
    for (std::size_t i = 0; i < ablation.steps.size(); ++i) {
        const Contribution &step = ablation.steps[i];
        add(barOf(step, ablation.mode, before, level), i);
        if (isAdded && step.with.median > 0)
            before = level.of(step.with.median);
    }
    add(total(QObject::tr("all steps"), ablation.last, level), {});
    return page;
}

QString contributionText(const Contribution &step, AblationMode mode)
{
    QString text = QStringLiteral("%1 · %2: ").arg(step.place + 1).arg(toQt(step.label));
    const auto factor = [](double value) { return charts::shortNumber(value) + QStringLiteral("×"); };
    if (step.failure)
        text += document::sentence(step.failure->message);
    else if (step.isSame)
        text += QObject::tr("the program is the same without it.");
    else if (!step.gain)
        text += QObject::tr("the first program that could be measured.");
    else
        text += QObject::tr("%1 as fast with it (%2 … %3)%4, %5 without it, %6 with it.")
                    .arg(factor(step.gain->ratio.median), factor(step.gain->ratio.low),
                         factor(step.gain->ratio.high),
                         step.gain->significant ? QString() : QObject::tr(", not significant"),
                         models::timeText(step.without.median), models::timeText(step.with.median));
    if (const std::string others = explore::othersText(step, mode); !others.empty())
        text += u' ' + document::sentence(others);
    return text;
}

} // namespace nestwright::app
