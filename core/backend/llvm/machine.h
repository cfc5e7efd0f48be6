// SPDX-License-Identifier: Apache-2.0
/// The processor that LLVM makes code for, and LLVM's own passes over a unit.
#pragma once

#include "core/backend/llvm/isa/processor_family.h"
#include "core/target/target.h"

#include <memory>
#include <stop_token>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nestwright::backend {

/// Makes LLVM's targets known, once in a process, for any number of threads.
void initializeTargets();

/// A target machine, its processor and features resolved. Made once per target and thread, then reused.
struct Machine {
    std::shared_ptr<llvm::TargetMachine> machine;
    std::string cpu;
    std::string features;
    const ProcessorFamily *family = nullptr;
    int vectorBits = 128; ///< of the widest registers worth using
    FloatUnit floats{};
};

/// Errors: "target.option": LLVM knows no such triple or processor.
support::Result<Machine> machineFor(const target::Target &target);

/// Registers for vectors, whatever their width.
int vectorRegisters(const Machine &machine);

/// Runs the -O3 pipeline; leaves `unit` partly optimised when `stop` is requested.
void optimize(llvm::Module &unit, const Machine &machine, const std::stop_token &stop);

/// Intel's syntax is of x86 processors; others have one assembly.
enum class Emission : std::uint8_t {
    Assembly,
    CommentedAssembly, ///< with what LLVM knows of loops and of registers put aside
    IntelAssembly,
    Object
};
std::string emit(llvm::Module &unit, const Machine &machine, Emission what);
/// The mark that begins a comment in its assembly.
std::string commentMark(const Machine &machine);

} // namespace nestwright::backend
