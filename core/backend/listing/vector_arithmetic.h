// SPDX-License-Identifier: Apache-2.0
/// Arithmetic instructions in assembly.
#pragma once

#include <optional>
#include <string_view>

namespace nestwright::backend {

struct Arithmetic {
    int lanes = 1;              ///< numbers that it computes at once
    bool isFloat = false;       ///< of floating point, not of integers in vector registers
    bool isMultiplyAdd = false; ///< two operations on each number, or more (a dot product)
    bool operator==(const Arithmetic &) const = default;
};

/// Arithmetic of a line of x86 or Arm assembly, in AT&T or Intel syntax: "vfmadd231ps %ymm0, …" (8 lanes),
/// "fmla v0.4s, …" (4). Nothing for moves, for integers in general registers and for other processors.
std::optional<Arithmetic> arithmeticOf(std::string_view line);

/// Whether a line computes several numbers at once.
bool isPackedArithmetic(std::string_view line);

} // namespace nestwright::backend
