// SPDX-License-Identifier: Apache-2.0
/// Structural equality of graphs.
#pragma once

#include "core/graph/graph.h"

namespace nestwright::graph {

/// The same elements in the same shape, bit by bit; or no data on either side.
bool sameData(const Data &a, const Data &b);

/// Numbers are compared by their bits: NaN equals NaN.
bool sameAttributes(const ops::Attributes &a, const ops::Attributes &b);

/// Ids and names of functions and nodes do not count; the order of nodes, their operators, attributes, types,
/// data and edges, and the names of inputs and outputs do.
bool structurallyEqual(const Function &a, const Function &b);

} // namespace nestwright::graph
