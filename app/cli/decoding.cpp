// SPDX-License-Identifier: Apache-2.0
#include "app/cli/decoding.h"

#include "app/cli/command.h"
#include "app/cli/in_child.h"
#include "core/backend/link/runtime.h"
#include "core/graph/run/decoder.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/sandbox/enclosed_loading.h"
#include "core/measure/sandbox/sandbox.h"
#include "core/measure/statistics.h"
#include "core/support/files/temporary_folder.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/model_answers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <format>
#include <iostream>
#include <span>
#include <unistd.h>

namespace nestwright::cli {

using support::fail;
using support::Result;
using workbench::Generated;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

namespace {

/// Places are had in so many at a time, so that nearby lengths share their kernels.
constexpr std::int64_t bucket = 64;

/// In the process apart: a message for each token.
Result<void> generate(const measure::Line &line, const CompiledModel &compiled,
                      const graph::DecodingRoles &roles, int count, const std::filesystem::path &folder)
{
    const measure::ModelCode code{compiled.program, compiled.artifacts};
    auto loaded = measure::loadEnclosedModels(std::span(&code, 1), folder);
    if (!loaded)
        return fail(loaded.error());
    auto decoder = graph::Decoder::make(std::move(loaded->front()), roles);
    if (!decoder)
        return fail(decoder.error());
    measure::enterSandbox({});
    std::int64_t token = 0;
    for (int i = 0; i < count; ++i) {
        const Clock::time_point begin = Clock::now();
        const auto next = decoder->step(token);
        if (!next)
            return fail(next.error());
        token = *next;
        measure::Message message;
        message.number = i;
        message.seconds = Seconds(Clock::now() - begin).count();
        message.count = token;
        line.send(message);
    }
    return {};
}

/// Milliseconds of one token: the median of the tokens [from, to).
double medianMs(const Generated &found, std::size_t from, std::size_t to)
{
    const std::vector<double> part(found.seconds.begin() + static_cast<std::ptrdiff_t>(from),
                                   found.seconds.begin() + static_cast<std::ptrdiff_t>(to));
    return measure::median(part) * 1e3;
}

std::string lineOf(const std::string &model, const Generated &found)
{
    const std::size_t all = found.seconds.size(), part = std::min<std::size_t>(16, all);
    return std::format("{}: {} tokens, {:.1f} per second, {:.3f} ms each (the first {}: {:.3f}, the last {}: "
                       "{:.3f}), {} places for former tokens, {} kernels compiled in {:.1f} s\n",
                       model, all, found.tokensPerSecond(), medianMs(found, 0, all), part,
                       medianMs(found, 0, part), part, medianMs(found, all - part, all), found.places,
                       found.kernels, found.compiling);
}

} // namespace

Result<void> benchDecoding(const ModelOptions &options, const target::Target &target,
                           const DecodingRequest &request, const std::vector<std::string> &schedules,
                           const std::string &jsonFile)
{
    nestwright_set_threads(request.threads);
    ModelOptions asked = options;
    asked.request.decodingPlaces =
        request.places > 0 ? request.places : (request.tokens + bucket - 1) / bucket * bucket;
    auto opened = openModel(asked);
    if (!opened)
        return fail(opened.error());
    const graph::DecodingRoles roles = *opened->decoding;
    if (roles.places < request.tokens)
        return fail(
            support::diagnostic("usage.places", std::format("{} tokens need as many places, there are {}",
                                                            request.tokens, roles.places))
                .withHint("give more --places, or fewer tokens"));
    auto program = graph::makeProgram(std::move(opened->function), opened->machine);
    if (!program)
        return fail(program.error());
    const bool toOutput = jsonFile == "-";
    const Clock::time_point begin = Clock::now();
    const auto chosen = kernelSchedules(*program, schedules, opened->work);
    if (!chosen)
        return fail(chosen.error());
    const auto compiled =
        compiledWith(std::move(*program), *chosen, target, [&](std::size_t done, std::size_t all) {
            if (toOutput)
                std::cout << support::jsonText(workbench::compiledLine(done, all)) << std::endl;
        });
    if (!compiled)
        return fail(compiled.error());
    Generated found;
    found.places = roles.places;
    found.kernels = compiled->program.kernels.size();
    found.compiling = Seconds(Clock::now() - begin).count();
    const measure::OtherLoad load({getpid()});
    const support::TemporaryFolder folder; // for kernels that are loaded from files
    const auto body = [&](const measure::Line &line) {
        return generate(line, *compiled, roles, request.tokens, folder.path());
    };
    const auto done = inChild(request.timeout, body, [&](const measure::Message &message) {
        if (!std::isfinite(message.seconds) || message.seconds < 0
            || found.seconds.size() >= static_cast<std::size_t>(request.tokens))
            return;
        found.seconds.push_back(message.seconds);
        found.tokens.push_back(message.count);
        if (toOutput)
            std::cout << support::jsonText(
                workbench::tokenLine(found.seconds.size(), request.tokens, message.seconds))
                      << std::endl;
    });
    if (!done)
        return done;
    if (found.seconds.empty())
        return fail("kernel.crash", "the process that ran the model told no times");
    found.otherLoad = load.processors().value_or(0);
    found.disturbed = measure::disturbs(found.otherLoad, nestwright_threads(), measure::usableCores());
    if (!jsonFile.empty()) {
        if (auto written = writeText(jsonFile, support::jsonText(workbench::toJson(found)) + "\n");
            !written || toOutput)
            return written;
    }
    std::cout << lineOf(options.model, found);
    if (found.disturbed)
        std::cerr << "note: " << measure::disturbance(found.otherLoad) << '\n';
    return {};
}

} // namespace nestwright::cli
