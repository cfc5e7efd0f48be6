// SPDX-License-Identifier: Apache-2.0
/// Judgements on the steps of a schedule: `nestc ablate`, `nestc bisect`, `nestc verify --seal`.
#pragma once

#include "core/explore/judge/ablation.h"
#include "core/explore/judge/seal_path.h"
#include "core/explore/judge/step_search.h"
#include "core/explore/judge/wrong_pass.h"
#include "core/support/text/json_fwd.h"
#include "core/workbench/opening/opener.h"

#include <string>

namespace nestwright::workbench {

/// {"mode": "added" or "removed", "steps": [{"step": from 1, "label", "line", "others": [steps], "same",
/// "without": INTERVAL, "with": INTERVAL, "gain": INTERVAL, "significant", "failure"}], "flops", "measured",
/// "disturbed", "unscheduled": INTERVAL, "scheduled": INTERVAL}; an INTERVAL is {"low", "median", "high"}.
/// Intervals, "significant" and "failure" are there where they are known.
support::Json toJson(const WrittenPath &written, const explore::Ablation &ablation);

/// {"found": true, "sentence", "detail", "steps": [{"step": from 1, "label", "line"}], "of", "judgements",
/// "confirmed", "monotone", "unknown", "notes"}; "smallest": {"steps", "minimal", "judgements", "script"}
/// where it was looked for.
support::Json toJson(const WrittenPath &written, const explore::FoundStep &found, const std::string &script);

/// {"found": true, "sentence", "detail", "pass": its name, "place": from 1, "judgements", "monotone"}
support::Json toJson(const explore::WrongPass &wrong, const std::string &pass, const std::string &sentence);

/// {"found": false, "sentence"}
support::Json nothingFound(const std::string &sentence);

/// {"outcome": "sealed", "differs" or "does not apply", "claim", "draws", "seconds"}; "reason": {"code",
/// "message"} where it is not sealed, "sizes", "lost" and "step": {"number": from 1, "sentence"} where there
/// are some.
support::Json toJson(const explore::SealedPath &sealed);

} // namespace nestwright::workbench
