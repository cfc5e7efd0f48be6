// SPDX-License-Identifier: Apache-2.0
/// Whether threads of a block touch the same element of a memory that they share.
#pragma once

#include "core/arith/int_set.h"
#include "core/support/stmt_id.h"

#include <memory>
#include <optional>
#include <vector>

namespace nestwright::analysis {

/// A condition that is read from memory, as the branch under it finds it.
struct DataCondition {
    ir::Expr condition;
    int branch = 0; ///< numbers branches
};

/// An access to a flat memory, as each thread of a block does it.
struct ThreadAccess {
    ir::Var memory;
    bool isWrite = false;
    ir::Expr index;                      ///< may be a ramp; null: anything of the memory
    arith::Domains loops;                ///< variables of the index that may have any value in their range
    ir::Expr condition;                  ///< under which the access is done; null: always
    support::StmtId place;               ///< the loop or block that it is in
    std::vector<DataCondition> onData{}; ///< further conditions, which may hold or not
};

/// The same access where variables have these values.
ThreadAccess substitute(const ThreadAccess &access, const ir::VarMap<ir::Expr> &values);

/// Answers for the threads of one block, whose axes are `axes`. Variables that are neither axes nor among the
/// loops of an access have one value for both accesses.
///
/// Exact where the indices are integer arithmetic on axes and loops of known extent, with no more than a
/// million combinations for each access, plus the same term of other variables, which may also stand under
/// quotients where they have few values: then all combinations are compared; loops that only conditions
/// depend on are tried apart (element_filter.h). Else a conflict is assumed unless the analyzer or the form
/// of the indices (thread_forms.h) disproves it.
class ThreadConflicts {
public:
    ThreadConflicts(arith::Domains axes, arith::Analyzer &analyzer);

    /// Whether two different threads may touch one element, one of them writing it.
    bool conflict(const ThreadAccess &a, const ThreadAccess &b);

    /// Whether it is known that two different threads do the access to one element. Conditions on data are
    /// taken to hold for all threads, or, where they say that a number of the thread is one that is read, for
    /// those of that number.
    bool isKnownToMeetItself(const ThreadAccess &access);

    /// Whether it is known that two different threads write one element, in one turn of the loops of the
    /// access, and take what they write from different places or numbers of theirs.
    bool isKnownToWriteDifferently(const ThreadAccess &write, const ir::Expr &value);

    /// Whether a thread may read an element that it does not surely write itself, though another one does: of
    /// memory that each thread has for its own, of as many elements where that is known. Where it is not
    /// known which elements it reads or others write, any is assumed.
    bool readsOthers(const ThreadAccess &read, const std::vector<ThreadAccess> &writes,
                     std::optional<std::int64_t> elements = std::nullopt);
    /// The same where it is known which elements are read and written; nothing where it is not. A write under
    /// a condition on data is sure where the read is in the same branch.
    std::optional<bool> knownToReadOthers(const ThreadAccess &read, const std::vector<ThreadAccess> &writes);
    /// Whether some thread surely writes every element that is read.
    bool isWritten(const ThreadAccess &read, const std::vector<ThreadAccess> &writes);

private:
    struct Elements;
    struct Written;
    struct Offset;
    /// An access, and its elements once they are known.
    struct Tried {
        ThreadAccess access;
        std::shared_ptr<const Elements> elements;
    };

    ThreadAccess apart(const ThreadAccess &access, const arith::Domains &others) const;
    bool provablyDiffer(const ThreadAccess &a, const ThreadAccess &b);
    bool meet(Tried a, Tried b, std::int64_t times);
    std::optional<arith::VarRange> fewestValues(const Tried &a, const Tried &b);
    std::optional<bool> countedToReadOthers(const ThreadAccess &read,
                                            const std::vector<ThreadAccess> &writes);
    std::optional<std::vector<std::int64_t>> threadsOf(const ThreadAccess &access);
    /// Whether each thread that reads surely writes all elements that some thread writes.
    bool readersWriteEach(const ThreadAccess &read, const std::vector<ThreadAccess> &writes,
                          std::optional<std::int64_t> elements);
    std::optional<std::vector<Written>> writtenFrom(const Elements &elementsRead, const ThreadAccess &read,
                                                    const std::vector<ThreadAccess> &writes);
    ThreadAccess withChosen(ThreadAccess access);
    Offset offsetOf(const ThreadAccess &access);
    std::optional<Elements> elementsOf(const ThreadAccess &access);
    std::optional<std::vector<std::int64_t>> distances(const ir::Expr &a, const ir::Expr &b);

    arith::Domains m_axes;
    arith::Analyzer &m_analyzer;
};

} // namespace nestwright::analysis
