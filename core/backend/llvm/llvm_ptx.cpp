// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/llvm_ptx.h"

#include "core/backend/codes.h"
#include "core/backend/device/ptx_listing.h"
#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/llvm_backend.h"
#include "core/backend/llvm/machine.h"
#include "core/codegen/codes.h"
#include "core/ir/build/walk.h"
#include "core/lower/kernel_launch.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

/// Instructions for them came with sm_80; LLVM ends the process where they are missing.
void requireTypes(const ir::PrimFunc &kernel, const std::string &architecture)
{
    const bool isOld = architecture < "sm_80" && architecture.size() == std::string_view("sm_80").size();
    const auto isMissing = [&](ir::DataType type) {
        return type.code == ir::TypeCode::BFloat ? isOld : type.isFloating() && type.bits < 16;
    };
    ir::forEachExpr(kernel.body, [&](const ir::Expr &e) {
        if (isMissing(e.dtype()))
            throw support::UserError(
                support::diagnostic(codegen::codes::unsupported, "LLVM makes no PTX of " + architecture
                                                                     + " for " + e.dtype().element().str())
                    .withHint("install NVRTC, which does"));
        return true;
    });
}

} // namespace

Result<Source> llvmPtx(const Unit &unit, const target::Target &cuda, std::stop_token stop)
try {
    const std::string architecture = target::architectureOf(cuda);
    target::Target target;
    target.mtriple = "nvptx64-nvidia-cuda";
    target.mcpu = architecture;
    const auto machine = machineFor(target);
    if (!machine)
        return fail(support::diagnostic("target.option", "LLVM makes no PTX for " + architecture)
                        .withHint("install NVRTC, which does, or choose an older architecture"));
    llvm::LLVMContext context;
    llvm::Module module("kernels", context);
    module.setTargetTriple(machine->machine->getTargetTriple().str());
    module.setDataLayout(machine->machine->createDataLayout());
    Emitter emitter(module, *machine, target.reassociate);
    for (const ir::Module::Entry &entry : unit.flat.functions()) {
        if (!lower::isKernel(*entry.function))
            continue;
        requireTypes(*entry.function, architecture);
        emitter.kernel(entry);
    }
    emitter.finish();
    std::string problems;
    llvm::raw_string_ostream stream(problems);
    NW_ASSERT(!llvm::verifyModule(module, &stream), "LLVM refuses the kernels: " + problems);
    optimize(module, *machine, stop);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "compiling was cancelled");
    Listing listing = cleanPtx(emit(module, *machine, Emission::Assembly),
                               "Made by " + llvmVersion() + ", as NVRTC was not found",
                               [](std::uint32_t line) { return support::StmtId{line}; });
    return Source{std::move(listing.text), std::move(listing.spans), SourceKind::Ptx};
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

} // namespace nestwright::backend
