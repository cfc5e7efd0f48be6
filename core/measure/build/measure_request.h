// SPDX-License-Identifier: Apache-2.0
/// Conversion of a job to the worker's request: the reference compiled, the arguments described.
#pragma once

#include "core/measure/build/kernel_builder.h"
#include "core/measure/job.h"

#include <cstdint>
#include <stop_token>

namespace nestwright::measure {

/// The request of a job without its candidates, for a worker that may use so much memory. Errors:
/// "measure.no-function", "measure.too-large", those of argumentsOf, argumentSets and lowerCustomIntrinsics,
/// and those of compiling the reference.
support::Result<MeasureRequest> requestOf(const MeasureJob &job, KernelBuilder &builder,
                                          std::uint64_t memoryBytes, const std::stop_token &stop);

/// The variants as tasks for the builder, in order.
std::vector<BuildTask> buildTasks(const MeasureJob &job, const std::string &function);

/// Whether the variant is the reference program itself, in the same arithmetic and by the same compiler.
bool isUnscheduled(const MeasureJob &job, std::size_t variant);

/// A key that differs between requests with different arguments.
std::string keyOf(const std::vector<ArgumentSet> &sets);

} // namespace nestwright::measure
