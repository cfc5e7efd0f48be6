// SPDX-License-Identifier: Apache-2.0
/// Lowering of a graph's node to the function that computes it.
#pragma once

#include "core/graph/graph.h"

namespace nestwright::graph {

/// A module whose function "main" computes a node: its parameters are the node's operands (one read twice
/// comes twice), then its results. Errors: those of ops::moduleOf.
support::Result<ir::Module> kernelOf(const Function &function, const Node &node);

} // namespace nestwright::graph
