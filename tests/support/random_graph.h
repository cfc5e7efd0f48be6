// SPDX-License-Identifier: Apache-2.0
/// Random small graphs over the operators of models, for tests that compare executors.
#pragma once

#include "core/graph/graph.h"
#include "tests/support/random.h"

namespace nestwright::tests {

/// About `size` calls: convolutions, pools, products, elementwise operators with broadcasting, reductions,
/// moves of elements, softmax, layer norm and attention; of floats, integers and booleans; with one output or
/// several. Values stay moderate, and what is discontinuous is asked only of values that every way of
/// computing gives exactly, so that results can be compared. `mayBeEmpty`: dimensions may be 0.
graph::Function randomGraph(Random &random, int size, bool mayBeEmpty = false);

} // namespace nestwright::tests
