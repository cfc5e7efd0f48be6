// SPDX-License-Identifier: Apache-2.0
/// Positions in a loop's body at which a block runs after its producers and before its consumers.
#pragma once

#include "core/schedule/edit.h"

namespace nestwright::schedule {

enum class MustHold : std::uint8_t { Producers, Consumers };

/// A position among the parts of the loop's body, before which the block goes. `index` -1 asks for the last
/// possible one, -2 for the first, another for that one. All producers or all consumers of the block
/// (`mustHold`) must be below the loop
/// ("schedule.consumer-outside", "schedule.producer-outside"); the position must exist
/// ("schedule.no-such-position").
std::size_t insertionPoint(Edit &edit, StmtId block, StmtId loop, MustHold mustHold, std::int64_t index);

} // namespace nestwright::schedule
