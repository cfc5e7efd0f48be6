// SPDX-License-Identifier: Apache-2.0
/// The expressions of an operation's body.
#pragma once

#include "core/te/tensor.h"

namespace nestwright::te {

/// Values of an operation; for a reduction its sources, initial values and condition.
inline std::vector<Expr> bodyParts(const Operation &operation)
{
    if (!operation.reduction)
        return operation.values;
    const Reduction &reduction = *operation.reduction;
    std::vector<Expr> parts = reduction.sources;
    parts.insert(parts.end(), reduction.init.begin(), reduction.init.end());
    if (reduction.condition)
        parts.push_back(reduction.condition);
    return parts;
}

} // namespace nestwright::te
