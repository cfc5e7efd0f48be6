// SPDX-License-Identifier: Apache-2.0
#include "core/measure/verify/rungs.h"

#include "core/analysis/codes.h"
#include "core/backend/backend.h"
#include "core/backend/codes.h"
#include "core/measure/codes.h"
#include "core/measure/measurer.h"
#include "core/measure/verify/comparison.h"
#include "core/measure/verify/interpreted.h"
#include "core/support/errors/codes.h"
#include "core/support/phase.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nestwright::measure {

using support::Diagnostic;
using support::fail;
using support::Result;
using target::TargetKind;

namespace {

constexpr std::array facts{
    RungFacts{Rung::Interpreter, "interpreter", "interpreter",
              "step by step: barriers, races, and memory that nobody wrote"},
    RungFacts{Rung::Compiled, "compiled", "compiled", "the target's own code on this processor"},
    RungFacts{Rung::Llvm, "llvm", "LLVM", "LLVM's code on this processor", TargetKind::Llvm},
    RungFacts{Rung::C, "c", "C", "C, compiled for this processor", TargetKind::C},
    RungFacts{Rung::OpenCl, "opencl", "OpenCL", "on the first OpenCL device", TargetKind::OpenCl},
    RungFacts{Rung::CudaText, "cuda-text", "CUDA text",
              "compiled for this processor, which runs its blocks and threads"},
    RungFacts{Rung::Nvrtc, "nvrtc", "NVRTC", "compiled to machine code of NVIDIA's GPUs", TargetKind::Cuda},
    RungFacts{Rung::Device, "device", "device", "on the first NVIDIA GPU", TargetKind::Cuda},
};

bool isMissing(const Diagnostic &reason)
{
    constexpr auto missing = std::to_array<std::string_view>(
        {backend::codes::notBuilt, backend::codes::noCompiler, backend::codes::noCudaCompiler,
         backend::codes::noDevice, codes::tooSlow, codes::editedCode});
    return std::ranges::contains(missing, std::string_view(reason.code));
}

/// Whether the program is wrong whatever values it computes.
bool isUnsound(const Diagnostic &reason)
{
    return reason.code == analysis::codes::parallelConflict || reason.code == analysis::codes::unwritten;
}

using Checked = Result<RungResult>; ///< an error of the job as a whole

RungResult failed(Diagnostic reason)
{
    RungResult result;
    result.outcome = isMissing(reason) ? RungResult::Outcome::NotHere : RungResult::Outcome::Fails;
    result.reason = std::move(reason);
    return result;
}

RungResult held(std::string found = {})
{
    RungResult result;
    result.outcome = RungResult::Outcome::Holds;
    result.found = std::move(found);
    return result;
}

Checked byWorker(Measurer &measurer, const MeasureJob &job, std::stop_token stop)
{
    auto measured = measurer.measure(job, [](const Progress &) {}, std::move(stop));
    if (!measured)
        return fail(measured.error());
    Measurement &first = measured->front();
    if (first.failure)
        return failed(std::move(*first.failure));
    if (!first.isVerified())
        return failed(tellNothing());
    return held(first.evidence
                + (first.difference ? "; " + describeDifference(*first.difference) : std::string()));
}

/// "48 registers, …" of each kernel, by name where there are several.
std::string textOf(const std::vector<backend::KernelResources> &kernels)
{
    std::string text;
    for (const backend::KernelResources &kernel : kernels)
        text += (text.empty() ? "" : "; ") + (kernels.size() > 1 ? kernel.kernel + ": " : std::string())
                + backend::resourcesText(kernel);
    return text;
}

/// For the target's architecture, or for one of each generation that the compiler may know.
Checked byNvrtc(const MeasureJob &job, const std::stop_token &stop)
{
    std::vector<std::string> architectures{"sm_80", "sm_90", "sm_100"};
    if (!job.target.arch.empty())
        architectures = {job.target.arch};
    std::string found;
    for (const std::string &architecture : architectures) {
        target::Target target;
        target.kind = *factsOf(Rung::Nvrtc).kind;
        target.arch = architecture;
        const auto kernels = backend::kernelResources(job.variants.front(), target, stop);
        if (kernels) {
            found += (found.empty() ? "" : " · ") + architecture + ' ' + textOf(*kernels);
            continue;
        }
        const bool isUnknown = kernels.error().code == backend::codes::unknownArchitecture;
        if (!isUnknown || job.target.arch == architecture)
            return failed(kernels.error());
    }
    return held(std::move(found));
}

/// Whether code that a person wrote for the target is what the rung runs.
bool runsEditedCode(Rung rung, TargetKind kind)
{
    return rung == Rung::Compiled || factsOf(rung).kind == kind;
}

Checked byInterpreter(MeasureJob job, const SmallerProgram *smaller, const std::stop_token &stop)
{
    if (smaller) {
        job.reference = smaller->reference;
        job.variants = {smaller->scheduled};
    }
    auto verified = verifyByInterpreter(job, job.variants.front(), stop);
    return verified ? held(smaller ? "at sizes that it comes to the end of: " + smaller->sizes : "")
                    : failed(std::move(verified.error()));
}

Checked checkOn(Rung rung, Measurer &measurer, MeasureJob job, const SmallerProgram *smaller,
                const std::stop_token &stop)
{
    job.variants.resize(1);
    job.verifyOnly = true;
    if (job.edits.contains(0) && !runsEditedCode(rung, job.target.kind))
        return failed(
            support::diagnostic(codes::editedCode, "edited code is checked as it is compiled only"));
    switch (rung) {
    case Rung::Interpreter: return byInterpreter(std::move(job), smaller, stop);
    case Rung::Compiled: return byWorker(measurer, job, stop);
    case Rung::Llvm:
    case Rung::C:
        if (const TargetKind kind = *factsOf(rung).kind; job.target.kind != kind) {
            const int threads = job.target.threads;
            job.target = {};
            job.target.kind = kind;
            job.target.threads = threads;
        }
        return byWorker(measurer, job, stop);
    case Rung::OpenCl:
        job.target = {};
        job.target.kind = *factsOf(rung).kind;
        return byWorker(measurer, job, stop);
    case Rung::CudaText: job.isEmulated = true; return byWorker(measurer, job, stop);
    case Rung::Nvrtc: return byNvrtc(job, stop);
    case Rung::Device: job.target.kind = *factsOf(rung).kind; return byWorker(measurer, job, stop);
    }
    std::unreachable();
}

} // namespace

const RungFacts &factsOf(Rung rung) { return *std::ranges::find(facts, rung, &RungFacts::rung); }

std::vector<Rung> rungsOf(const target::Target &target)
{
    if (target.isGpu())
        return {Rung::OpenCl, Rung::CudaText, Rung::Nvrtc, Rung::Device, Rung::Interpreter};
    return {Rung::Llvm, Rung::C, Rung::Interpreter};
}

Rung usualRung(const target::Target &target)
{
    switch (target.kind) {
    case TargetKind::OpenCl: return Rung::OpenCl;
    case TargetKind::Cuda: return backend::devices(target.kind).empty() ? Rung::CudaText : Rung::Device;
    default: return Rung::Compiled;
    }
}

Result<std::vector<RungResult>> climb(Measurer &measurer, const MeasureJob &job, std::span<const Rung> rungs,
                                      const std::function<void(const RungResult &)> &done,
                                      std::stop_token stop, const SmallerProgram *smaller)
{
    std::vector<RungResult> results;
    for (const Rung rung : rungs) {
        const auto started = std::chrono::steady_clock::now();
        support::tellPhase(factsOf(rung).title);
        auto checked = checkOn(rung, measurer, job, smaller, stop);
        if (stop.stop_requested())
            return fail(support::codes::cancelled, "verifying was cancelled");
        if (!checked && (isMissing(checked.error()) || isUnsound(checked.error())))
            checked = failed(checked.error());
        if (!checked)
            return fail(checked.error());
        checked->rung = rung;
        checked->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        const RungResult &result = results.emplace_back(std::move(*checked));
        if (done)
            done(result);
    }
    return results;
}

} // namespace nestwright::measure
