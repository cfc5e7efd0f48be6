// SPDX-License-Identifier: Apache-2.0
/// A flat program as an LLVM module.
#pragma once

#include "core/backend/link/artifact.h"
#include "core/target/target.h"

#include <memory>
#include <stop_token>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace nestwright::backend {

struct Machine;

/// An LLVM module and the context that owns its types.
struct LlvmUnit {
    LlvmUnit();
    LlvmUnit(LlvmUnit &&) noexcept;
    ~LlvmUnit();

    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
};

/// The unit as emitted, before LLVM's passes. Error: "backend.unsupported".
support::Result<LlvmUnit> emitUnit(const Unit &unit, const target::Target &target, const Machine &machine);
/// The unit after LLVM's passes. Errors: "backend.unsupported", "cancelled".
support::Result<LlvmUnit> optimizedUnit(const Unit &unit, const target::Target &target,
                                        const Machine &machine, const std::stop_token &stop);

} // namespace nestwright::backend
