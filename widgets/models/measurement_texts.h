// SPDX-License-Identifier: GPL-3.0-or-later
/// Figures and verdicts of measurements as text.
#pragma once

#include <QString>
#include <QStringList>

namespace nestwright::measure {
struct Counters;
struct Measurement;
struct RungResult;
} // namespace nestwright::measure

namespace nestwright::models {

/// Three significant figures, thousands apart: "1 130", "89.8", "1.94".
QString figures(double value);
/// Three significant figures with a unit that fits: "1 130 ms", "19.1 ms", "740 µs".
QString timeText(double seconds);
/// "✓ OpenCL: on the first OpenCL device"
QString rungText(const measure::RungResult &result);
/// Lines of what was counted in a call, and the reason why some was not.
QStringList countersText(const measure::Counters &counters);
/// Whether it was not measured for want of a device, which says nothing of the variant.
bool lacksDevice(const measure::Measurement &measurement);
/// "verified", "was verified" (a file says so), "crashed", …
QString verdictText(const measure::Measurement &measurement);

} // namespace nestwright::models
