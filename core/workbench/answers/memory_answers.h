// SPDX-License-Identifier: Apache-2.0
/// Caches and layouts of a program: `nestc cache`, `nestc layout`.
#pragma once

#include "core/explore/trace/buffer_layouts.h"
#include "core/explore/trace/cache_counts.h"
#include "core/support/text/json_fwd.h"

#include <vector>

namespace nestwright::workbench {

/// {"caches": [{"name", "bytes", "ways", "line"}], "buffers": [{"name", "address", "bytes"}], "accesses":
/// [COUNTS with "statement", "buffer" and "kind": "read" or "write"], "total": COUNTS, "whole"}; COUNTS are
/// {"accesses", "hits": of the first level, "misses": [of each level]}. "whole": the run was counted to its
/// end.
support::Json toJson(const explore::CacheCounts &counts, const std::vector<target::MemoryLevel> &levels);

/// [{"step", "buffer", "before": GRID, "after": GRID}]; a GRID is {"shape", "offsets": [rows of columns]}.
support::Json toJson(const std::vector<explore::LayoutChange> &changes);

} // namespace nestwright::workbench
