// SPDX-License-Identifier: Apache-2.0
#include "core/catalog/element_type.h"

#include <format>

namespace nestwright::catalog {

std::string anyNumber(const Values &values)
{
    const ir::DataType dtype = values.dtype();
    if (dtype.isVector() || dtype.isBool() || !(dtype.isIntegral() || dtype.isFloating()))
        return std::format("elements of type {} cannot be computed with; give a number type such as float32",
                           dtype.str());
    return {};
}

std::string floatsOnly(const Values &values)
{
    const ir::DataType dtype = values.dtype();
    if (dtype.isVector() || !dtype.isFloating())
        return std::format("elements must be floating-point numbers, not {}", dtype.str());
    return {};
}

} // namespace nestwright::catalog
