// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/block_marker.h"
#include "core/ir/purity.h"
#include "core/lower/passes/declarations.h"

#include <utility>

namespace nestwright::lower {

namespace {

class Hoisting : public ir::Rewriter {
public:
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt changed = children(s); // inner loops first: a condition goes as far out as it may
        const auto *loop = changed.as<ir::For>();
        const ir::IfThenElse *branch = loop ? branchOf(loop->body) : nullptr;
        if (!branch || branch->elseCase || !isSameInAllRounds(branch->condition, *loop))
            return changed;
        ir::For result = *loop;
        result.body = withoutBranch(loop->body);
        return ir::ifThenElse(branch->condition, ir::make(std::move(result)));
    }

private:
    /// All that a body does, where that is a branch; marks of blocks around it do nothing.
    static const ir::IfThenElse *branchOf(const ir::Stmt &body)
    {
        const auto *mark = body.as<ir::AttrStmt>();
        return mark && ir::markedBlock(*mark) ? branchOf(mark->body) : body.as<ir::IfThenElse>();
    }

    static ir::Stmt withoutBranch(const ir::Stmt &body)
    {
        const auto *mark = body.as<ir::AttrStmt>();
        if (!mark)
            return body.as<ir::IfThenElse>()->thenCase;
        ir::AttrStmt result = *mark;
        result.body = withoutBranch(mark->body);
        return ir::make(std::move(result));
    }

    /// Whether the condition is the same in all iterations of a loop that runs at least once: a condition may
    /// divide, and must not be evaluated where the loop would not evaluate it.
    static bool isSameInAllRounds(const ir::Expr &condition, const ir::For &loop)
    {
        const std::int64_t *count = ir::asInt(loop.extent);
        return count && *count > 0 && loop.forKind != ir::ForKind::ThreadBinding && ir::isPure(condition)
               && !ir::uses(condition, loop.var);
    }
};

} // namespace

ir::Module hoistIfThenElse(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<Hoisting>(module);
}

} // namespace nestwright::lower
