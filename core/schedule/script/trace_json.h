// SPDX-License-Identifier: Apache-2.0
/// Traces as JSON in TVM's layout: `[[[kind, inputs, attributes, outputs], …], [[index, decision], …]]`.
#pragma once

#include "core/schedule/script/reader.h"
#include "core/schedule/script/writer.h"

namespace nestwright::schedule {

/// The same steps as `writeScheduleScript`, in JSON.
Result<std::string> writeTraceJson(const State &initial, std::span<const Step> steps,
                                   script::Dialect dialect = script::Dialect::Tvm023);

/// Runs a trace on `initial`.
Result<ScriptRun> runTraceJson(const State &initial, std::string_view text, const std::string &fileName);

} // namespace nestwright::schedule
