// SPDX-License-Identifier: Apache-2.0
/// One function per primitive; the table in all.cpp lists them.
#pragma once

#include "core/schedule/primitive.h"

namespace nestwright::schedule {

Primitive getBlockPrimitive();
Primitive getLoopsPrimitive();
Primitive getChildBlocksPrimitive();
Primitive getProducersPrimitive();
Primitive getConsumersPrimitive();
Primitive getOutputBlocksPrimitive();

} // namespace nestwright::schedule
