// SPDX-License-Identifier: Apache-2.0
/// The size of random integers with which a program does not overflow.
#pragma once

#include "core/ir/node/function.h"

#include <cstdint>
#include <map>
#include <string>

namespace nestwright::measure {

/// The most bits of signed integers that arguments of 32 bits and more may have so that no integer computed
/// of them overflows, as far as intervals tell; and not less than what products of two, and sums of those,
/// take in practice. A program that compares or divides such integers may be simplified as if none did, which
/// others bear. `sizes`: symbolic sizes by name.
int integerBits(const ir::PrimFunc &function, const std::map<std::string, std::int64_t> &sizes);

} // namespace nestwright::measure
