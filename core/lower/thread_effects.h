// SPDX-License-Identifier: Apache-2.0
/// Effects of statements within kernels, as far as it matters which threads have them.
#pragma once

#include "core/ir/node/stmt.h"
#include "core/ir/threads.h"

namespace nestwright::lower {

/// Whether the loop runs over threads or blocks that there are; virtual ones are code.
bool isReal(const ir::For &loop);

/// Effects of a statement: those that only one thread should have, and those of each thread for itself.
struct Effects {
    bool onOwn = false;    ///< stores to memory of the thread
    bool onWarp = false;   ///< to memory of a row of threads
    bool onBlock = false;  ///< to memory of the block
    bool onDevice = false; ///< to any other, or calls what may
    bool holdsThreads = false, holdsBarriers = false;

    bool none() const { return !onOwn && !onWarp && !onBlock && !onDevice; }
    bool isMixed() const { return onOwn + onWarp + onBlock + onDevice > 1; }
    /// Whether the threads along an axis share what is stored to.
    bool areShared(const ir::ThreadAxis &along) const
    {
        if (along.rank != ir::ThreadRank::Thread)
            return onDevice;
        return !onOwn && (!onWarp || along.dimension == 0);
    }
};

Effects effectsOf(const ir::Stmt &s);

/// Whether the memory is met, as that of a buffer or as a pointer.
bool touches(const ir::Stmt &s, const ir::Var &memory, bool outsideOfKernels = false);

/// Whether it hangs on `var`, on the way down to `inner`, whether or how often that runs.
bool hangsOn(const ir::Stmt &s, const ir::Var &var, const ir::For &inner);

} // namespace nestwright::lower
