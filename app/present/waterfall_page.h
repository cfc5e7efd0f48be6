// SPDX-License-Identifier: GPL-3.0-or-later
/// Contributions of steps as the bars of a waterfall.
#pragma once

#include "core/explore/judge/ablation.h"
#include "widgets/charts/chart_data.h"

#include <optional>

namespace nestwright::app {

struct WaterfallPage {
    charts::WaterfallData chart;
    /// By bar: the contribution that it shows; nothing for the unscheduled program and the whole schedule.
    std::vector<std::optional<std::size_t>> contributions;
};

WaterfallPage waterfallOf(const explore::Ablation &ablation);

/// A contribution in words: "4 · vectorize(j1): 3.1× as fast with it (3.0× … 3.2×), 8.2 ms became 2.6 ms."
QString contributionText(const explore::Contribution &step, explore::AblationMode mode);

} // namespace nestwright::app
