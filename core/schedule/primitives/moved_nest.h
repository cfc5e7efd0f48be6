// SPDX-License-Identifier: Apache-2.0
/// A block under loops of its own, below a loop of other blocks.
#pragma once

#include "core/arith/analyzer.h"
#include "core/schedule/edit.h"
#include "core/schedule/primitives/iter_domains.h"

namespace nestwright::schedule {

class MovedNest {
public:
    /// `around`: the loops around the place that it goes to. Loops of one iteration are made only where asked
    /// for.
    MovedNest(Edit &edit, const ir::Block &block, arith::Domains around, bool preserveUnitLoops);

    /// Adds the next variable of the block, and a loop over its domain.
    void add(const ir::IterVar &iter, const IterDomain &domain, arith::Analyzer &analyzer);

    /// The block runs only where the condition on its variables holds, too.
    void requireOfVariables(const ir::Expr &condition, arith::Analyzer &analyzer);

    /// The block runs only where the condition on the loops around it holds, too.
    void requireGuard(const ir::Expr &condition, arith::Analyzer &analyzer);

    /// The nest, when all variables are added.
    ir::Stmt finish(arith::Analyzer &analyzer);

    const ir::Block &block() const { return m_block; }
    bool runsEverywhere() const;

private:
    struct NewLoop {
        ir::Var var;
        ir::Expr extent;
    };

    void require(const ir::Expr &condition, arith::Analyzer &analyzer);

    Edit &m_edit;
    ir::Block m_block;
    arith::Domains m_domains; ///< of the loops around it
    bool m_preserveUnitLoops;
    std::vector<NewLoop> m_loops;
};

} // namespace nestwright::schedule
