// SPDX-License-Identifier: Apache-2.0
#include "core/codegen/kernel_facts.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

namespace nestwright::codegen {

ir::VarSet writtenIn(const ir::Stmt &body)
{
    ir::VarSet written;
    ir::forEachStmt(body, [&](const ir::Stmt &s) {
        if (const auto *store = s.as<ir::BufferStore>())
            written.insert(store->buffer->data);
        return true;
    });
    return written;
}

ThreadExtents threadsOf(const ir::Stmt &body)
{
    ThreadExtents threads{1, 1, 1};
    for (const auto *loop = body.as<ir::For>(); loop; loop = loop->body.as<ir::For>()) {
        const auto axis = ir::threadAxisOf(*loop);
        const std::int64_t *extent = ir::asInt(loop->extent);
        if (axis && axis->rank == ir::ThreadRank::Thread)
            threads[axis->dimension] = extent ? *extent : -1;
    }
    return threads;
}

} // namespace nestwright::codegen
