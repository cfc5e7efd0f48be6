// SPDX-License-Identifier: Apache-2.0
/// The steps on a tir.Schedule that stand in the file of the kernel itself, as newer tutorials of TVM have
/// them.
#pragma once

#include "core/script/python_ast.h"

#include <string>
#include <string_view>

namespace nestwright::te {

/// The statements of `text` that make the last `sch = tvm.tir.Schedule(…)` and call its primitives, with the
/// constants they may use, each on its own line and all other lines empty: a schedule script whose errors
/// name the right lines. Empty when there are none.
std::string scheduleLines(const script::py::Module &module, std::string_view text);

} // namespace nestwright::te
