// SPDX-License-Identifier: Apache-2.0
/// Invariants of the reader of a worker's answers: for the test over the corpus and for the fuzzer.
#pragma once

#include "core/measure/worker/worker_protocol.h"
#include "core/support/text/json.h"
#include "core/support/text/json_nesting.h"

#include <string>
#include <string_view>

namespace nestwright::tests {

namespace detail {

inline std::string measurementFault(const support::Json &answer)
{
    const auto measurement = measure::measurementFromJson(answer);
    if (!measurement)
        return measurement.error().code.empty() || measurement.error().message.empty()
                   ? "a Diagnostic without a code or a message"
                   : "";
    const support::Json written = measure::toJson(*measurement);
    const auto again = measure::measurementFromJson(written);
    if (!again)
        return "what is written cannot be read: " + again.error().message;
    return measure::toJson(*again) == written ? "" : "reading what is written differs: " + written.dump();
}

} // namespace detail

/// Reads `text` as a measurement, as a worker's answer about one or two variants and as a line of its
/// progress, and gives the fault, or nothing: it is refused with a Diagnostic, or what is read is written and
/// read again as the same, and is as many measurements as were asked for. Nothing throws.
inline std::string checkWorkerAnswer(std::string_view text)
{
    if (support::jsonTooDeepAt(text)) // as whoever reads a worker's line does
        return {};
    const auto answer = support::Json::parse(text, nullptr, false);
    if (answer.is_discarded())
        return {};
    for (const std::size_t asked : {1, 2}) {
        if (const auto all = measure::measurementsFromJson(answer, asked); all && all->size() != asked)
            return "an answer with another number of measurements than was asked for is taken";
        const auto progress = measure::progressFromJson(answer, asked);
        if (!progress)
            continue;
        if (!(progress->fraction >= 0 && progress->fraction <= 1))
            return "a fraction beyond 0 and 1: " + std::to_string(progress->fraction);
        if (!progress->partial.empty() && progress->partial.size() != asked)
            return "progress with another number of measurements than was asked for is taken";
    }
    return detail::measurementFault(answer);
}

} // namespace nestwright::tests
