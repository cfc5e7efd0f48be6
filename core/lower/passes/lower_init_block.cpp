// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/lower/passes/declarations.h"

namespace nestwright::lower {

namespace {

class InitLowering : public ir::Rewriter {
public:
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt changed = children(s);
        const auto *block = changed.as<ir::Block>();
        if (!block || !block->init)
            return changed;
        ir::Expr isStart = ir::boolImm(true);
        for (const ir::IterVar &iter : block->iterVars) {
            if (iter.kind == ir::IterKind::Reduce)
                isStart = ir::logicalAnd(isStart, ir::eq(iter.var, iter.domain.min));
        }
        ir::Block result = *block;
        const ir::Stmt init = ir::isTrue(isStart) ? block->init : ir::ifThenElse(isStart, block->init);
        result.body = ir::seq({init, block->body});
        result.init = {};
        return ir::make(std::move(result));
    }
};

} // namespace

ir::Module lowerInitBlock(const ir::Module &module, const target::Context &)
{
    return ir::rewriteModule<InitLowering>(module);
}

} // namespace nestwright::lower
