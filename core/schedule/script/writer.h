// SPDX-License-Identifier: Apache-2.0
/// Writing schedule scripts and trace JSON in TVM's form.
#pragma once

#include "core/schedule/apply.h"
#include "core/schedule/script/script_names.h"
#include "core/schedule/script/trace_plan.h"
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
/// Whether scripts leave this value of the field out.
bool isLeftOut(const Field &field, const ArgValue &value);
/// The value as scripts write it, with the names of loops, blocks and sampled numbers.
std::string valueText(const Field &field, const ArgValue &value, const Names &names);
/// The same with the field's name, unless scripts write it without.
std::string argumentText(const Field &field, const ArgValue &value, const Names &names);

} // namespace nestwright::schedule
