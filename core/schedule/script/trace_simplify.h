// SPDX-License-Identifier: Apache-2.0
/// Traces without lines that they do not need.
#pragma once

#include "core/schedule/script/reader.h"

namespace nestwright::schedule {

/// The steps without those that change nothing and whose results no later step uses. With `dropPostproc`,
/// everything from enter_postproc on goes too. As TVM's `Trace.simplified`.
std::vector<Step> simplifiedTrace(std::span<const ScriptStep> steps, bool dropPostproc);

} // namespace nestwright::schedule
