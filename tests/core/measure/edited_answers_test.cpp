// SPDX-License-Identifier: Apache-2.0
/// Edited answers of a worker: the measurements that they are read as, or the error.
#include "core/measure/worker/worker_protocol.h"
#include "core/support/text/json.h"
#include "core/support/text/json_nesting.h"
#include "tests/support/edited_outcomes.h"
#include "tests/support/outcomes.h"

using namespace nestwright;
using namespace nestwright::tests;

namespace {

QString outcomeOf(const QString &seed)
{
    static const EditedOutcomes outcomes(textsIn({"tests/fuzz/corpus/worker"}, "*.json"));
    return outcomes.of(seed, [](const std::string &text) -> std::string {
        if (support::jsonTooDeepAt(text))
            return "too-deep";
        const support::Json answer = support::Json::parse(text, nullptr, false);
        if (answer.is_discarded())
            return "none";
        std::string all = "read ";
        if (const auto one = measure::measurementFromJson(answer))
            all += measure::toJson(*one).dump();
        else
            all += one.error().render();
        for (const std::size_t asked : {1, 2}) {
            if (const auto several = measure::measurementsFromJson(answer, asked)) {
                for (const measure::Measurement &each : *several)
                    all += measure::toJson(each).dump();
            } else {
                all += several.error().render();
            }
            if (const auto progress = measure::progressFromJson(answer, asked))
                all += std::format("{} {} {}", progress->fraction, progress->phase, progress->partial.size());
        }
        return all;
    });
}

} // namespace

NW_OUTCOMES_TEST("tests/core/measure/edited_answers.txt", outcomeOf)
