// SPDX-License-Identifier: Apache-2.0
/// Sets of arguments that a kernel is checked with: each may reveal a fault that the others hide.
#pragma once

#include "core/measure/build/job_arguments.h"

namespace nestwright::measure {

/// The set that is timed first; the same but for NaN and infinities where arithmetic must keep them, else for
/// one element; numbers of all sizes; and for symbolic sizes 1, a prime, and those at and beside the extents
/// of the variants' loops. Errors: those of argumentsOf.
support::Result<std::vector<ArgumentSet>> argumentSets(const ir::PrimFunc &function, const MeasureJob &job,
                                                       const JobArguments &timed);

} // namespace nestwright::measure
