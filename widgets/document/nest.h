// SPDX-License-Identifier: GPL-3.0-or-later
/// A program's loops and blocks as the panes show them: an immutable picture, made off the UI thread.
#pragma once

#include "core/ir/threads.h"
#include "core/session/history/variant_tree.h"
#include "core/suggest/loop_nest.h"

#include <QString>

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nestwright::document {

using session::VariantId;
using support::StmtId;

enum class RowKind : std::uint8_t { Function, Loop, Block };

/// One loop or block (or a function, where the module has several).
struct NestRow {
    StmtId id;
    RowKind kind = RowKind::Loop;
    int parent = -1; ///< position in `Nest::rows`; -1 at the top
    int depth = 0;
    std::vector<int> children;
    QString name;  ///< of the loop's variable, the block or the function
    QString badge; ///< "parallel", "blockIdx.x", "block", "shared" (where a block writes), …; of a serial
                   ///< loop its annotation, "prefetch", or nothing
    std::optional<ir::ThreadRank> threads; ///< the level of a loop that is bound to an axis of threads
    QString extent;               ///< iterations of a loop; kinds of a block's iteration variables, "S S R"
    std::int64_t iterations = -1; ///< of a loop; -1 where it is symbolic
    double bytes = -1;            ///< of buffers that one run of the loop touches; -1 where it is not known
    int memoryLevel = 0; ///< the smallest cache that holds them: 1 … 3, 4 memory; 0 not known, or a device's
    int axis = -1;       ///< as in look/axis.h
    QString role;        ///< for people: "spatial", "reduction", "spatial and reduction"
    ir::ForKind run = ir::ForKind::Serial; ///< of a loop
    bool isReduction = false;              ///< the loop runs along axes of a reduction and no others
    QString origin; ///< "from split of i"; empty for loops and blocks of the program as it came
    QString tip;    ///< shown when pointing at it
};

struct Nest {
    suggest::LoopNest loops;
    std::vector<NestRow> rows; ///< in the order of the program
    std::vector<int> roots;
    std::unordered_map<StmtId, int> rowOf;
    bool hasThreads = false; ///< a loop is bound to an axis of threads: a program for a device
    script::Printed printed;
    script::Printed apart; ///< the same with each loop on a line of its own, none in T.grid

    /// Null where there is none of that id.
    const NestRow *row(StmtId id) const;
    /// `id` and the loops and blocks within it; empty where there is none of that id.
    std::vector<StmtId> within(StmtId id) const;
};
using NestPtr = std::shared_ptr<const Nest>;

/// Makes the picture of `state`. A few milliseconds; never call it on the UI thread.
NestPtr makeNest(const schedule::State &state);

/// "12.6 MB", "272 B"; empty where it is not known.
QString bytesText(double bytes);

} // namespace nestwright::document
