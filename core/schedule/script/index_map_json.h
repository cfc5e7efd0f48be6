// SPDX-License-Identifier: Apache-2.0
/// Index maps as traces keep them: a graph of nodes that refer to each other by position, in a text of its
/// own.
#pragma once

#include "core/schedule/value.h"
#include "core/script/dialect.h"

#include <functional>
#include <string_view>

namespace nestwright::schedule {

/// The text for `map`, whose sampled numbers have their names already; empty for a map that calls functions.
std::string writeIndexMapJson(const IndexMap &map, script::Dialect dialect);

/// Whether `text` is such a graph, and not a lambda.
bool isIndexMapJson(std::string_view text);

/// The map that the text holds, as any version of TVM writes it; `isRanges` as of IndexMap. `find` gives the
/// sampled number of a name, or null. Error: "schedule.trace".
Result<IndexMap> readIndexMapJson(std::string_view text, bool isRanges,
                                  const std::function<const ArgValue *(const std::string &)> &find);

} // namespace nestwright::schedule
