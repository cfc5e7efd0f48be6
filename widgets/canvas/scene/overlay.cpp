// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/scene/overlay.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace nestwright::canvas {

namespace {

struct OverlayText {
    Q_DECLARE_TR_FUNCTIONS(Overlay)
};

/// Three significant digits with the largest unit that leaves one before the point.
QString withUnit(double value, double step, std::initializer_list<const char *> units)
{
    const char *unit = *units.begin();
    for (const char *next : units) {
        unit = next;
        if (std::abs(value) < step || next == *(units.end() - 1))
            break;
        value /= step;
    }
    const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return QString::number(value, 'f', decimals) + u' ' + QString::fromUtf8(unit);
}

} // namespace

QString overlayName(Overlay overlay)
{
    switch (overlay) {
    case Overlay::None: return OverlayText::tr("none");
    case Overlay::Time: return OverlayText::tr("time");
    case Overlay::Flops: return OverlayText::tr("FLOPs");
    case Overlay::Bytes: return OverlayText::tr("bytes");
    case Overlay::Intensity: return OverlayText::tr("FLOP per byte");
    case Overlay::Peak: return OverlayText::tr("% of peak");
    }
    return {};
}

QString overlayId(Overlay overlay)
{
    switch (overlay) {
    case Overlay::None: return QStringLiteral("none");
    case Overlay::Time: return QStringLiteral("time");
    case Overlay::Flops: return QStringLiteral("flops");
    case Overlay::Bytes: return QStringLiteral("bytes");
    case Overlay::Intensity: return QStringLiteral("intensity");
    case Overlay::Peak: return QStringLiteral("peak");
    }
    return {};
}

std::optional<double> overlayValue(const NodeNumbers &numbers, Overlay overlay)
{
    double value = -1;
    switch (overlay) {
    case Overlay::None: break;
    case Overlay::Time: value = numbers.seconds; break;
    case Overlay::Flops: value = numbers.flops; break;
    case Overlay::Bytes: value = numbers.bytes; break;
    case Overlay::Intensity:
        if (numbers.bytes > 0 && numbers.flops > 0)
            value = numbers.flops / numbers.bytes;
        break;
    case Overlay::Peak: value = numbers.peakFraction; break;
    }
    if (value < 0 || !std::isfinite(value))
        return std::nullopt;
    return value;
}

QString overlayText(double value, Overlay overlay)
{
    switch (overlay) {
    case Overlay::None: break;
    case Overlay::Time: return withUnit(value * 1e6, 1000, {"µs", "ms", "s"});
    case Overlay::Flops: return withUnit(value, 1000, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"});
    case Overlay::Bytes: return withUnit(value, 1024, {"B", "KB", "MB", "GB", "TB"});
    case Overlay::Intensity: return QString::number(value, 'f', value >= 10 ? 0 : value >= 1 ? 1 : 2);
    case Overlay::Peak: return QString::number(value * 100, 'f', value >= 0.1 ? 0 : 1) + QStringLiteral(" %");
    }
    return {};
}

double OverlayScale::shade(double value, Overlay overlay) const
{
    if (high <= low)
        return high > 0 ? 1 : 0;
    if (overlay == Overlay::Intensity)
        return std::clamp(std::log(value / low) / std::log(high / low), 0.0, 1.0);
    return std::sqrt(std::clamp(value / high, 0.0, 1.0));
}

OverlayScale overlayScale(const std::vector<GraphNode> &nodes, Overlay overlay)
{
    OverlayScale scale;
    for (const GraphNode &node : nodes) {
        const std::optional<double> value = overlayValue(node.numbers, overlay);
        if (!value)
            continue;
        scale.high = scale.isKnown ? std::max(scale.high, *value) : *value;
        if (overlay == Overlay::Intensity)
            scale.low = scale.isKnown ? std::min(scale.low, *value) : *value;
        scale.isKnown = true;
    }
    if (overlay == Overlay::Peak && scale.isKnown)
        scale.high = 1;
    return scale;
}

} // namespace nestwright::canvas
