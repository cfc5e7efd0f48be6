// SPDX-License-Identifier: Apache-2.0
/// The rows of the table of operators on tensors, one function per file; `tensor_op.cpp` joins them.
#pragma once

#include "core/ops/table/tensor_op.h"

namespace nestwright::ops {

using TensorOps = std::vector<TensorOp>;

void addElementwise(TensorOps &table);
void addBroadcast(TensorOps &table);
void addCast(TensorOps &table);
void addNarrow(TensorOps &table);
void addReductions(TensorOps &table);
void addArgReductions(TensorOps &table);
void addAttention(TensorOps &table);
void addLinearAttention(TensorOps &table);
void addReshape(TensorOps &table);
void addTranspose(TensorOps &table);
void addConcatenate(TensorOps &table);
void addSlice(TensorOps &table);
void addPad(TensorOps &table);
void addTile(TensorOps &table);
void addGather(TensorOps &table);
void addFill(TensorOps &table);
void addCache(TensorOps &table);
void addCumulative(TensorOps &table);
void addMatmul(TensorOps &table);
void addConvolution(TensorOps &table);
void addLayout(TensorOps &table);
void addBlockedConvolution(TensorOps &table);
void addWinogradConvolution(TensorOps &table);
void addPool(TensorOps &table);
void addSoftmax(TensorOps &table);
void addNormalization(TensorOps &table);
void addResample(TensorOps &table);
void addGridSample(TensorOps &table);
void addDeformableConvolution(TensorOps &table);
void addRegionAlign(TensorOps &table);
void addRegionAlignAdaptive(TensorOps &table);
void addFold(TensorOps &table);
void addQuantize(TensorOps &table);
void addQuantizedMatmul(TensorOps &table);
void addScatter(TensorOps &table);
void addTopK(TensorOps &table);
void addSelection(TensorOps &table);
void addDeterminant(TensorOps &table);
void addEinsum(TensorOps &table);
void addTrees(TensorOps &table);
void addCoupling(TensorOps &table);

} // namespace nestwright::ops
