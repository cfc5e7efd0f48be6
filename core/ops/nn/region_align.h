// SPDX-License-Identifier: Apache-2.0
/// Attributes and types of the operators that bring regions of images to one size.
#pragma once

#include "core/ops/table/tensor_op.h"

namespace nestwright::ops {

std::vector<AttributeField> regionAttributes();
std::vector<TensorType> inferRegions(const CallSite &site);

} // namespace nestwright::ops
