// SPDX-License-Identifier: Apache-2.0
/// Edited schedule scripts and traces, run on a product of matrices: the program that they make, or the
/// error.
#include "core/schedule/script/reader.h"
#include "core/schedule/script/trace_json.h"
#include "core/schedule/script/writer.h"
#include "core/script/print/printer.h"
#include "tests/support/check_primitive.h"
#include "tests/support/edited_outcomes.h"
#include "tests/support/outcomes.h"
#include "tests/support/programs.h"

using namespace nestwright;
using namespace nestwright::tests;

namespace {

QString outcomeOf(const QString &seed)
{
    static const EditedOutcomes scripts(textsIn({"tests/fuzz/corpus/schedule"}, "*.py"));
    static const EditedOutcomes traces(textsIn({"tests/fuzz/corpus/trace"}, "*.json"));
    static const schedule::State state = scheduled(programText("mm_relu"));
    const bool isTrace = seed.toInt() % 2 == 1;
    return (isTrace ? traces : scripts).of(seed, [isTrace](const std::string &text) {
        const auto run = isTrace ? schedule::runTraceJson(state, text, "edited.json")
                                 : schedule::runScheduleScript(state, text, "edited.py");
        return run ? "run " + script::print(run->state.module).text
                   : run.error().code + ' ' + run.error().render();
    });
}

} // namespace

NW_OUTCOMES_TEST("tests/core/schedule/script/edited_texts.txt", outcomeOf)
