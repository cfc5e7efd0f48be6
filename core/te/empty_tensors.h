// SPDX-License-Identifier: Apache-2.0
/// Computes over tensors without elements.
#pragma once

#include "core/te/tensor.h"

namespace nestwright::te {

/// Whether a dimension is known to be 0.
bool isEmpty(const std::vector<Expr> &shape);

/// Takes reads of empty tensors out of the operation: a reduction over an axis of no elements becomes its
/// identity, an element that no loop reaches becomes 0.
void withoutEmptyReads(Operation &operation);

} // namespace nestwright::te
