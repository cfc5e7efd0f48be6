// SPDX-License-Identifier: Apache-2.0
#include "core/backend/cuda/cuda_backend.h"

#include "core/backend/cuda/cuda_compiler.h"
#include "core/backend/cuda/cuda_emitter.h"
#include "core/backend/cuda/sass.h"
#include "core/backend/device/ptx_listing.h"
#include "core/support/errors/errors.h"

#include <algorithm>

namespace nestwright::backend {

using support::fail;
using support::Result;

namespace {

Result<CudaBinary> compiled(const DeviceSource &source, const target::Target &target, std::stop_token stop)
{
    if (const auto known = cudaCheck(target); !known)
        return fail(known.error());
    return compileCuda(source.text.text(), target::architectureOf(target), std::move(stop));
}

} // namespace

DeviceSource cudaKernels(const Unit &unit, std::int64_t mostShared)
{
    CudaEmitter emitter(mostShared);
    return writeKernels(unit, emitter, "// Made by Nestwright. CUDA C++; needs no header.",
                        CudaEmitter::prelude);
}

Result<Source> cudaSource(const Unit &unit, const target::Target &target, SourceKind kind,
                          std::stop_token stop)
try {
    const DeviceSource source = cudaKernels(unit);
    if (kind == SourceKind::Cuda)
        return Source{source.text.text(), source.text.spans(), kind};
    auto binary = compiled(source, target, stop);
    if (!binary)
        return fail(binary.error());
    const auto statementOf = [&](std::uint32_t line) { return statementAt(line, source.text.spans()); };
    Listing listing;
    if (kind == SourceKind::Sass) {
        const auto printed = disassembled(binary->cubin, stop);
        if (!printed)
            return fail(printed.error());
        listing = cleanSass(*printed, "Made by NVRTC for " + target::architectureOf(target), statementOf);
    } else {
        listing = cleanPtx(binary->ptx, "Made by NVRTC", statementOf);
    }
    return Source{std::move(listing.text), std::move(listing.spans), kind};
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

Result<std::vector<KernelResources>> cudaResources(const Unit &unit, const target::Target &target,
                                                   std::stop_token stop)
try {
    const DeviceSource source = cudaKernels(unit);
    auto binary = compiled(source, target, std::move(stop));
    if (!binary)
        return fail(binary.error());
    for (KernelResources &resources : binary->kernels) {
        const auto kernel = std::ranges::find(source.kernels, resources.kernel, &DeviceProgram::Kernel::name);
        if (kernel == source.kernels.end())
            continue;
        resources.sharedBytes += kernel->sharedAtLaunch;
        if (std::ranges::all_of(kernel->threads, [](auto n) { return n > 0; }))
            resources.threads = kernel->threads[0] * kernel->threads[1] * kernel->threads[2];
    }
    return std::move(binary->kernels);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

Result<Artifact> cudaCompile(const Unit &unit, const target::Target &target, std::stop_token stop)
try {
    DeviceSource source = cudaKernels(unit);
    auto binary = compiled(source, target, std::move(stop));
    if (!binary)
        return fail(binary.error());
    return artifactOf({hostPart(unit.flat), std::move(binary->cubin), std::move(source.kernels)},
                      Format::CudaDevice, unit, target);
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

Result<void> cudaCheck(const target::Target &target)
{
    if (target.arch.empty() || target::multiprocessorOf(target.arch))
        return {};
    std::string names;
    for (const target::Multiprocessor &each : target::multiprocessors())
        names += (names.empty() ? "" : ", ") + std::string(each.architecture);
    return fail(support::diagnostic("target.option", "there is no architecture '" + target.arch + '\'')
                    .withHint("it is one of " + names));
}

std::string cudaVersion()
{
    static const std::string version = [] {
        const auto compiler = cudaCompiler();
        return compiler ? "NVRTC " + compiler->version + " (" + compiler->path + ')' : std::string();
    }();
    return version;
}

} // namespace nestwright::backend
