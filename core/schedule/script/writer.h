// SPDX-License-Identifier: Apache-2.0
/// Writing schedule scripts and trace JSON in TVM's form.
#pragma once

#include "core/schedule/apply.h"
#include "core/schedule/script/script_names.h"
#include "core/script/dialect.h"

#include <span>

namespace nestwright::schedule {

/// The script that takes `initial` through `steps`, as TVM's `Trace.as_python` writes it. Where a step names
/// a loop or block that no earlier line yields, `get_block` and `get_loops` lines are put before it. Fails as
/// the first step that does not apply.
Result<std::string> writeScheduleScript(const State &initial, std::span<const Step> steps,
                                        script::Dialect dialect = script::Dialect::Tvm023);

/// Lines that take `state` through `steps` behind a script that has given these names; none has an
/// indentation.
Result<std::string> writeScheduleLines(const State &state, std::span<const Step> steps,
                                       const ScriptNames &names,
                                       script::Dialect dialect = script::Dialect::Tvm023);

} // namespace nestwright::schedule
