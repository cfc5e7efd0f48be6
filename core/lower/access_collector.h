// SPDX-License-Identifier: Apache-2.0
/// What a statement touches, as ThreadConflicts compares it.
#pragma once

#include "core/analysis/thread_conflicts.h"
#include "core/ir/walk.h"

namespace nestwright::lower {

/// Collects the accesses to each buffer, with the loops within the statement and the conditions around them.
/// Elements are counted row by row from the first one of the buffer; an index that depends on memory, or is a
/// vector, may be any. Variables that let binds are replaced by their values.
class AccessCollector : public ir::Visitor {
public:
    struct Accesses {
        std::vector<analysis::ThreadAccess> reads, writes;
        std::vector<ir::Expr> written; ///< the value of each of the writes
    };
    ir::BufferMap<Accesses> buffers;

    void stmt(const ir::Stmt &s) override;
    void expr(const ir::Expr &e) override;

private:
    void bind(const ir::Var &var, const ir::Expr &value);
    void under(const ir::Expr &condition, const ir::Stmt &body);
    void add(const ir::Buffer &buffer, const std::vector<ir::Expr> &indices, const ir::Expr &value);

    arith::Domains m_loops;
    ir::VarMap<ir::Expr> m_named;
    ir::Expr m_condition;
    support::StmtId m_place;
};

} // namespace nestwright::lower
