// SPDX-License-Identifier: Apache-2.0
/// Branches of variants from schedules that ran.
#pragma once

#include "core/session/session.h"

namespace nestwright::session {

/// The steps of a run on the unscheduled program become variants below the root, the last of them the current
/// one; it. Those that are there already are reused.
VariantId addBranch(Session &session, const schedule::ScriptRun &run);

} // namespace nestwright::session
