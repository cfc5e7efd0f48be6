// SPDX-License-Identifier: Apache-2.0
#include "core/ir/calls.h"

#include "core/ir/build/walk.h"

namespace nestwright::ir {

bool calls(const Expr &e, const Intrinsic &intrinsic)
{
    bool found = false;
    forEachExpr(e, [&](const Expr &part) {
        const auto *call = part.as<Call>();
        found = found || (call && call->callee == intrinsic);
        return !found;
    });
    return found;
}

} // namespace nestwright::ir
