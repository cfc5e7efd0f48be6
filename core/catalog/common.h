// SPDX-License-Identifier: Apache-2.0
/// What several operators share.
#pragma once

#include "core/catalog/preset.h"
#include "core/ir/builder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::catalog {

/// max(x, 0) in x's type.
te::Expr relu(const te::Expr &x);

/// `check` of operators that take every numeric type, and of those that need floating point.
std::string anyNumber(const Values &values);
std::string floatsOnly(const Values &values);

} // namespace nestwright::catalog
