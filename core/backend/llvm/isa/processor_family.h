// SPDX-License-Identifier: Apache-2.0
/// Knowledge of a family of processors that LLVM does not give, or that readers of its text need.
///
/// A family is a file of this folder, NAME.cpp, and a row of families.cpp. What it does not override holds
/// for processors of which nothing but LLVM's own is known.
#pragma once

#include "core/backend/listing/vector_arithmetic.h"
#include "core/backend/llvm/emit/polynomials.h"
#include "core/backend/processor_needs.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class IRBuilderBase;
class MCSubtargetInfo;
class Module;
class TargetMachine;
class Triple;
class Value;
} // namespace llvm

namespace nestwright::backend {

class TileUnit;

/// An intrinsic of LLVM that stands for an instruction, with the features that the processor must have: LLVM
/// ends the program at an intrinsic that it cannot select.
struct ProcessorInstruction {
    std::string_view name; ///< "llvm.x86.avx2.pmadd.wd"
    const char *features;  ///< "+avx2"
};

class ProcessorFamily {
public:
    virtual ~ProcessorFamily() = default;

    /// "x86-64", as people write it; empty where machine code in files is not read.
    virtual std::string_view title() const { return {}; }
    virtual bool has(const llvm::Triple &triple) const = 0;

    // The processor
    /// Whether a feature of this machine's processor may be used by this process.
    virtual bool isUsable(std::string_view feature) const;
    /// Error "target.option": the system of `triple` does not run on the processor.
    virtual support::Result<void> check(const llvm::Triple &triple, const std::string &cpu,
                                        const llvm::MCSubtargetInfo &processor) const;
    /// Width of the widest registers worth using.
    virtual int vectorBits(const llvm::MCSubtargetInfo &processor) const;
    virtual FloatUnit floats(const llvm::MCSubtargetInfo &processor) const;
    /// Assembly that adds a product of two of the widest vectors of float32 to sum number `sum`, from 0 to
    /// 11, as the processor does it best; empty where that is not known.
    virtual std::string multiplyAdd(int sum, const llvm::MCSubtargetInfo &processor) const;
    /// Assembly that loads a vector into the register of that sum.
    virtual std::string vectorLoad(int sum, const llvm::MCSubtargetInfo &processor) const;

    // Emission
    /// Those that programs use.
    virtual std::span<const ProcessorInstruction> instructions() const { return {}; }
    /// Emits by others what an instruction does that `processor` lacks; null where the meaning of its
    /// intrinsic is as good.
    virtual llvm::Value *expanded(std::string_view name, std::span<llvm::Value *const> operands,
                                  llvm::IRBuilderBase &builder, const llvm::MCSubtargetInfo &processor) const;
    /// Null where the family has none.
    virtual const TileUnit *tiles() const { return nullptr; }
    /// Emits what stores past the caches must be followed by before others may look.
    virtual void orderStreamedStores(llvm::IRBuilderBase &builder) const;
    /// Whether one instruction multiplies a vector by one lane of another.
    virtual bool multipliesByLanes() const { return false; }
    /// Features that only LLVM's optimizer is told, with a comma before each.
    virtual std::string_view optimizerFeatures() const { return {}; }
    /// Changes functions at which LLVM's selection of instructions would end the program.
    virtual void makeSelectable(llvm::Module &) const {}
    /// Whether assembly has Intel's syntax besides its own.
    virtual bool hasIntelSyntax() const { return false; }

    // Exported code (processor_needs.h)
    /// Extensions that code for the machine's processor may use.
    virtual std::vector<const Extension *> extensionsOf(const llvm::TargetMachine &machine) const;
    /// Puts the question for `needs` before every function that others can call.
    virtual void guard(llvm::Module &module, const std::vector<const Extension *> &needs) const;

    // Reading of machine code and assembly
    /// Whether machine code of `triple` in files is read.
    virtual bool reads(const llvm::Triple &triple) const;
    /// Features with which LLVM reads all instructions.
    virtual std::string_view readingFeatures() const { return {}; }
    /// Bytes to go on by behind those that are no instruction.
    virtual std::size_t leastInstructionBytes() const { return 1; }
    /// The memory of a register that was put aside, as an instruction names it: "16(%rsp)"; empty where it
    /// names no place that is known from the stack's end alone.
    virtual std::string_view stackSlot(std::string_view instruction) const;
    /// The beginning of the names of instructions that fetch ahead.
    virtual std::string_view prefetchName() const { return "prefetch"; }
    /// Arithmetic of a line of assembly. Nothing for moves and for integers in general registers.
    virtual std::optional<Arithmetic> arithmeticOf(std::string_view line) const;
    /// Width of the widest vector register that an instruction names.
    virtual int vectorBitsOf(std::string_view instruction) const;
};

/// The families, that of most machines first.
std::span<const ProcessorFamily *const> processorFamilies();
/// One of them, or processors of which nothing is known.
const ProcessorFamily &familyOf(const llvm::Triple &triple);

} // namespace nestwright::backend
