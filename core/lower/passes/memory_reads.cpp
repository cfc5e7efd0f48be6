// SPDX-License-Identifier: Apache-2.0
#include "core/lower/passes/memory_reads.h"

#include "core/ir/buffer.h"
#include "core/ir/intrinsics.h"
#include "core/ir/walk.h"

namespace nestwright::lower {

bool readsMemory(const ir::Expr &e)
{
    bool found = false;
    if (!e)
        return found;
    ir::forEachExpr(e, [&](const ir::Expr &part) {
        if (part.as<ir::BufferLoad>())
            found = true;
        if (const auto *call = part.as<ir::Call>()) {
            const ir::Intrinsic *intrinsic = ir::findIntrinsic(call->name);
            if (!intrinsic || intrinsic->purity != ir::Purity::Pure)
                found = true;
        }
        return !found;
    });
    return found;
}

} // namespace nestwright::lower
