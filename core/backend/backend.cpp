// SPDX-License-Identifier: Apache-2.0
#include "core/backend/backend.h"

#include "core/backend/codes.h"
#include "core/backend/device/driver_process.h"
#include "core/backend/link/exported_code.h"
#include "core/backend/listing/loop_code.h"
#include "core/backend/table/backend_table.h"
#include "core/codegen/codes.h"
#include "core/ir/parameter_layout.h"
#include "core/lower/pipeline.h"

#include <format>
#include <functional>

namespace nestwright::backend {

using support::fail;
using support::Result;
using target::Target;
using target::TargetKind;

namespace {

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
    if (backend.devices.list && target.arch.empty()) {
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

/// By another backend, where the compiler of this one is `missing`.
Result<Source> substituted(const Unit &unit, const Target &target, SourceKind kind,
                           const support::Diagnostic &missing, std::stop_token stop)
{
    const Backend *other = firstBackend([&](const Backend &each) {
        return each.substitute.source && each.substitute.kind == kind
               && each.substitute.missing == missing.code;
    });
    return other ? other->substitute.source(unit, target, std::move(stop)) : fail(missing);
}

} // namespace

std::vector<DeviceFacts> devices(TargetKind kind)
{
    const Backend *backend = backendOf(kind);
    return backend && backend->devices.list ? askForDevices(kind).value_or(std::vector<DeviceFacts>())
                                            : std::vector<DeviceFacts>();
}

Result<void> checkTarget(const Target &target)
{
    const auto backend = findBackend(target.kind);
    if (!backend)
        return fail(backend.error());
    if ((*backend)->check)
        return (*backend)->check(target);
    // The compilers of other backends are given names of processors that one backend knows.
    const bool isNamed = !target.mcpu.empty() || !target.mattr.empty();
    const Backend *names = firstBackend([](const Backend &each) { return each.processors.check; });
    return isNamed && names ? names->processors.check(target) : Result<void>();
}

Result<void> checkDevice(const Target &target)
{
    const auto backend = findBackend(target.kind);
    if (!backend)
        return fail(backend.error());
    if (!(*backend)->devices.list)
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
using MakeArtifact =
    std::function<Result<Artifact>(const Unit &unit, const Target &target, std::stop_token stop)>;

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
    return made ? made : substituted(*unit, target, kind, made.error(), std::move(stop));
}

/// The same of an artifact.
Result<Artifact> compileBy(const MakeArtifact &make, const ir::Module &scheduled, const Target &target,
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
    auto artifact = make ? make(*unit, here, stop) : (*backend)->compile(*unit, here, stop);
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
    const Backend *backend = backendOf(target.kind);
    const bool isAsking = asks == Asks::Functions && sourceFormat(kind).isAssembly;
    const MakeSource make = isAsking && backend ? backend->exports.askingSource : nullptr;
    return sourceBy(make, scheduled, target, kind, std::move(stop), &libraries);
}

Result<std::vector<KernelResources>> kernelResources(const ir::Module &scheduled, const Target &target,
                                                     std::stop_token stop)
{
    const auto backend = findBackend(target.kind);
    if (!backend)
        return fail(backend.error());
    if (!(*backend)->devices.resources)
        return fail(
            support::diagnostic(codegen::codes::unsupported,
                                "what kernels use is not known for the target '" + target.str() + '\'')
                .withHint("choose the target cuda"));
    const auto unit = unitOf(scheduled, target, stop);
    if (!unit)
        return fail(unit.error());
    return (*backend)->devices.resources(*unit, target, std::move(stop));
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

Result<Artifact> exportedArtifact(const ir::Module &scheduled, const Target &target,
                                  const std::string &fileName, Asks asks, std::stop_token stop,
                                  const ExternLibraries &libraries)
{
    const Backend *backend = backendOf(target.kind);
    MakeArtifact make;
    if (backend && backend->exports.object)
        make = [&](const Unit &unit, const Target &here, std::stop_token stopping) {
            return backend->exports.object(unit, here, asks, fileName, std::move(stopping));
        };
    return compileBy(make, scheduled, target, std::move(stop), libraries);
}

Result<Artifact> compileEmulated(const ir::Module &scheduled, const Target &target, std::stop_token stop)
{
    const Backend *backend = firstBackend([](const Backend &each) { return each.devices.emulated; });
    if (!backend)
        return fail(codes::notBuilt, "this program was built without CUDA's text");
    Target emulated;
    emulated.kind = backend->kind;
    emulated.arch = target.arch;
    const auto unit = lowered(scheduled, emulated, stop);
    if (!unit)
        return std::unexpected(unit.error());
    if (const auto externs = checkExterns(unit->flat, {}); !externs)
        return std::unexpected(externs.error());
    return backend->devices.emulated(*unit, emulated, std::move(stop));
}

} // namespace nestwright::backend
