// SPDX-License-Identifier: Apache-2.0
/// Python's functions of numbers and lists in schedule scripts.
#pragma once

#include "core/schedule/script/values.h"

#include <optional>
#include <string>

namespace nestwright::schedule {

/// `len(list)`, `range(8)`, `min(a, b)`, `max(a, b)`, `int(a)`; nothing for another function.
std::optional<ArgValue> numberFunction(ScriptValues &values, const py::Call &node, const std::string &callee);

} // namespace nestwright::schedule
