// SPDX-License-Identifier: Apache-2.0
/// Variants of a session in a run that measures them.
#pragma once

#include "core/session/history/variant_tree.h"

namespace nestwright::measure {
struct MeasureJob;
}

namespace nestwright::session {

/// Puts `variant`, which was not refused, behind the variants of `job`, with its edited code. Errors, and
/// nothing is put there: those of `runnable`.
support::Result<void> addTo(measure::MeasureJob &job, const Variant &variant);

} // namespace nestwright::session
