// SPDX-License-Identifier: Apache-2.0
/// Code for 32-bit indices put where indices have 64 bits.
#pragma once

#include "core/ir/build/rewriter.h"

namespace nestwright::schedule {

/// Widens the integers of shapes, strides, offsets, loops, blocks' variables and indices to 64 bits; other
/// values keep their types, and operators match their operands anew.
class IndexWidener : public ir::Rewriter {
public:
    ir::Expr expr(const ir::Expr &e) override;
    ir::Stmt stmt(const ir::Stmt &s) override;
    ir::Buffer buffer(const ir::Buffer &b) override;

private:
    ir::Expr index(const ir::Expr &e);
    void indices(std::vector<ir::Expr> &list);
    void region(ir::BufferRegion &touched);
    ir::Range domain(const ir::Range &range);
    ir::Var wide(const ir::Var &var);
    ir::Stmt block(const ir::Block &block);

    ir::VarMap<ir::Var> m_vars;
    ir::BufferMap<ir::Buffer> m_buffers;
    bool m_isIndex = false;
};

} // namespace nestwright::schedule
