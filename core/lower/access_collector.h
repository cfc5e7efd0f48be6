// SPDX-License-Identifier: Apache-2.0
/// Accesses of a statement, as ThreadConflicts compares them.
#pragma once

#include "core/analysis/device/thread_conflicts.h"
#include "core/ir/build/walk.h"

namespace nestwright::lower {

/// Collects the accesses to each buffer, with the loops within the statement and the conditions around them,
/// those of if_then_else too. Elements are counted row by row from the first one of the buffer, by long
/// enough rows where their length is not known; an index that depends on memory, or is a vector, may be any.
/// Variables that let binds are replaced by their values.
class AccessCollector : public ir::Visitor {
public:
    struct Accesses {
        std::vector<analysis::ThreadAccess> reads, writes;
        /// The value of each of the writes; where it has an index of the element that is written, there
        /// stands a variable of its own: what is left tells how values for one element may differ.
        std::vector<ir::Expr> written;
        std::vector<bool> updates; ///< of the writes: the value comes from the element that is written
    };
    ir::BufferMap<Accesses> buffers;

    void stmt(const ir::Stmt &s) override;
    void expr(const ir::Expr &e) override;

private:
    void bind(const ir::Var &var, const ir::Expr &value);
    template <class Visit> void under(const ir::Expr &condition, const Visit &visit);
    bool comesFrom(const ir::Expr &value, const ir::Buffer &buffer,
                   const std::vector<ir::Expr> &indices) const;
    ir::Expr ofElement(const ir::Expr &value, const std::vector<ir::Expr> &indices) const;
    void add(const ir::Buffer &buffer, const std::vector<ir::Expr> &indices, const ir::Expr &value);

    arith::Domains m_loops;
    ir::VarMap<ir::Expr> m_named;
    ir::Expr m_condition;
    std::vector<analysis::DataCondition> m_onData;
    int m_branches = 0; ///< that depend on data, so far
    support::StmtId m_place;
};

} // namespace nestwright::lower
