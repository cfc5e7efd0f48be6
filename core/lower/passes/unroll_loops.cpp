// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"
#include "core/ir/rewriter.h"
#include "core/ir/walk.h"
#include "core/lower/passes/copies.h"
#include "core/lower/passes/declarations.h"

namespace nestwright::lower {

namespace {

/// Beyond these a loop stays one, with the wish to be unrolled left for the compiler behind us.
constexpr std::int64_t mostIterations = 256;
constexpr std::int64_t mostUnrolledStores = 4096;

std::int64_t storesIn(const ir::Stmt &s)
{
    std::int64_t count = 0;
    ir::forEachStmt(s, [&](const ir::Stmt &part) {
        count += part.as<ir::BufferStore>() || part.as<ir::Evaluate>() ? 1 : 0;
        return true;
    });
    return count;
}

class Unrolling : public ir::Rewriter {
public:
    ir::Stmt stmt(const ir::Stmt &s) override
    {
        ir::Stmt changed = children(s); // inner loops first, so that their copies count
        const auto *loop = changed.as<ir::For>();
        if (!loop || loop->forKind != ir::ForKind::Unrolled)
            return changed;
        const std::int64_t *extent = ir::asInt(loop->extent);
        if (!extent || *extent > mostIterations || *extent * storesIn(loop->body) > mostUnrolledStores)
            return changed;
        std::vector<ir::Stmt> copies;
        for (std::int64_t i = 0; i < *extent; ++i)
            copies.push_back(copyWith(loop->body, loop->var, loop->min + ir::intImm(i, loop->var->dtype)));
        return ir::seq(std::move(copies));
    }
};

} // namespace

ir::Module unrollLoops(const ir::Module &module, const Target &)
{
    return ir::rewriteModule<Unrolling>(module);
}

} // namespace nestwright::lower
