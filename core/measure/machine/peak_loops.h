// SPDX-License-Identifier: Apache-2.0
/// The inner loops of measureMachinePeak, compiled once per vector width and chosen at run time.
#pragma once

#include "core/target/machine.h"

#include <array>
#include <vector>

namespace nestwright::measure {

struct Work {
    double amount = 0;   ///< operations (two per multiply-add), or bytes
    double checksum = 0; ///< of the results: nothing was left out
};

/// Runs twelve independent chains of 4096 multiply-adds from registers, some ten microseconds. Chain i adds 1
/// to 1 + i in each round; the checksum is that of one lane.
Work multiplyAddFloat32();
Work multiplyAddFloat64();

/// A line of memory: vectors that lie in two of them take twice as long to read.
struct alignas(target::lineBytes) Line {
    std::array<float, target::lineBytes / sizeof(float)> numbers{};
};

/// Reads all of `data`, a multiple of eight lines, with full vectors, small data several times; the checksum
/// is the sum of all numbers read.
Work readAll(const std::vector<Line> &data);

/// Bits of the widest vectors that this processor computes with.
int widestVector();

} // namespace nestwright::measure
