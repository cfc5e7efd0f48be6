// SPDX-License-Identifier: Apache-2.0
/// Computes nodes ahead, where all that they read is known.
#pragma once

#include "core/graph/graph.h"
#include "core/support/errors/result.h"

#include <cstdint>
#include <vector>

namespace nestwright::graph {

/// Results of a node for constant inputs, by the interpreter with `steps` of it; large operators that work
/// element by element use all cores, each with so many steps. Null entries never occur. Errors: those of
/// interp::run.
support::Result<std::vector<Data>> evaluate(const Function &function, const Node &node,
                                            const std::vector<Data> &inputs, std::int64_t steps);

} // namespace nestwright::graph
