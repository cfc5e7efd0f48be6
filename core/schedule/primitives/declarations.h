// SPDX-License-Identifier: Apache-2.0
/// One function per primitive; the table in table.cpp lists them.
#pragma once

#include "core/schedule/primitive.h"

namespace nestwright::schedule {

Primitive getBlockPrimitive();
Primitive getLoopsPrimitive();
Primitive getChildBlocksPrimitive();
Primitive getProducersPrimitive();
Primitive getConsumersPrimitive();
Primitive getOutputBlocksPrimitive();

Primitive splitPrimitive();
Primitive fusePrimitive();
Primitive tilePrimitive();
Primitive mergePrimitive();
Primitive loopPartitionPrimitive();
Primitive reorderPrimitive();
Primitive parallelPrimitive();
Primitive vectorizePrimitive();
Primitive unrollPrimitive();
Primitive bindPrimitive();
Primitive annotatePrimitive();
Primitive unannotatePrimitive();
Primitive decomposeReductionPrimitive();
Primitive computeAtPrimitive();
Primitive reverseComputeAtPrimitive();
Primitive computeInlinePrimitive();
Primitive reverseComputeInlinePrimitive();
Primitive cacheReadPrimitive();
Primitive cacheWritePrimitive();
Primitive addUnitLoopPrimitive();
Primitive setScopePrimitive();
Primitive storageAlignPrimitive();
Primitive reorderBlockIterVarPrimitive();
Primitive rfactorPrimitive();
Primitive transformLayoutPrimitive();
Primitive setAxisSeparatorPrimitive();
Primitive transformBlockLayoutPrimitive();
Primitive fuseReductionEpiloguePrimitive();
Primitive blockizePrimitive();
Primitive tensorizePrimitive();
Primitive padEinsumPrimitive();
Primitive decomposePaddingPrimitive();
Primitive rollingBufferPrimitive();
Primitive cacheInplacePrimitive();
Primitive readAtPrimitive();
Primitive writeAtPrimitive();
Primitive cacheIndexPrimitive();
Primitive reindexPrimitive();
Primitive reindexCacheReadPrimitive();
Primitive reindexCacheWritePrimitive();
Primitive unsafeSetDtypePrimitive();
Primitive annotateBufferAccessPrimitive();
Primitive unsafeHideBufferAccessPrimitive();

Primitive sampleCategoricalPrimitive();
Primitive samplePerfectTilePrimitive();
Primitive samplePartitionedTilePrimitive();
Primitive sampleComputeLocationPrimitive();
Primitive enterPostprocPrimitive();

} // namespace nestwright::schedule
