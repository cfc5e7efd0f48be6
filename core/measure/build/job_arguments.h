// SPDX-License-Identifier: Apache-2.0
/// The arguments of a kernel for measuring.
#pragma once

#include "core/measure/job.h"
#include "core/measure/worker/worker_protocol.h"

namespace nestwright::measure {

struct JobArguments {
    std::map<std::string, std::int64_t> sizes; ///< every symbolic size
    std::vector<BufferSpec> buffers;           ///< `file` is left empty
    std::vector<std::string> names;            ///< of the buffers
    std::vector<std::int64_t> scalars;
};

/// Errors: "measure.shape" (a dimension that is computed from other sizes), "measure.input".
support::Result<JobArguments> argumentsOf(const ir::PrimFunc &function, const MeasureJob &job);

/// Terms of the longest sum of the function: the most values that one reduction block takes together for an
/// element.
std::int64_t longestReduction(const ir::PrimFunc &function, const std::map<std::string, std::int64_t> &sizes);

/// "measure.too-large": the function would never end.
support::Diagnostic beyondCounting(const std::string &function);

} // namespace nestwright::measure
