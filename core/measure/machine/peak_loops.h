// SPDX-License-Identifier: Apache-2.0
/// The inner loops of measureMachinePeak, compiled once per vector width and chosen at run time.
#pragma once

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

/// Reads all of `data` (blocks of 128 elements) with full vectors, small data several times; the checksum is
/// the sum of all elements.
Work readAll(const std::vector<float> &data);

/// Bits of the widest vectors that this processor computes with.
int widestVector();

} // namespace nestwright::measure
