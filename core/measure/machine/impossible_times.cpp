// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/impossible_times.h"

#include <algorithm>
#include <format>

namespace nestwright::measure {

namespace {

/// A clock that rises above the one at which the peak was taken gives a little more.
constexpr double clockAllowance = 1.1;

/// Whether the peak covers these types: narrower ones have units of their own.
bool areKnown(const std::vector<BufferSpec> &buffers)
{
    return std::ranges::all_of(
        buffers, [](const BufferSpec &buffer) { return buffer.dtype.bits >= 32 || buffer.dtype.isBool(); });
}

support::Diagnostic impossible(double share, std::string_view what)
{
    return support::diagnostic("measure.impossible",
                               std::format("this is {:.0f} % of {}, which no program reaches: calls may have "
                                           "left work out that their results do not show",
                                           100 * share, what))
        .withHint("look at the code for work that the operations of the program are counted for and that it "
                  "does not do");
}

} // namespace

std::optional<support::Diagnostic> impossibility(const Measurement &measurement, const MachinePeak &peak,
                                                 const std::vector<BufferSpec> &buffers)
{
    if (!measurement.ok())
        return std::nullopt;
    const double slowest = measurement.gflopsLow() * 1e9;
    if (peak.float32Flops > 0 && areKnown(buffers) && slowest > clockAllowance * peak.float32Flops)
        return impossible(measurement.gflops() * 1e9 / peak.float32Flops, "the peak of the machine");
    if (peak.levels.empty())
        return std::nullopt;
    // Processors store no more in a cycle than they load.
    const double rate = peak.levels.front().bytesPerSecond;
    if (rate > 0 && measurement.writtenBytes > clockAllowance * rate * measurement.time.high)
        return impossible(measurement.writtenBytes / measurement.time.median / rate,
                          "what the nearest cache takes");
    return std::nullopt;
}

} // namespace nestwright::measure
