// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts a recorded run of a variant for its player.
#pragma once

#include "core/explore/step_path.h"
#include "core/explore/trace/replay.h"
#include "core/target/target.h"
#include "widgets/player/grid_cells.h"

#include <QStringList>

#include <memory>
#include <optional>

namespace nestwright::app {

/// Request for a replay.
struct ReplayWish {
    std::optional<int> largest{}; ///< extent; else the largest of which the whole run can be kept
    int cacheShare = 1;           ///< caches have so many times fewer sets
};

struct ReplayPage {
    std::shared_ptr<const explore::Replay> replay;
    int largest = 0;         ///< that extents were made no larger than
    QString title{}, text{}; ///< what is shown: the program as it is, or smaller
};
using ReplayPagePtr = std::shared_ptr<const support::Result<ReplayPage>>;

/// The largest extents that are tried where none is wished.
inline constexpr int usualLargest = 64;

/// Records the program at the end of `path`, with smaller extents where its own are too large. Errors are
/// those of explore::recordReplay.
support::Result<ReplayPage> replayOf(const explore::StepPath &path, const target::Target &target,
                                     const ReplayWish &wish);

/// The buffers that are accessed, by number.
std::vector<std::size_t> shownBuffers(const explore::Replay &replay);

/// The rows and columns of the last two dimensions of a buffer, of others those that were touched last.
player::GridCells gridOf(const explore::ReplayCursor &cursor, std::size_t buffer);

/// Texts of the classes of reuse.
QStringList reuseTexts();

} // namespace nestwright::app
