// SPDX-License-Identifier: Apache-2.0
/// The rectified linear unit, which presets end with.
#pragma once

#include "core/ir/build/builder.h"

namespace nestwright::catalog {

/// max(x, 0) in x's type.
inline ir::Expr relu(const ir::Expr &x) { return ir::max(x, ir::constant(0, x.dtype())); }

} // namespace nestwright::catalog
