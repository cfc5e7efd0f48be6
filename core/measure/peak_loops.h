// SPDX-License-Identifier: Apache-2.0
/// The inner loops of measureMachinePeak, compiled once per vector width and chosen at run time.
#pragma once

#include <vector>

namespace nestwright::measure {

/// Runs independent chains of multiply-adds from registers for some ten microseconds; returns the operations done (two
/// per multiply-add).
double multiplyAddFloat32();
double multiplyAddFloat64();

/// Reads all of `data` (blocks of 128 elements) with full vectors, small data several times; returns the bytes read.
double readAll(const std::vector<float> &data);

} // namespace nestwright::measure
