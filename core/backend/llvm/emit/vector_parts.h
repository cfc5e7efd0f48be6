// SPDX-License-Identifier: Apache-2.0
/// Vectors that are wider than a processor's registers, worked on part by part.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace nestwright::backend {

using Parts = std::span<llvm::Value *const>;

/// Lanes of a vector; 1 for a scalar.
unsigned lanesOf(const llvm::Value *value);

/// Whether these are so many vectors of integers of so many bits.
bool areVectors(Parts values, std::size_t count, unsigned bits);

/// Results of `make` for each part of so many lanes of the operands, joined to one vector. Null where their
/// lanes are no multiple of those.
llvm::Value *byParts(llvm::IRBuilderBase &builder, Parts operands, unsigned lanes,
                     const std::function<llvm::Value *(Parts)> &make);

} // namespace nestwright::backend
