// SPDX-License-Identifier: Apache-2.0
/// Steps as JSON, by the field names of their primitive; loops and blocks by id, which replay reproduces.
#pragma once

#include "core/schedule/step.h"
#include "core/support/text/json_fwd.h"

namespace nestwright::session {

/// {"primitive": "split", "args": {"loop": {"id": 3}, "factors": [null, 4], …}}
support::Json toJson(const schedule::Step &step);
/// Fails with "session.step" on an unknown primitive or a value of no known form. Fields that are missing
/// take their defaults, so that files of earlier releases still open.
support::Result<schedule::Step> stepFromJson(const support::Json &value);

} // namespace nestwright::session
