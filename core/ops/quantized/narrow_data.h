// SPDX-License-Identifier: Apache-2.0
/// Data of narrow types: as files pack them, and as they are held in the wider type that has all their
/// values.
#pragma once

#include "core/ir/ndarray.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nestwright::ops {

/// Bytes that files have for so many elements of `type`; those of 2 and 4 bits lie side by side in a byte,
/// the first in its lowest bits.
std::int64_t packedBytes(ir::DataType type, std::int64_t elements);

/// Fills `held`, whose type is heldType(type), from packed elements.
void unpack(std::span<const std::byte> bytes, ir::DataType type, ir::NdArray &held);

/// The elements of `held`, packed as numbers of `type`.
std::vector<std::byte> packed(const ir::NdArray &held, ir::DataType type);

/// The place of the first element that is no number of `type`; nothing where all are.
std::optional<std::int64_t> firstBeyond(const ir::NdArray &held, ir::DataType type);

/// Makes each element the nearest number of `type`.
void roundTo(ir::NdArray &held, ir::DataType type);

/// "whole numbers from -8 to 7", for messages.
std::string numbersOf(ir::DataType type);

} // namespace nestwright::ops
