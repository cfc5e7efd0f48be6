// SPDX-License-Identifier: Apache-2.0
/// Checks of the element type that presets share.
#pragma once

#include "core/catalog/preset.h"

namespace nestwright::catalog {

/// `check` of presets that take every numeric type, and of those that need floating point.
std::string anyNumber(const Values &values);
std::string floatsOnly(const Values &values);

} // namespace nestwright::catalog
