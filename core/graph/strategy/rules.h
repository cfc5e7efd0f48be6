// SPDX-License-Identifier: Apache-2.0
/// The rules of the default schedule.
#pragma once

#include "core/graph/strategy/scheduler.h"

namespace nestwright::graph {

/// Inlines stages that are cheap to compute where they are read, and stages behind others into their last
/// one.
void inlineStages(Scheduler &scheduler);

/// Whether the block reduces.
bool isReduction(const Scheduler &scheduler, StmtId block);
/// Whether the block stands in a loop together with another block.
bool isPlaced(const Scheduler &scheduler, StmtId block);

/// Computes the stages within the loop, those that are read last first. False where one cannot be; some are
/// placed then.
bool computeAt(Scheduler &scheduler, const std::vector<StmtId> &stages, StmtId loop);

/// Rounds up the sizes of a sum of products that divide badly, with copies of its operands. False, and
/// nothing changed, where that gains nothing or is not legal.
bool padContraction(Scheduler &scheduler, StmtId block);
/// A reduction whose tile of results stays in registers. False (the schedule is then to be restored) where
/// the block has no spatial loop to put into vectors. `depth`: loops around the block that stay as they are;
/// where there are some, none runs in parallel.
bool tileReduction(Scheduler &scheduler, StmtId block, std::size_t depth = 0);
/// A sum of products of many terms, some of them for all tiles before further ones. False, and
/// nothing changed, where it is none, or has too few terms.
bool sumInChunks(Scheduler &scheduler, StmtId block);
/// A sum over windows, and the stage that pads for it: some rows of results at a time. False, and nothing
/// changed, where it is none, or of many terms whose padding differs between the lanes of a vector.
bool nestWindow(Scheduler &scheduler, StmtId block);
/// A sum over an image of whose rows no good tile is a part: row by row, the last tile of each smaller.
/// False, and nothing changed, where others are as good.
bool nestUnevenRows(Scheduler &scheduler, StmtId block);
/// A sum of panels whose only reader is a sum as well (weights with scales for each block of rows): computed
/// for one of the reader's terms at a time, tile by tile. False, and nothing changed, where it is none.
bool nestSum(Scheduler &scheduler, StmtId block);
/// Whether the block reduces terms that lie side by side in memory, each of one row: no sum of products of
/// rows and columns.
bool reducesRows(const Scheduler &scheduler, StmtId block);
/// Lets the reduction loops of such a block, short ones fused, be computed in any order: several terms of a
/// row at a time.
void reduceInVectors(Scheduler &scheduler, StmtId block);
/// The same with rows in parallel.
void parallelizeRows(Scheduler &scheduler, StmtId block);
/// All stages of a function that reduces rows only, row by row. False, and nothing changed, where it has
/// other stages.
bool nestRowReductions(Scheduler &scheduler);
/// Runs the outer spatial loops of a reduction in parallel, nothing else.
void parallelizeReduction(Scheduler &scheduler, StmtId block);
/// A stage without reduction that reads across the rows of an array: in tiles. False, and nothing changed,
/// where it does not, or its sizes have no whole tiles.
bool tileTransposed(Scheduler &scheduler, StmtId block);
/// A stage without reduction: innermost loop in vectors, outer loops in parallel.
void parallelizeStage(Scheduler &scheduler, StmtId block);
/// Puts the innermost loop of a stage without reduction into vectors, with `depth` loops around the block
/// that stay as they are. Gives the loop over vectors, where there is one.
std::optional<StmtId> vectorizeStage(Scheduler &scheduler, StmtId block, std::size_t depth);

/// Lets the stores within the loop bypass the caches where no cache could keep the block's result.
void streamResult(Scheduler &scheduler, StmtId block, StmtId loop);
/// Lets the loop prefetch the next row, of so many elements, where a block that reads row after row reads
/// more than the second cache holds.
void fetchNextRow(Scheduler &scheduler, StmtId block, StmtId loop, std::int64_t elements);
/// Lets the loop over terms prefetch the columns of a sum of products (weights) where these exceed the second
/// cache: the model's other weights were read since, so that no cache holds them.
void fetchColumns(Scheduler &scheduler, StmtId block, StmtId loop);
/// Lets the loop of a sum prefetch its terms where these exceed the third cache.
void fetchTerms(Scheduler &scheduler, StmtId block, StmtId loop);

/// A convolution by minimal filtering: its transforms and products, some rows of tiles at a time. Gives its
/// blocks; none, and nothing changed, where the function has none.
std::vector<StmtId> nestWinograd(Scheduler &scheduler);

/// A sum of products whose terms come from another one, through stages row by row (attention): all of them
/// block of rows by block of rows, so that what lies between stays in the cache. False, and nothing changed,
/// where the function is none.
bool nestRows(Scheduler &scheduler);

} // namespace nestwright::graph
