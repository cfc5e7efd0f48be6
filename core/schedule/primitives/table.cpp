// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/primitives/declarations.h"

namespace nestwright::schedule {

std::span<const Primitive> primitives()
{
    static const std::vector<Primitive> table = [] {
        std::vector<Primitive> made;
        for (Primitive (*const make)() : {
                 &getBlockPrimitive,
                 &getLoopsPrimitive,
                 &getChildBlocksPrimitive,
                 &getProducersPrimitive,
                 &getConsumersPrimitive,
                 &getOutputBlocksPrimitive,
                 &splitPrimitive,
                 &fusePrimitive,
                 &tilePrimitive,
                 &reorderPrimitive,
                 &mergePrimitive,
                 &loopPartitionPrimitive,
                 &addUnitLoopPrimitive,
                 &parallelPrimitive,
                 &vectorizePrimitive,
                 &unrollPrimitive,
                 &bindPrimitive,
                 &annotatePrimitive,
                 &unannotatePrimitive,
                 &setScopePrimitive,
                 &storageAlignPrimitive,
                 &unsafeSetDtypePrimitive,
                 &annotateBufferAccessPrimitive,
                 &unsafeHideBufferAccessPrimitive,
                 &decomposeReductionPrimitive,
                 &rfactorPrimitive,
                 &computeAtPrimitive,
                 &reverseComputeAtPrimitive,
                 &computeInlinePrimitive,
                 &reverseComputeInlinePrimitive,
                 &fuseReductionEpiloguePrimitive,
                 &cacheReadPrimitive,
                 &cacheWritePrimitive,
                 &cacheInplacePrimitive,
                 &cacheIndexPrimitive,
                 &readAtPrimitive,
                 &writeAtPrimitive,
                 &reindexPrimitive,
                 &reindexCacheReadPrimitive,
                 &reindexCacheWritePrimitive,
                 &reorderBlockIterVarPrimitive,
                 &transformLayoutPrimitive,
                 &transformBlockLayoutPrimitive,
                 &blockizePrimitive,
                 &tensorizePrimitive,
                 &padEinsumPrimitive,
                 &decomposePaddingPrimitive,
                 &rollingBufferPrimitive,
                 &setAxisSeparatorPrimitive,
                 &sampleCategoricalPrimitive,
                 &samplePerfectTilePrimitive,
                 &samplePartitionedTilePrimitive,
                 &sampleComputeLocationPrimitive,
                 &enterPostprocPrimitive,
             })
            made.push_back(make());
        return made;
    }();
    return table;
}

} // namespace nestwright::schedule
