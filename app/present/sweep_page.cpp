// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/sweep_page.h"

#include "widgets/document/text.h"
#include "widgets/models/measurement_texts.h"
#include "widgets/models/variants_model.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::app {

using document::toQt;
using session::SweepGrid;
using session::SweepPoint;

namespace {

struct SweepText {
    Q_DECLARE_TR_FUNCTIONS(SweepPage)
};

constexpr int mostNamed = 4; ///< cells in a sentence

/// The point whose values are those of the branch as it is.
std::optional<std::size_t> presentPoint(const SweepGrid &grid)
{
    const auto row = std::ranges::find(grid.axes.rows, grid.axes.down.number.value),
               column = std::ranges::find(grid.axes.columns, grid.axes.across.number.value);
    if (row == grid.axes.rows.end() || column == grid.axes.columns.end())
        return {};
    return grid.index(static_cast<std::size_t>(row - grid.axes.rows.begin()),
                      static_cast<std::size_t>(column - grid.axes.columns.begin()));
}

/// The unit that all times of a map are written in.
struct TimeUnit {
    double seconds = 1e-6;
    QString name = QStringLiteral("µs");

    QString text(double time) const
    {
        const double value = time / seconds;
        return QString::number(value, 'f', value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
    }
};

/// By the least prediction; where there is none, by the least of what was measured.
TimeUnit unitOf(const session::VariantTree &tree, const SweepGrid &grid, const SweepVariants &variants)
{
    double predicted = std::numeric_limits<double>::infinity(), measured = predicted;
    for (std::size_t i = 0; i < grid.points.size(); ++i) {
        if (grid.points[i].prediction)
            predicted = std::min(predicted, grid.points[i].prediction->seconds);
        if (const measure::Measurement *time = variants.measured(tree, i))
            measured = std::min(measured, time->time.median);
    }
    const double least = std::isfinite(predicted) ? predicted : measured;
    return least >= 1e-4 ? TimeUnit{1e-3, QStringLiteral("ms")} : TimeUnit();
}

} // namespace

const measure::Measurement *SweepVariants::measured(const session::VariantTree &tree, std::size_t point) const
{
    const auto variant = made.find(point);
    if (variant == made.end() || !tree.at(variant->second).measurement)
        return nullptr;
    const measure::Measurement &measurement = *tree.at(variant->second).measurement;
    return measurement.ok() ? &measurement : nullptr;
}

const support::Diagnostic *SweepVariants::failure(const session::VariantTree &tree, std::size_t point) const
{
    const auto variant = made.find(point);
    if (variant == made.end() || !tree.at(variant->second).measurement)
        return nullptr;
    const auto &failure = tree.at(variant->second).measurement->failure;
    return failure ? &*failure : nullptr;
}

bool SweepVariants::isBest(std::size_t point) const
{
    const auto variant = made.find(point);
    return ranked && variant != made.end() && ranked->best == variant->second;
}

bool SweepVariants::isTied(std::size_t point) const
{
    const auto variant = made.find(point);
    return ranked && variant != made.end() && std::ranges::contains(ranked->tied, variant->second);
}

std::vector<charts::SweepItem> sweepCurveOf(const session::VariantTree &tree, const SweepGrid &grid,
                                            const SweepVariants &variants)
{
    std::vector<charts::SweepItem> items;
    for (std::size_t i = 0; i < grid.points.size(); ++i) {
        const SweepPoint &point = grid.points[i];
        charts::SweepItem item{.value = point.value};
        if (point.prediction) {
            item.predicted = point.prediction->seconds;
            item.limit = toQt(point.prediction->limit);
        }
        if (point.why)
            item.refused = document::explanation(*point.why);
        if (const measure::Measurement *measured = variants.measured(tree, i)) {
            item.low = measured->time.low;
            item.median = measured->time.median;
            item.high = measured->time.high;
        }
        items.push_back(std::move(item));
    }
    return items;
}

charts::RatioData sweepMapOf(const session::VariantTree &tree, const SweepGrid &grid,
                             const SweepVariants &variants)
{
    const TimeUnit unit = unitOf(tree, grid, variants);
    const std::optional<std::size_t> present = presentPoint(grid);
    const measure::Measurement *own = present ? variants.measured(tree, *present) : nullptr;
    const bool isMeasured = own != nullptr;
    charts::RatioData data;
    data.title =
        (isMeasured ? SweepText::tr("time of a call in %1 · down: %2 · across: %3")
                    : SweepText::tr("predicted time of a call in %1 · down: %2 · across: %3"))
            .arg(unit.name, toQt(describe(tree, grid.axes.down)), toQt(describe(tree, grid.axes.across)));
    data.hatched = SweepText::tr("≈ no significant difference from the fastest (★)");
    for (const std::int64_t value : grid.axes.rows)
        data.rows << QString::number(value);
    for (const std::int64_t value : grid.axes.columns)
        data.columns << QString::number(value);
    for (std::size_t i = 0; i < grid.points.size(); ++i) {
        const SweepPoint &point = grid.points[i];
        charts::RatioCell cell{.isDone = true};
        cell.isSignificant = true;
        cell.isTied = variants.isTied(i);
        cell.isBest = variants.isBest(i);
        if (point.why)
            cell.refused = document::explanation(*point.why);
        const measure::Measurement *measured = variants.measured(tree, i);
        const support::Diagnostic *failure = variants.failure(tree, i);
        if (failure) {
            cell.refused = document::explanation(*failure);
        } else if (isMeasured && measured) {
            cell.ratio = own->time.median / measured->time.median;
            cell.text = unit.text(measured->time.median);
        } else if (point.prediction) {
            const bool isKnown = present && grid.points[*present].prediction;
            cell.ratio = isKnown ? grid.points[*present].prediction->seconds / point.prediction->seconds : 1;
            cell.text = unit.text(point.prediction->seconds);
        }
        if (point.prediction)
            cell.detail = toQt(point.prediction->limit);
        const QString text = sweepCellText(tree, grid, variants, i);
        cell.explanation = text.mid(text.indexOf(QStringLiteral(": ")) + 2)
                               .replace(QStringLiteral("; "), QStringLiteral("\n"));
        data.cells.push_back(std::move(cell));
    }
    return data;
}

QString sweepCellName(const SweepGrid &grid, std::size_t point)
{
    const QString across = QString::number(grid.points[point].value);
    return grid.axes.rows.size() < 2
               ? across
               : QStringLiteral("%1 × %2").arg(grid.axes.rows[point / grid.axes.columns.size()]).arg(across);
}

QString sweepCellText(const session::VariantTree &tree, const SweepGrid &grid, const SweepVariants &variants,
                      std::size_t point)
{
    const SweepPoint &at = grid.points[point];
    QString text = sweepCellName(grid, point) + QStringLiteral(": ");
    if (at.why)
        return text + document::explanation(*at.why);
    QStringList parts;
    if (at.prediction)
        parts << SweepText::tr("%1 predicted, limited by %2")
                     .arg(models::timeText(at.prediction->seconds), toQt(at.prediction->limit));
    if (const measure::Measurement *measured = variants.measured(tree, point))
        parts << SweepText::tr("%1 measured (%2 … %3)")
                     .arg(models::timeText(measured->time.median), models::timeText(measured->time.low),
                          models::timeText(measured->time.high));
    if (const support::Diagnostic *failure = variants.failure(tree, point))
        parts << document::explanation(*failure);
    if (variants.isBest(point))
        parts << (variants.ranked->tied.empty() ? SweepText::tr("the fastest, significantly")
                                                : SweepText::tr("the fastest, with others like it"));
    if (variants.isTied(point))
        parts << SweepText::tr("no significant difference from the fastest");
    return text + parts.join(QStringLiteral("; "));
}

QString sweepConclusion(const SweepGrid &grid, const SweepVariants &variants)
{
    QString best;
    QStringList tied;
    for (std::size_t i = 0; i < grid.points.size(); ++i) {
        if (variants.isBest(i))
            best = sweepCellName(grid, i);
        if (variants.isTied(i))
            tied << sweepCellName(grid, i);
    }
    if (best.isEmpty())
        return {};
    if (tied.isEmpty())
        return SweepText::tr("Fastest: %1, significantly.").arg(best);
    return SweepText::tr("Fastest: %1. No significant difference: %2.")
        .arg(best, document::firstOf(tied, mostNamed));
}

} // namespace nestwright::app
