// SPDX-License-Identifier: Apache-2.0
/// The default schedule of a kernel: rules over kinds of blocks, carried out with the primitives that a
/// person uses, so that it can be opened and edited as a trace.
#pragma once

#include "core/schedule/step.h"
#include "core/target/machine.h"

#include <vector>

namespace nestwright::graph {

struct DefaultSchedule {
    schedule::State state;             ///< after all steps
    std::vector<schedule::Step> steps; ///< from the kernel as it is
};

/// Never fails for want of a rule: stages that no rule improves stay as they are. Errors: those of
/// schedule::makeState.
///
/// Elementwise stages are inlined. A reduction over a window or a matrix is tiled so that the results of a
/// tile stay in registers over all of the reduction, with the innermost dimension in vectors, and elementwise
/// stages behind it are computed per tile. Sizes of products of matrices that no tile divides are rounded up.
/// Two such products with stages between them that go row by row are computed block of rows by block of rows.
/// Outer spatial loops run in parallel where there is enough to do. (After the register-tiled loop nests that
/// autoTVM and Halide's autoscheduler use for such stages.)
support::Result<DefaultSchedule> defaultSchedule(const ir::Module &kernel, const target::Machine &machine);

} // namespace nestwright::graph
