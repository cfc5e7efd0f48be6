// SPDX-License-Identifier: Apache-2.0
/// Proofs by the form of the indices of threads, however many elements there are.
#pragma once

#include "core/analysis/device/thread_conflicts.h"

namespace nestwright::analysis {

/// Whether it is known that each thread writes by `write` every element that it reads by `read`: the elements
/// of one thread lie alike from its first, which is the same for both, so that those of one thread tell those
/// of all; or both go through the same loops with the same index. Indices are scalars. Conditions of the
/// write on the thread must hold wherever the read is done.
bool writesWhatItReads(const ThreadAccess &read, const ThreadAccess &write, arith::Analyzer &analyzer);

/// Whether it is known that no element is touched by two threads, the axes of a block being `axes`: both
/// accesses have the same index, whose digits tell thread and loops.
bool onlyOneThreadTouchesEach(const ThreadAccess &a, const ThreadAccess &b, const arith::Domains &axes,
                              arith::Analyzer &analyzer);

} // namespace nestwright::analysis
