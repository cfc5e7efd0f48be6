// SPDX-License-Identifier: Apache-2.0
#include "tests/support/worker_check.h"

#include "core/measure/worker_protocol.h"
#include "core/support/json_nesting.h"

#include <nlohmann/json.hpp>

namespace nestwright::tests {

std::string checkWorkerAnswer(std::string_view text)
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
