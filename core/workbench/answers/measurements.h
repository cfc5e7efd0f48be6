// SPDX-License-Identifier: Apache-2.0
/// Measured variants of a kernel: `nestc measure`.
#pragma once

#include "core/measure/measurement.h"
#include "core/support/text/json_fwd.h"

#include <string>
#include <vector>

namespace nestwright::workbench {

/// {"module", "target", "variants": [measure::toJson with "name", "gflops" and, where events were counted,
/// "counters": {"derived": {name: value}}, too]}. `names`: of the results, in their order.
support::Json toJson(const std::string &module, const std::string &target,
                     const std::vector<std::string> &names, const std::vector<measure::Measurement> &results);

} // namespace nestwright::workbench
