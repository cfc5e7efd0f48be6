// SPDX-License-Identifier: Apache-2.0
/// The passes of the pipeline, one file each. Every one is a function of a module; the table is in
/// pipeline.cpp.
#pragma once

#include "core/ir/node/function.h"
#include "core/target/context.h"

namespace nestwright::lower {

/// A reduction over threads becomes one of each thread, one of all threads together, and one store.
ir::Module lowerCrossThreadReduction(const ir::Module &module, const target::Context &context);
/// Stores of values that T.undef leaves open go.
ir::Module removeUndef(const ir::Module &module, const target::Context &context);
/// T.break_loop and T.continue_loop become flags, under which what follows them runs. Throws
/// support::UserError "lower.unsupported" where a loop is left whose iterations run side by side.
ir::Module lowerJumps(const ir::Module &module, const target::Context &context);
/// `init` becomes a statement of the body, under "all reduction variables are at their start".
ir::Module lowerInitBlock(const ir::Module &module, const target::Context &context);
/// Blocks become their bodies, marked with ir::blockMarker: values for iteration variables, predicates as
/// branches, aliases resolved, and allocations in the innermost loop that holds all uses.
ir::Module lowerBlocks(const ir::Module &module, const target::Context &context);
/// The loops over blocks and threads of a kernel become one nest around it; what stands outside of some of
/// them is done by one thread.
ir::Module unifyThreadBinding(const ir::Module &module, const target::Context &context);
/// Allocations shrink to the part of the buffer that is touched while they live.
ir::Module compactBufferAllocation(const ir::Module &module, const target::Context &context);
/// Every buffer becomes one-dimensional; parameters get a flat view of their memory.
ir::Module flattenBuffer(const ir::Module &module, const target::Context &context);
/// Virtual threads become loops around the statements that differ between them; memory that they fill
/// differently gets a part for each.
ir::Module injectVirtualThread(const ir::Module &module, const target::Context &context);
/// Memory that is to be double buffered gets two halves: each round of the loop that fills and reads it fills
/// one for the next round and reads the other.
ir::Module injectDoubleBuffer(const ir::Module &module, const target::Context &context);
/// Reductions of all threads become exchanges between the lanes of warps, where the target has them, or trees
/// in shared memory.
ir::Module lowerThreadAllreduce(const ir::Module &module, const target::Context &context);
/// Simplifies every expression under the ranges of the loops and the conditions around it; drops branches
/// never taken.
ir::Module simplifyAll(const ir::Module &module, const target::Context &context);
/// Memory whose lifetimes do not meet becomes one.
ir::Module storageRewrite(const ir::Module &module, const target::Context &context);
/// Neighbouring parallel loops become one where each iteration needs of the first one's results only its own.
ir::Module fuseParallelLoops(const ir::Module &module, const target::Context &context);
/// Cuts loops at the point where a condition in them changes, so that the main part tests nothing.
ir::Module loopPartition(const ir::Module &module, const target::Context &context);
/// Tiles that a loop accumulates into and whose rows would evict each other from the cache are worked on in a
/// compact copy.
ir::Module stageTiles(const ir::Module &module, const target::Context &context);
/// Memory of warps becomes registers of their lanes, which others ask for by shuffles, or shared memory where
/// the target has none or an access does not fit them.
ir::Module lowerWarpMemory(const ir::Module &module, const target::Context &context);
/// A condition that is the same in all rounds of a loop stands around the loop.
ir::Module hoistIfThenElse(const ir::Module &module, const target::Context &context);
/// Vectorized loops become vector statements, or serial loops where a statement has no vector form.
ir::Module vectorizeLoop(const ir::Module &module, const target::Context &context);
/// Unrolled loops of few iterations become copies of their bodies.
ir::Module unrollLoop(const ir::Module &module, const target::Context &context);
/// Costly expressions that occur twice become variables.
ir::Module commonSubexprElim(const ir::Module &module, const target::Context &context);
/// Indices of 64 bits that fit into 32 are computed in 32.
ir::Module narrowDataType(const ir::Module &module, const target::Context &context);
/// Drops loops and branches that do nothing, and loops of one iteration.
ir::Module removeNoOp(const ir::Module &module, const target::Context &context);
/// Threads of a block wait for each other where one needs what another stores.
ir::Module threadSync(const ir::Module &module, const target::Context &context);
/// Parts that a device runs become functions of their own, which the host launches.
ir::Module splitHostDevice(const ir::Module &module, const target::Context &context);
/// Refuses kernels with more threads, blocks or shared memory than a device of the target has:
/// "lower.device-limit".
ir::Module verifyGpuCode(const ir::Module &module, const target::Context &context);

} // namespace nestwright::lower
