// SPDX-License-Identifier: Apache-2.0
/// Elements of threads, counted: for the parts of ThreadConflicts.
#pragma once

#include "core/analysis/device/thread_conflicts.h"

#include <unordered_map>

namespace nestwright::analysis {

/// Whether an index depends on variables only, not on what is in memory.
bool isArithmetic(const ir::Expr &index);

/// A ramp as its first lane and a loop over the lanes; nothing where the index has another form.
std::optional<ThreadAccess> scalar(const ThreadAccess &access);

/// Threads that touch each element.
struct ThreadConflicts::Elements {
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> byOffset; ///< from `first`; threads ascend
    ir::Expr first; ///< the index where all axes and loops are at their start

    void add(std::int64_t offset, std::int64_t thread)
    {
        std::vector<std::int64_t> &threads = byOffset[offset];
        if (threads.empty() || threads.back() < thread)
            threads.push_back(thread);
    }

    const std::vector<std::int64_t> &at(std::int64_t offset) const
    {
        static const std::vector<std::int64_t> none;
        const auto found = byOffset.find(offset);
        return found == byOffset.end() ? none : found->second;
    }

    bool meets(const Elements &b, std::int64_t distance) const
    {
        return std::ranges::any_of(b.byOffset, [&](const auto &entry) {
            const std::vector<std::int64_t> &mine = at(entry.first + distance), &theirs = entry.second;
            return !mine.empty() && (mine.size() > 1 || theirs.size() > 1 || mine != theirs);
        });
    }
};

/// An access from where all axes and loops that its index depends on are at their start.
struct ThreadConflicts::Offset {
    arith::Domains domains;           ///< of the axes and those loops
    arith::Domains rounds;            ///< of the loops that only conditions depend on
    std::vector<ir::Expr> conditions; ///< that are pure
    ir::Expr first, offset;
};

} // namespace nestwright::analysis
