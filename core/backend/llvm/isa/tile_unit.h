// SPDX-License-Identifier: Apache-2.0
/// Registers of a processor that hold tiles of matrices, with instructions for their products.
#pragma once

#include "core/analysis/kernel/tile_product.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace llvm {
class IRBuilderBase;
class Module;
class TargetMachine;
class Value;
} // namespace llvm

namespace nestwright::backend {

/// The forms of all registers, as the unit keeps them.
using TileForms = std::vector<std::uint8_t>;

/// The sums that a product is added to.
enum class TileBegin : std::uint8_t { AsInMemory, AtZero };

/// How far the loops have come in A, B and C, in elements.
using TilePlaces = std::array<llvm::Value *, 3>;

class TileUnit {
public:
    using Address = std::function<llvm::Value *(const ir::Buffer &buffer, llvm::Value *index)>;

    virtual ~TileUnit() = default;

    /// Whether the machine's processor has the instructions for the product.
    virtual bool has(const llvm::TargetMachine &machine, const analysis::TileProduct &product) const = 0;
    /// The function of the runtime that says whether the process may use the registers.
    virtual const char *question() const = 0;
    virtual TileForms formsOf(const analysis::TileProduct &product) const = 0;
    virtual void setForms(llvm::IRBuilderBase &builder, llvm::Module &unit, const TileForms &forms) const = 0;
    /// Emits a product between the forms being set and their release.
    virtual void product(llvm::IRBuilderBase &builder, const analysis::TileProduct &product,
                         const TilePlaces &first, TileBegin begin, const Address &address) const = 0;
    virtual void release(llvm::IRBuilderBase &builder) const = 0;
};

} // namespace nestwright::backend
