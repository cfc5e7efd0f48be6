// SPDX-License-Identifier: Apache-2.0
/// Registers for vectors of the processor that code is made for, and how fast it computes with them.
#pragma once

#include "core/target/target.h"

#include <optional>
#include <string>

namespace nestwright::backend {

struct VectorUnit {
    int bits = 128;          ///< of the widest registers that are used
    int registers = 16;      ///< of that width
    std::string processor{}; ///< by the compiler's name for it: "znver4", "x86-64-v3"
    // By the compiler's model of the processor; 0: it has none.
    int multiplyAdds = 0; ///< begun in a cycle, float32; a product and a sum where no instruction does both
    int latency = 0;      ///< cycles until a sum can take in another product
    int loads = 0;        ///< vectors loaded in a cycle
};

/// By the instruction set that the target names; nothing for devices, for an option that the backend does not
/// know, and where it does not choose the instructions (C).
std::optional<VectorUnit> vectorUnitOf(const target::Target &target);

} // namespace nestwright::backend
