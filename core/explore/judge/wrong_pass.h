// SPDX-License-Identifier: Apache-2.0
/// The first pass after which a program computes something else.
#pragma once

#include "core/explore/judge/bisect.h"
#include "core/lower/pipeline.h"
#include "core/measure/measurer.h"

#include <span>

namespace nestwright::explore {

struct WrongPass {
    std::size_t place = 0; ///< of its record
    Turn turn;             ///< positions are numbers of passes
};

/// Compares the program before the first pass with those after passes, by the interpreter, on the job's
/// inputs and sizes; its reference and variants are not asked. Passes from that which separates kernels from
/// their host on are left out: the interpreter does not launch. Nothing where the last is right. Errors:
/// those of bisect.
support::Result<std::optional<WrongPass>> firstWrongPass(std::span<const lower::PassRecord> passes,
                                                         measure::MeasureJob job);

} // namespace nestwright::explore
