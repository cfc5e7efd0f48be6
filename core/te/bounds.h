// SPDX-License-Identifier: Apache-2.0
/// Finding elements that a compute certainly reads outside their tensor.
#pragma once

#include "core/support/errors/errors.h"
#include "core/te/tensor.h"

namespace nestwright::te {

/// A read outside a tensor: the load and the fault.
class OutOfBounds : public support::UserError {
public:
    OutOfBounds(support::Diagnostic diagnostic, Expr load)
        : UserError(std::move(diagnostic))
        , m_load(std::move(load))
    {
    }
    const Expr &load() const { return m_load; }

private:
    Expr m_load;
};

/// Throws OutOfBounds ("te.out-of-bounds") when an index that nothing guards is affine in the axes with
/// constant bounds and leaves its dimension.
void checkBounds(const Operation &operation);

} // namespace nestwright::te
