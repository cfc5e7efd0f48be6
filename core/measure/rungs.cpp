// SPDX-License-Identifier: Apache-2.0
#include "core/measure/rungs.h"

#include "core/backend/backend.h"
#include "core/measure/interpreted.h"
#include "core/support/codes.h"

#include <algorithm>
#include <array>

namespace nestwright::measure {

using lower::TargetKind;
using support::Diagnostic;
using support::fail;
using support::Result;

namespace {

constexpr std::array facts{
    RungFacts{Rung::Interpreter, "interpreter", "interpreter",
              "the lowered program step by step; between threads, barriers and races"},
    RungFacts{Rung::Compiled, "compiled", "compiled", "the target's own code on this processor"},
    RungFacts{Rung::OpenCl, "opencl", "OpenCL", "on the first OpenCL device"},
    RungFacts{Rung::CudaText, "cuda-text", "CUDA text",
              "compiled for this processor, which runs its blocks and threads"},
};

bool isMissing(const Diagnostic &reason)
{
    constexpr std::array<std::string_view, 3> codes{"backend.not-built", "backend.no-compiler",
                                                    "device.none"};
    return std::ranges::contains(codes, std::string_view(reason.code));
}

/// By the worker. Inner errors are of the job as a whole.
Result<std::optional<Diagnostic>> byWorker(Measurer &measurer, const MeasureJob &job, std::stop_token stop)
{
    auto measured = measurer.measure(job, [](const Progress &) {}, std::move(stop));
    if (!measured)
        return fail(measured.error());
    return std::move(measured->front().failure);
}

Result<std::optional<Diagnostic>> checkOn(Rung rung, Measurer &measurer, MeasureJob job,
                                          const std::stop_token &stop)
{
    job.variants.resize(1);
    job.verifyOnly = true;
    switch (rung) {
    case Rung::Interpreter: {
        auto held = verifyByInterpreter(job, job.variants.front(), stop);
        return held ? std::nullopt : std::optional(std::move(held.error()));
    }
    case Rung::Compiled: return byWorker(measurer, job, stop);
    case Rung::OpenCl:
        job.target = {};
        job.target.kind = TargetKind::OpenCl;
        if (backend::isBuilt(TargetKind::OpenCl) && backend::devices(TargetKind::OpenCl).empty())
            return support::diagnostic("device.none", "no OpenCL device was found")
                .withHint("install a driver: pocl-opencl-icd runs kernels on the processor");
        return byWorker(measurer, job, stop);
    case Rung::CudaText: job.isEmulated = true; return byWorker(measurer, job, stop);
    }
    return std::nullopt;
}

} // namespace

const RungFacts &factsOf(Rung rung) { return *std::ranges::find(facts, rung, &RungFacts::rung); }

std::vector<Rung> rungsOf(const lower::Target &target)
{
    if (target.isGpu())
        return {Rung::Interpreter, Rung::OpenCl, Rung::CudaText};
    return {Rung::Interpreter, Rung::Compiled};
}

Result<std::vector<RungResult>> climb(Measurer &measurer, const MeasureJob &job, std::span<const Rung> rungs,
                                      const std::function<void(const RungResult &)> &done,
                                      std::stop_token stop)
{
    std::vector<RungResult> results;
    for (const Rung rung : rungs) {
        const auto started = std::chrono::steady_clock::now();
        auto reason = checkOn(rung, measurer, job, stop);
        if (stop.stop_requested())
            return fail(support::codes::cancelled, "verifying was cancelled");
        if (!reason && isMissing(reason.error()))
            reason = std::move(reason.error());
        if (!reason)
            return fail(reason.error());
        RungResult &result = results.emplace_back();
        result.rung = rung;
        result.outcome = !*reason              ? RungResult::Outcome::Holds
                         : isMissing(**reason) ? RungResult::Outcome::NotHere
                                               : RungResult::Outcome::Fails;
        result.reason = std::move(*reason);
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        if (done)
            done(result);
    }
    return results;
}

} // namespace nestwright::measure
