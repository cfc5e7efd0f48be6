// SPDX-License-Identifier: GPL-3.0-or-later
/// The charts' data, taken from a session.
#pragma once

#include "core/measure/machine/machine_peak.h"
#include "core/measure/peers/peer.h"
#include "core/session/session.h"
#include "widgets/charts/chart_data.h"

#include <optional>

namespace nestwright::app {

/// Facts that the charts show.
struct ChartFacts {
    const session::Session *session = nullptr;   ///< null: nothing is open
    std::optional<session::VariantId> running{}; ///< being measured
    std::optional<measure::MachinePeak> peak{};  ///< of the machine that runs the target's code
    std::optional<measure::PeerTime> library{};  ///< of a tuned library's function
};

/// "llvm · 2 threads": where a kernel is measured.
QString targetText(const target::Target &target);

/// Every measured variant in the order made, with the machine's peak and the throughput of a tuned library.
charts::BarData barsOf(const ChartFacts &facts);

/// The measured variants on the way to the current one, and whether that is drawn. Bytes are the compulsory
/// traffic of all arguments; where a kernel has no operations they are all that counts.
charts::RooflineData rooflineOf(const ChartFacts &facts, bool showsWay);

} // namespace nestwright::app
