// SPDX-License-Identifier: Apache-2.0
#include "core/backend/llvm/llvm_backend.h"

#include "core/backend/llvm/emit/emitter.h"
#include "core/backend/llvm/isa/processor_family.h"
#include "core/backend/llvm/llvm_unit.h"
#include "core/backend/llvm/machine.h"
#include "core/backend/llvm/read/llvm_listing.h"
#include "core/backend/llvm/read/throughput.h"
#include "core/support/errors/codes.h"
#include "core/support/errors/errors.h"

#include <format>
#include <llvm-c/Core.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <map>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

/// Leaves out LLVM's remarks on its own passes ("loop not unrolled"): they would stand among a command's
/// output.
struct ErrorsOnly final : llvm::DiagnosticHandler {
    bool handleDiagnostics(const llvm::DiagnosticInfo &info) override
    {
        return info.getSeverity() != llvm::DS_Error;
    }
};

} // namespace

LlvmUnit::LlvmUnit() = default;
LlvmUnit::LlvmUnit(LlvmUnit &&) noexcept = default;
LlvmUnit::~LlvmUnit() = default;

Result<LlvmUnit> emitUnit(const Unit &unit, const target::Target &target, const Machine &machine)
{
    LlvmUnit result;
    result.context = std::make_unique<llvm::LLVMContext>();
    result.context->setDiagnosticHandler(std::make_unique<ErrorsOnly>());
    result.module = std::make_unique<llvm::Module>("kernel", *result.context);
    result.module->setTargetTriple(machine.machine->getTargetTriple().str());
    result.module->setDataLayout(machine.machine->createDataLayout());
    try {
        Emitter emitter(*result.module, machine, target.reassociate);
        for (std::size_t i = 0; i < unit.signatures.size(); ++i)
            emitter.function(unit.flat.functions()[i], unit.signatures[i]);
        emitter.finish();
    } catch (const support::UserError &error) {
        return fail(error.diagnostic());
    }
    std::string problems;
    llvm::raw_string_ostream stream(problems);
    NW_ASSERT(!llvm::verifyModule(*result.module, &stream), "LLVM refuses the code: " + problems);
    return result;
}

Result<LlvmUnit> optimizedUnit(const Unit &unit, const target::Target &target, const Machine &machine,
                               const std::stop_token &stop)
{
    auto made = emitUnit(unit, target, machine);
    if (!made)
        return made;
    optimize(*made->module, machine, stop);
    if (stop.stop_requested())
        return fail(support::codes::cancelled, "compiling was cancelled");
    return made;
}

namespace {

Listing listingOf(llvm::Module &module, const Machine &machine, SourceKind kind)
{
    if (kind == SourceKind::Asm)
        return cleanAssembly(emit(module, machine, Emission::Assembly), commentMark(machine));
    if (kind == SourceKind::IntelAsm)
        return cleanAssembly(emit(module, machine, Emission::IntelAssembly), commentMark(machine));
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return cleanLlvmIr(text);
}

} // namespace

namespace {

/// Code that is linked elsewhere asks for the processor.
void guardUnit(LlvmUnit &made, const Machine &machine)
{
    machine.family->guard(*made.module, machine.family->extensionsOf(*machine.machine));
}

Result<Source> sourceOf(const Unit &unit, const target::Target &target, SourceKind kind,
                        const std::stop_token &stop, bool asks)
{
    const auto machine = machineFor(target);
    if (!machine)
        return std::unexpected(machine.error());
    auto made = kind == SourceKind::UnoptimizedLlvmIr ? emitUnit(unit, target, *machine)
                                                      : optimizedUnit(unit, target, *machine, stop);
    if (!made)
        return std::unexpected(made.error());
    if (asks)
        guardUnit(*made, *machine);
    Listing listing = listingOf(*made->module, *machine, kind);
    return Source{std::move(listing.text), std::move(listing.spans), kind};
}

Result<Artifact> objectOf(const Unit &unit, const target::Target &target, const std::stop_token &stop,
                          bool asks)
{
    const auto machine = machineFor(target);
    if (!machine)
        return std::unexpected(machine.error());
    auto made = optimizedUnit(unit, target, *machine, stop);
    if (!made)
        return std::unexpected(made.error());
    if (asks)
        guardUnit(*made, *machine);
    Artifact artifact;
    artifact.format = Format::Object;
    artifact.bytes = emit(*made->module, *machine, Emission::Object);
    artifact.entries = unit.entries();
    artifact.target = target.str();
    return artifact;
}

} // namespace

Result<Source> llvmSource(const Unit &unit, const target::Target &target, SourceKind kind,
                          std::stop_token stop)
{
    return sourceOf(unit, target, kind, stop, false);
}

Result<Artifact> llvmCompile(const Unit &unit, const target::Target &target, std::stop_token stop)
{
    return objectOf(unit, target, stop, false);
}

Result<Source> llvmAskingSource(const Unit &unit, const target::Target &target, SourceKind kind,
                                std::stop_token stop)
{
    return sourceOf(unit, target, kind, stop, true);
}

Result<Artifact> llvmExportedObject(const Unit &unit, const target::Target &target, Asks asks,
                                    const std::string &, std::stop_token stop)
{
    return objectOf(unit, target, stop, asks == Asks::Functions);
}

Result<std::vector<LoopCode>> llvmLoopCode(const Unit &unit, const target::Target &target,
                                           std::stop_token stop)
{
    const auto machine = machineFor(target);
    if (!machine)
        return std::unexpected(machine.error());
    auto made = optimizedUnit(unit, target, *machine, stop);
    if (!made)
        return std::unexpected(made.error());
    const std::string text = emit(*made->module, *machine, Emission::CommentedAssembly);
    std::vector<LoopCode> loops;
    for (AssemblyLoop &loop : assemblyLoops(text, commentMark(*machine), *machine->family)) {
        if (stop.stop_requested())
            return fail(support::codes::cancelled, "reading the machine code was cancelled");
        addThroughput(loop, *machine);
        loops.push_back(std::move(loop.code));
    }
    return loops;
}

Result<void> llvmCheck(const target::Target &target)
{
    const auto machine = machineFor(target);
    return machine ? Result<void>() : fail(machine.error());
}

std::optional<VectorUnit> llvmVectorUnit(const target::Target &target)
{
    const auto machine = machineFor(target);
    if (!machine)
        return std::nullopt;
    // Its rates are simulated, and asked for with every schedule.
    thread_local std::map<const llvm::TargetMachine *, VectorUnit> known;
    const auto [place, isNew] = known.try_emplace(machine->machine.get());
    if (isNew) {
        place->second = {machine->vectorBits, vectorRegisters(*machine), machine->cpu};
        addVectorRates(place->second, *machine);
    }
    return place->second;
}

Result<ProcessorNeeds> llvmNeeds(const target::Target &target)
{
    const auto machine = machineFor(target);
    return machine ? ProcessorNeeds{machine->cpu, machine->family->extensionsOf(*machine->machine)}
                   : Result<ProcessorNeeds>(fail(machine.error()));
}

Result<CodeSystem> llvmSystem(const target::Target &target)
{
    const auto machine = machineFor(target);
    if (!machine)
        return fail(machine.error());
    const llvm::Triple &system = machine->machine->getTargetTriple();
    const llvm::Triple here(llvm::sys::getProcessTriple());
    return CodeSystem{system.str(), system.getArch() == here.getArch() && system.getOS() == here.getOS()};
}

std::string llvmVersion()
{
    unsigned major = 0, minor = 0, patch = 0;
    LLVMGetVersion(&major, &minor, &patch);
    return std::format("LLVM {}.{}.{}", major, minor, patch);
}

} // namespace nestwright::backend
