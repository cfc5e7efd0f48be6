// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend.h"

#include "core/backend/codes.h"
#include "core/backend/device/driver_process.h"
#include "core/backend/link/exported_code.h"
#include "core/backend/listing/loop_code.h"
#include "core/backend/tool_version.h"
#include "core/backend/vector_unit.h"
#include "core/codegen/codes.h"
#include "core/ir/parameter_layout.h"
#include "core/lower/pipeline.h"
#if NESTWRIGHT_HAS_C
#include "core/backend/c/c_backend.h"
#endif
#if NESTWRIGHT_HAS_CUDA
#include "core/backend/cuda/cuda_backend.h"
#include "core/backend/cuda/emulated_device.h"
#endif
#if NESTWRIGHT_HAS_LLVM
#include "core/backend/llvm/llvm_backend.h"
#include "core/backend/llvm/llvm_ptx.h"
#endif
#if NESTWRIGHT_HAS_OPENCL
#include "core/backend/opencl/opencl_backend.h"
#endif

#include <algorithm>
#include <array>
#include <format>

namespace nestwright::backend {

using support::fail;
using support::Result;
using target::Target;
using target::TargetKind;

namespace {

constexpr std::array formats{
    SourceFormat{SourceKind::Lowered, "lowered", "lowered TVMScript", "py", {}},
    SourceFormat{SourceKind::UnoptimizedLlvmIr, "llvm-unoptimized", "LLVM IR before LLVM's passes", "ll",
                 TargetKind::Llvm},
    SourceFormat{SourceKind::LlvmIr, "llvm", "LLVM IR", "ll", TargetKind::Llvm},
    SourceFormat{SourceKind::Asm, "asm", "assembly", "s", TargetKind::Llvm},
    SourceFormat{SourceKind::IntelAsm, "asm-intel", "assembly in Intel syntax", "s", TargetKind::Llvm},
    SourceFormat{SourceKind::C, "c", "C", "c", TargetKind::C},
    SourceFormat{SourceKind::OpenCl, "opencl", "OpenCL C", "cl", TargetKind::OpenCl},
    SourceFormat{SourceKind::Cuda, "cuda", "CUDA", "cu", TargetKind::Cuda},
    SourceFormat{SourceKind::Ptx, "ptx", "PTX", "ptx", TargetKind::Cuda},
    SourceFormat{SourceKind::Sass, "sass", "SASS", "sass", TargetKind::Cuda},
};

/// The functions of a backend.
struct Backend {
    TargetKind kind = TargetKind::Llvm;
    Result<Source> (*source)(const Unit &unit, const Target &target, SourceKind kind,
                             std::stop_token stop) = nullptr;
    Result<Artifact> (*compile)(const Unit &unit, const Target &target, std::stop_token stop) = nullptr;
    std::string (*version)() = nullptr;
    Result<void> (*check)(const Target &target) =
        nullptr;             ///< null: whatever can be written can be made code for
    bool hasDevices = false; ///< that are not this processor
    Result<std::vector<KernelResources>> (*resources)(const Unit &unit, const Target &target,
                                                      std::stop_token stop) = nullptr; ///< null: not known
    Result<std::vector<LoopCode>> (*loops)(const Unit &unit, const Target &target,
                                           std::stop_token stop) = nullptr; ///< null: not known
    std::optional<VectorUnit> (*vectors)(const Target &target) = nullptr;   ///< null: not known
};

constexpr std::array backends{
#if NESTWRIGHT_HAS_LLVM
    Backend{.kind = TargetKind::Llvm,
            .source = llvmSource,
            .compile = llvmCompile,
            .version = llvmVersion,
            .check = llvmCheck,
            .loops = llvmLoopCode,
            .vectors = llvmVectorUnit},
#endif
#if NESTWRIGHT_HAS_C
    Backend{.kind = TargetKind::C, .source = cSource, .compile = cCompile, .version = cVersion},
#endif
#if NESTWRIGHT_HAS_CUDA
    Backend{.kind = TargetKind::Cuda,
            .source = cudaSource,
            .compile = cudaCompile,
            .version = cudaVersion,
            .check = cudaCheck,
            .hasDevices = true,
            .resources = cudaResources},
#endif
#if NESTWRIGHT_HAS_OPENCL
    Backend{.kind = TargetKind::OpenCl,
            .source = openClSource,
            .compile = openClCompile,
            .version = openClVersion,
            .hasDevices = true},
#endif
};

Result<const Backend *> findBackend(TargetKind kind)
{
    const auto found = std::ranges::find(backends, kind, &Backend::kind);
    if (found == backends.end()) {
        Target target;
        target.kind = kind;
        return fail(support::diagnostic(codes::notBuilt, "this program was built without a backend for '"
                                                             + target.str() + '\'')
                        .withHint("`nestc list targets` shows those it has"));
    }
    return &*found;
}

/// Signatures are taken before lowering: flat buffers no longer tell their dimensions.
Result<Unit> lowered(const ir::Module &module, const Target &target, const std::stop_token &stop)
{
    const ir::Module scheduled = ir::withCompactParameters(module);
    Unit unit;
    for (const ir::Module::Entry &entry : scheduled.functions()) {
        auto signature = signatureOf(*entry.function);
        if (!signature)
            return std::unexpected(signature.error());
        unit.signatures.push_back(std::move(*signature));
    }
    auto result = lower::lower(scheduled, target, {.keepRecords = false, .stop = stop});
    if (!result)
        return std::unexpected(result.error());
    unit.flat = std::move(result->module);
    return unit;
}

/// The target of the device that is used here, where `target` names no architecture.
Target ofDeviceHere(const Target &target, const Backend &backend)
{
    Target result = target;
    if (backend.hasDevices && target.arch.empty()) {
        if (const auto found = askForDevices(target.kind); found && !found->empty())
            result.arch = found->front().architecture;
    }
    return result;
}

Result<Source> loweredSource(const ir::Module &scheduled, const Target &target, const std::stop_token &stop)
{
    const auto lowered = lower::lower(scheduled, target, {.keepRecords = false, .stop = stop});
    if (!lowered)
        return std::unexpected(lowered.error());
    script::Printed printed = script::print(lowered->module, {.columns = script::readableColumns});
    return Source{std::move(printed.text), std::move(printed.spans), SourceKind::Lowered,
                  std::move(printed.varUses)};
}

bool isWithoutCompiler(SourceKind kind, const support::Diagnostic &error)
{
    return kind == SourceKind::Ptx && error.code == codes::noCudaCompiler;
}

/// PTX by LLVM, where NVIDIA's compiler is `missing`.
Result<Source> ptxWithoutCompiler([[maybe_unused]] const Unit &unit, [[maybe_unused]] const Target &target,
                                  [[maybe_unused]] const std::stop_token &stop,
                                  [[maybe_unused]] const support::Diagnostic &missing)
{
#if NESTWRIGHT_HAS_LLVM && NESTWRIGHT_HAS_CUDA
    return llvmPtx(unit, target::architectureOf(target), stop);
#else
    return fail(missing);
#endif
}

} // namespace

std::span<const SourceFormat> sourceFormats() { return formats; }

const SourceFormat *findSourceFormat(std::string_view name)
{
    const auto found = std::ranges::find(formats, name, &SourceFormat::name);
    return found == formats.end() ? nullptr : &*found;
}

const SourceFormat &sourceFormat(SourceKind kind)
{
    return *std::ranges::find(formats, kind, &SourceFormat::kind);
}

bool isBuilt(TargetKind kind) { return findBackend(kind).has_value(); }

std::vector<DeviceFacts> devices(TargetKind kind)
{
    const auto backend = findBackend(kind);
    return backend && (*backend)->hasDevices ? askForDevices(kind).value_or(std::vector<DeviceFacts>())
                                             : std::vector<DeviceFacts>();
}

Result<void> checkTarget(const Target &target)
{
    const auto backend = findBackend(target.kind);
    if (!backend)
        return fail(backend.error());
#if NESTWRIGHT_HAS_LLVM
    // A C compiler is given the names that LLVM knows, too.
    if (target.kind == TargetKind::C && (!target.mcpu.empty() || !target.mattr.empty()))
        return llvmCheck(target);
#endif
    return (*backend)->check ? (*backend)->check(target) : Result<void>();
}

std::optional<VectorUnit> vectorUnitOf(const Target &target)
{
    const auto backend = findBackend(target.kind);
    return backend && (*backend)->vectors ? (*backend)->vectors(target) : std::nullopt;
}

Result<void> checkDevice(const Target &target)
{
    const auto backend = findBackend(target.kind);
    if (!backend)
        return fail(backend.error());
    if (!(*backend)->hasDevices)
        return {};
    const auto found = askForDevices(target.kind);
    if (!found)
        return fail(found.error());
    const DeviceFacts &first = found->front();
    if (target.arch.empty() || runsOn(target.arch, first.architecture))
        return {};
    return fail(support::diagnostic("device.architecture",
                                    std::format("code for {} does not run on '{}', which is {}", target.arch,
                                                first.name, first.architecture))
                    .withHint("choose the target cuda without -arch, or -arch=" + first.architecture));
}

bool isBuilt(const SourceFormat &format) { return !format.target || isBuilt(*format.target); }

Target targetOf(const SourceFormat &format, const Target &target)
{
    if (!format.target || *format.target == target.kind)
        return target;
    Target other;
    other.kind = *format.target;
    return other;
}

Result<Unit> unitOf(const ir::Module &scheduled, const Target &target, const std::stop_token &stop)
{
    auto unit = lowered(scheduled, target, stop);
    if (unit) {
        if (const auto named = checkExternNames(unit->flat); !named)
            return fail(named.error());
    }
    return unit;
}

namespace {

using MakeSource = Result<Source> (*)(const Unit &, const Target &, SourceKind, std::stop_token);
using MakeArtifact = Result<Artifact> (*)(const Unit &, const Target &, std::stop_token);

/// `make`: the backend's own where it is null.
Result<Source> sourceBy(MakeSource make, const ir::Module &scheduled, const Target &target, SourceKind kind,
                        std::stop_token stop, const ExternLibraries *callable)
{
    const SourceFormat &format = sourceFormat(kind);
    if (kind == SourceKind::Lowered)
        return loweredSource(scheduled, target, stop);
    if (format.target != target.kind)
        return fail(codegen::codes::unsupported,
                    "the target '" + target.str() + "' has no " + std::string(format.title));
    const auto backend = findBackend(target.kind);
    if (!backend)
        return std::unexpected(backend.error());
    const auto unit = unitOf(scheduled, target, stop);
    if (!unit)
        return std::unexpected(unit.error());
    if (callable) {
        if (const auto externs = checkExterns(unit->flat, *callable); !externs)
            return std::unexpected(externs.error());
    }
    auto made = (make ? make : (*backend)->source)(*unit, target, kind, stop);
    return !made && isWithoutCompiler(kind, made.error())
               ? ptxWithoutCompiler(*unit, target, stop, made.error())
               : made;
}

/// The same of an artifact.
Result<Artifact> compileBy(MakeArtifact make, const ir::Module &scheduled, const Target &target,
                           std::stop_token stop, const ExternLibraries &libraries)
{
    const auto backend = findBackend(target.kind);
    if (!backend)
        return std::unexpected(backend.error());
    const Target here = ofDeviceHere(target, **backend);
    const auto unit = lowered(scheduled, here, stop);
    if (!unit)
        return std::unexpected(unit.error());
    auto externs = checkExterns(unit->flat, libraries);
    if (!externs)
        return std::unexpected(externs.error());
    auto artifact = (make ? make : (*backend)->compile)(*unit, here, std::move(stop));
    if (artifact && !externs->empty()) {
        artifact->externs = std::move(*externs);
        artifact->libraries = libraries;
    }
    return artifact;
}

} // namespace

Result<Source> source(const ir::Module &scheduled, const Target &target, SourceKind kind,
                      std::stop_token stop, const ExternLibraries *callable)
{
    return sourceBy(nullptr, scheduled, target, kind, std::move(stop), callable);
}

Result<Source> exportedSource(const ir::Module &scheduled, const Target &target, SourceKind kind, Asks asks,
                              std::stop_token stop, const ExternLibraries &libraries)
{
    MakeSource make = nullptr;
#if NESTWRIGHT_HAS_LLVM
    const bool isMachineCode = kind == SourceKind::Asm || kind == SourceKind::IntelAsm;
    if (asks == Asks::Functions && isMachineCode)
        make = llvmExportedSource;
#endif
    return sourceBy(make, scheduled, target, kind, std::move(stop), &libraries);
}

Result<std::vector<KernelResources>> kernelResources(const ir::Module &scheduled, const Target &target,
                                                     std::stop_token stop)
{
    const auto backend = findBackend(target.kind);
    if (!backend)
        return fail(backend.error());
    if (!(*backend)->resources)
        return fail(
            support::diagnostic(codegen::codes::unsupported,
                                "what kernels use is not known for the target '" + target.str() + '\'')
                .withHint("choose the target cuda"));
    const auto unit = unitOf(scheduled, target, stop);
    if (!unit)
        return fail(unit.error());
    return (*backend)->resources(*unit, target, std::move(stop));
}

Result<std::vector<LoopCode>> loopCode(const ir::Module &scheduled, const Target &target,
                                       std::stop_token stop)
{
    const auto backend = findBackend(target.kind);
    if (!backend)
        return fail(backend.error());
    if (!(*backend)->loops)
        return fail(
            support::diagnostic(codegen::codes::unsupported,
                                "the machine code for the target '" + target.str() + "' is not made here")
                .withHint("choose the target llvm"));
    const auto unit = unitOf(scheduled, target, stop);
    if (!unit)
        return fail(unit.error());
    auto loops = (*backend)->loops(*unit, target, std::move(stop));
    if (loops)
        findLoops(*loops, unit->flat);
    return loops;
}

Result<std::vector<Entry>> entriesOf(const ir::Module &module)
{
    Unit unit;
    unit.flat = ir::withCompactParameters(module);
    for (const ir::Module::Entry &entry : unit.flat.functions()) {
        auto signature = signatureOf(*entry.function);
        if (!signature)
            return std::unexpected(signature.error());
        unit.signatures.push_back(std::move(*signature));
    }
    return unit.entries();
}

Result<Artifact> compile(const ir::Module &scheduled, const Target &target, std::stop_token stop,
                         const ExternLibraries &libraries)
{
    return compileBy(nullptr, scheduled, target, std::move(stop), libraries);
}

Result<Artifact> exportedArtifact(const ir::Module &scheduled, const Target &target, Asks asks,
                                  std::stop_token stop, const ExternLibraries &libraries)
{
    MakeArtifact make = nullptr;
#if NESTWRIGHT_HAS_LLVM
    if (asks == Asks::Functions && target.kind == TargetKind::Llvm)
        make = llvmExportedObject;
#endif
    return compileBy(make, scheduled, target, std::move(stop), libraries);
}

Result<Artifact> compileEmulated(const ir::Module &scheduled, const Target &target, std::stop_token stop)
{
#if NESTWRIGHT_HAS_CUDA
    Target cuda;
    cuda.kind = TargetKind::Cuda;
    cuda.arch = target.arch;
    const auto unit = lowered(scheduled, cuda, stop);
    if (!unit)
        return std::unexpected(unit.error());
    if (const auto externs = checkExterns(unit->flat, {}); !externs)
        return std::unexpected(externs.error());
    return compileEmulated(*unit, cuda, std::move(stop));
#else
    return fail(codes::notBuilt, "this program was built without CUDA's text");
#endif
}

std::string toolVersion(TargetKind kind)
{
    const auto found = std::ranges::find(backends, kind, &Backend::kind);
    return found == backends.end() ? std::string() : found->version();
}

} // namespace nestwright::backend
