// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/export.h"

#include "core/support/text/csv.h"
#include "widgets/charts/roofline.h"
#include "widgets/charts/variant_bars.h"
#include "widgets/charts/waterfall.h"
#include "widgets/look/picture_file.h"
#include "widgets/look/theme.h"
#include "widgets/look/tokens.h"

#include <QFileInfo>
#include <QPainter>
#include <QPalette>

namespace nestwright::charts {

namespace {

support::Result<void> writePicture(ChartPane &pane, const QString &path, bool dark, QSize size)
{
    const look::Tokens &t = dark ? look::darkTokens() : look::lightTokens();
    pane.setPalette(look::paletteOf(t));
    pane.setAttribute(Qt::WA_DontShowOnScreen); // laid out as if shown
    pane.resize(size);
    pane.show();
    return look::writePicture({.size = size,
                               .title = pane.accessibleName(),
                               .ground = t.pane,
                               .paint = [&pane](QPainter &painter) { pane.paintOn(painter); }},
                              path);
}

/// Writes CSV, or calls `picture` for PNG and SVG.
template <class Picture>
support::Result<void> writeAs(const QString &path, const QString &csv, const Picture &picture)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == QLatin1String("csv"))
        return look::writeBytes(path, csv.toUtf8());
    if (ending == QLatin1String("png") || ending == QLatin1String("svg"))
        return picture();
    return support::fail(
        support::diagnostic("chart.unknown-form",
                            QStringLiteral("'%1' is no form of a chart").arg(path).toStdString())
            .withHint("end the name in .png, .svg or .csv"));
}

QString field(const QString &text) { return QString::fromStdString(support::csvField(text.toStdString())); }

QString number(double value) { return QString::number(value, 'g', 9); }

QString outcomeName(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Measured: return QStringLiteral("measured");
    case Outcome::Failed: return QStringLiteral("failed");
    case Outcome::Running: return QStringLiteral("running");
    }
    return {};
}

} // namespace

QString csvOf(const BarData &data)
{
    const QString unit = data.unit;
    QString csv = QStringLiteral("variant,%1,low,high,outcome,current,note\n").arg(field(unit));
    for (const Bar &bar : data.bars) {
        const bool measured = bar.outcome == Outcome::Measured;
        const auto value = [measured](double v) { return measured ? number(v) : QString(); };
        csv += QStringList{field((bar.name + u' ' + bar.detail).trimmed()),
                           value(bar.value),
                           value(bar.low),
                           value(bar.high),
                           outcomeName(bar.outcome),
                           bar.id == data.current ? QStringLiteral("1") : QStringLiteral("0"),
                           field(bar.note)}
                   .join(u',')
               + u'\n';
    }
    for (const Reference &reference : data.references)
        csv += QStringLiteral("%1,%2,,,reference,0,\n").arg(field(reference.name), number(reference.value));
    return csv;
}

QString csvOf(const RooflineData &data)
{
    QString csv = data.areBytes ? QStringLiteral("kind,name,bytes,GB/s,low,high,GB/s\n")
                                : QStringLiteral("kind,name,FLOP per byte,GFLOPS,low,high,GB/s\n")
                                      + QStringLiteral("peak,peak,,%1,,,\n").arg(number(data.peak));
    for (const Ceiling &ceiling : data.ceilings)
        csv += QStringLiteral("peak,%1,,%2,,,\n").arg(field(ceiling.name), number(ceiling.gflops));
    for (const Roof &roof : data.roofs)
        csv +=
            QStringLiteral("roof,%1,%2,,,,%3\n")
                .arg(field(roof.name), data.areBytes && roof.capacity > 0 ? number(roof.capacity) : QString(),
                     number(roof.bandwidth));
    for (const RooflinePoint &point : data.points)
        csv += QStringLiteral("variant,%1,%2,%3,%4,%5,\n")
                   .arg(field(point.name), number(point.across), number(point.rate), number(point.low),
                        number(point.high));
    return csv;
}

QString csvOf(const WaterfallData &data)
{
    QString csv = QStringLiteral("number,step,from %1,to %1,low,high,gain,gain low,gain high,significant,"
                                 "note\n")
                      .arg(data.unit);
    for (const WaterfallBar &bar : data.bars) {
        const bool isStep = bar.kind == WaterfallBar::Kind::Step;
        const bool isMeasured = bar.kind != WaterfallBar::Kind::Missing;
        const auto value = [](bool isKnown, double v) { return isKnown ? number(v) : QString(); };
        csv += QStringList{bar.number,
                           field(bar.label),
                           value(isStep, bar.from),
                           value(isMeasured, bar.to),
                           value(isMeasured, bar.low),
                           value(isMeasured, bar.high),
                           value(isStep, bar.gain),
                           value(isStep, bar.gainLow),
                           value(isStep, bar.gainHigh),
                           isStep ? QString::number(int(bar.significant)) : QString(),
                           field(bar.note)}
                   .join(u',')
               + u'\n';
    }
    return csv;
}

support::Result<void> writeBars(const BarData &data, const QString &path, bool dark, QSize size)
{
    return writeAs(path, csvOf(data), [&] {
        VariantBars pane;
        pane.setData(data);
        return writePicture(pane, path, dark, size.expandedTo(QSize(pane.fullWidth(), 0)));
    });
}

support::Result<void> writeRatios(const RatioData &data, const QString &csv, const QString &path, bool dark,
                                  QSize size)
{
    return writeAs(path, csv, [&] {
        RatioMap pane;
        pane.setData(data);
        return writePicture(pane, path, dark, size.expandedTo(pane.fullSize()));
    });
}

support::Result<void> writeScaling(const std::vector<ScalingItem> &items, const QString &unit,
                                   const QString &csv, const QString &path, bool dark, QSize size)
{
    return writeAs(path, csv, [&] {
        ScalingCurve pane;
        pane.setItems(items, unit);
        return writePicture(pane, path, dark, size);
    });
}

support::Result<void> writeRoofline(const RooflineData &data, const QString &path, bool dark, QSize size)
{
    return writeAs(path, csvOf(data), [&] {
        Roofline pane;
        pane.setData(data);
        return writePicture(pane, path, dark, size);
    });
}

support::Result<void> writeWaterfall(const WaterfallData &data, const QString &path, bool dark, QSize size)
{
    return writeAs(path, csvOf(data), [&] {
        Waterfall pane;
        pane.setData(data);
        return writePicture(pane, path, dark, size.expandedTo(QSize(pane.fullWidth(), 0)));
    });
}

} // namespace nestwright::charts
