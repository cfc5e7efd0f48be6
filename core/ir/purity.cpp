// SPDX-License-Identifier: Apache-2.0
#include "core/ir/purity.h"

#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/buffer.h"

namespace nestwright::ir {

bool isPure(const Expr &e)
{
    bool pure = true;
    if (!e)
        return pure;
    forEachExpr(e, [&](const Expr &part) {
        const auto *call = part.as<Call>();
        const Intrinsic *intrinsic = call ? call->callee.intrinsic() : nullptr;
        const bool isImpureCall = call && (!intrinsic || intrinsic->purity != Purity::Pure);
        pure = pure && !part.as<BufferLoad>() && !isImpureCall;
        return pure;
    });
    return pure;
}

} // namespace nestwright::ir
