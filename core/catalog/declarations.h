// SPDX-License-Identifier: Apache-2.0
/// One declaration per operator; the table is in operator.cpp.
#pragma once

#include "core/catalog/preset.h"

namespace nestwright::catalog {

extern const Operator matmulOperator;
extern const Operator matmulReluOperator;
extern const Operator addReluOperator;
extern const Operator sigmoidOperator;
extern const Operator rowSumOperator;
extern const Operator conv2dOperator;
extern const Operator softmaxOperator;
extern const Operator elementwiseChainOperator;

} // namespace nestwright::catalog
