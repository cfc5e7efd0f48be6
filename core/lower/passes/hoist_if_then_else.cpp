// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"
#include "core/ir/purity.h"
#include "core/ir/rewriter.h"
#include "core/ir/walk.h"
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
        const auto *branch = loop ? loop->body.as<ir::IfThenElse>() : nullptr;
        if (!branch || branch->elseCase || !isSameInAllRounds(branch->condition, *loop))
            return changed;
        ir::For result = *loop;
        result.body = branch->thenCase;
        return ir::ifThenElse(branch->condition, ir::make(std::move(result)));
    }

private:
    /// Of a loop that is entered, since a condition may divide.
    static bool isSameInAllRounds(const ir::Expr &condition, const ir::For &loop)
    {
        const std::int64_t *count = ir::asInt(loop.extent);
        return count && *count > 0 && loop.forKind != ir::ForKind::ThreadBinding && ir::isPure(condition)
               && !ir::uses(condition, loop.var);
    }
};

} // namespace

ir::Module hoistIfThenElse(const ir::Module &module, const Target &)
{
    return ir::rewriteModule<Hoisting>(module);
}

} // namespace nestwright::lower
