// SPDX-License-Identifier: Apache-2.0
#include "core/report/result_text.h"

#include "core/measure/machine/machine_peak.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/support/host.h"

#include <chrono>
#include <format>

namespace nestwright::report {

namespace {

std::string counted(int threads)
{
    return std::format("{} {}", threads, threads == 1 ? "thread" : "threads");
}

std::string_view verdictOf(const measure::Measurement &measured)
{
    if (measured.isVerified())
        return "verified";
    return measured.stored ? "stored, not measured here" : "not verified";
}

} // namespace

std::string resultText(const measure::Measurement &measured)
{
    if (measured.failure)
        return measured.failure->message;
    return std::format("{}, {}, {}", verdictOf(measured), counted(measured.threads),
                       measured.disturbed ? "on a busy machine" : "calm");
}

std::string originText(const session::Session &session)
{
    const target::Target &target = session.target();
    const int threads = measure::threadsOf(target);
    std::string text = "target " + target.str();
    if (!target.isGpu())
        text += ", " + counted(threads);
    text += ", " + support::processorName();
    if (const auto peak = measure::loadCachedPeak(threads); peak && !target.isGpu())
        text += std::format(", peak {:.0f} GFLOPS", peak->float32Flops * 1e-9);
    const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    return text + std::format(". Written {:%F}", today);
}

} // namespace nestwright::report
