// SPDX-License-Identifier: Apache-2.0
/// What must hold of the reader of a worker's answers whatever it reads: for the test over the corpus and for the fuzzer.
#pragma once

#include "core/measure/worker_protocol.h"
#include "core/support/json_nesting.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace nestwright::tests {

/// Reads `text` as a measurement and gives what is wrong with how it went, or nothing: it is refused with a Diagnostic, or what is
/// read is written and read again as the same. Nothing throws.
inline std::string checkWorkerAnswer(std::string_view text)
{
    if (support::jsonTooDeepAt(text)) // as whoever reads a worker's line does
        return {};
    const auto answer = nlohmann::json::parse(text, nullptr, false);
    if (answer.is_discarded())
        return {};
    const auto measurement = measure::measurementFromJson(answer);
    if (!measurement)
        return measurement.error().code.empty() || measurement.error().message.empty()
                   ? "a Diagnostic without a code or a message"
                   : "";
    const nlohmann::json written = measure::toJson(*measurement);
    const auto again = measure::measurementFromJson(written);
    if (!again)
        return "what is written cannot be read: " + again.error().message;
    return measure::toJson(*again) == written ? "" : "reading what is written differs: " + written.dump();
}

} // namespace nestwright::tests
