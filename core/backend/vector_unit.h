// SPDX-License-Identifier: Apache-2.0
/// Registers for vectors of the processor that code is made for.
#pragma once

#include "core/target/target.h"

#include <optional>

namespace nestwright::backend {

struct VectorUnit {
    int bits = 128;     ///< of the widest registers that are used
    int registers = 16; ///< of that width
};

/// By the instruction set that the target names; nothing for devices, for an option that the backend does not
/// know, and where it does not choose the instructions (C).
std::optional<VectorUnit> vectorUnitOf(const target::Target &target);

} // namespace nestwright::backend
