// SPDX-License-Identifier: Apache-2.0
/// Whether the arguments of a step are of the kinds that its primitive's fields ask for.
#pragma once

#include "core/schedule/primitive.h"

namespace nestwright::schedule {

/// Throws "schedule.argument" naming the argument, the expected kind and the value found.
void validateArguments(const Step &step);

/// "a loop", "a list of integers", for messages and forms.
std::string_view describe(FieldKind kind);

} // namespace nestwright::schedule
