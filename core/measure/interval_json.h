// SPDX-License-Identifier: Apache-2.0
/// Times and ratios as JSON, as the program's answers and files have them.
#pragma once

#include "core/measure/measurement.h"
#include "core/support/text/json_fwd.h"

namespace nestwright::measure {

/// {"low", "median", "high"}
support::Json toJson(const Interval &interval);

/// {"median", "low", "high", "significant"}
support::Json toJson(const Speedup &speedup);

} // namespace nestwright::measure
