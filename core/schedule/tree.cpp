// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/tree.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/support/errors/errors.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

StmtId idOf(const ir::Stmt &s)
{
    if (const auto *loop = s.as<ir::For>())
        return loop->id;
    const auto *block = s.as<ir::Block>();
    return block ? block->id : StmtId{};
}

class Changer : public ir::Rewriter {
public:
    explicit Changer(const Changes &changes) : m_changes(changes) {}

    ir::Expr expr(const ir::Expr &e) override { return e; }
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt inside = children(s);
        const StmtId id = idOf(s);
        if (!id)
            return inside;
        const auto change = m_changes.find(id);
        if (change == m_changes.end())
            return inside;
        ir::Stmt changed = change->second(inside);
        return changed ? changed : ir::evaluate(0);
    }

private:
    const Changes &m_changes;
};

} // namespace

ir::Stmt rewriteAt(const ir::Stmt &root, const Changes &changes) { return Changer(changes).stmt(root); }

std::function<ir::Stmt(const ir::Stmt &)> editBlock(std::function<void(ir::Block &)> edit)
{
    return [edit = std::move(edit)](const ir::Stmt &s) {
        ir::Block copy = *s.as<ir::Block>();
        edit(copy);
        return ir::make(std::move(copy));
    };
}

std::function<ir::Stmt(const ir::Stmt &)> editLoop(std::function<void(ir::For &)> edit)
{
    return [edit = std::move(edit)](const ir::Stmt &s) {
        ir::For copy = *s.as<ir::For>();
        edit(copy);
        return ir::make(std::move(copy));
    };
}

std::vector<ir::Stmt> partsOf(const ir::Stmt &body)
{
    const auto *sequence = body.as<ir::Seq>();
    return sequence ? sequence->stmts : std::vector<ir::Stmt>{body};
}

const ir::For *onlyLoopIn(const ir::Stmt &body) { return body.as<ir::For>(); }

StmtId outermostSoleAncestor(const analysis::FunctionIndex &index, StmtId block)
{
    StmtId holder = block;
    for (StmtId parent = index.parent(block); parent; parent = index.parent(parent)) {
        const ir::Block *scope = index.block(parent);
        if (!index.bodyOf(parent).same(index.find(holder))) // a sequence keeps its other parts
            break;
        if (scope) {
            throw support::UserError(
                support::diagnostic("schedule.only-block", "block '" + index.block(block)->name
                                                               + "' is all that block '" + scope->name
                                                               + "' holds; taking it out would leave nothing")
                    .at(block)
                    .at(parent));
        }
        holder = parent;
    }
    return holder;
}

bool containsStmt(const ir::Stmt &root, StmtId id)
{
    bool found = false;
    ir::forEachStmt(root, [&](const ir::Stmt &s) {
        found = found || idOf(s) == id;
        return !found;
    });
    return found;
}

bool containsAnyStmt(const ir::Stmt &root, const std::vector<StmtId> &ids)
{
    return std::ranges::any_of(ids, [&](StmtId id) { return containsStmt(root, id); });
}

} // namespace nestwright::schedule
