// SPDX-License-Identifier: Apache-2.0
#include "core/codegen/loops.h"

#include "core/codegen/codes.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/ir/threads.h"

namespace nestwright::codegen {

support::Diagnostic noSuchThreads(const ir::For &loop)
{
    return support::diagnostic(codes::unsupported, "the loop '" + loop.var.name() + "' is bound to "
                                                       + loop.thread + ", which this target does not have")
        .withHint("choose a GPU target, or make the loop parallel instead")
        .at(loop.id);
}

support::Result<void> requireNoThreads(const ir::Module &module)
{
    const ir::For *found = nullptr;
    for (const ir::Module::Entry &entry : module.functions()) {
        ir::forEachStmt(entry.function->body, [&](const ir::Stmt &s) {
            const auto *loop = s.as<ir::For>();
            const auto axis = loop ? ir::threadAxisOf(*loop) : std::nullopt;
            if (!found && axis && axis->rank != ir::ThreadRank::Virtual)
                found = loop;
            return !found;
        });
    }
    return found ? support::fail(noSuchThreads(*found)) : support::Result<void>();
}

bool staysLoop(const ir::For &loop)
{
    return loop.forKind == ir::ForKind::Serial && ir::attribute(loop.annotations, ir::autoUnrollKey);
}

} // namespace nestwright::codegen
