// SPDX-License-Identifier: Apache-2.0
/// Edited TE scripts: the module and the schedules that are read, or the error.
#include "core/frontend/te_script/te_script.h"
#include "core/script/print/printer.h"
#include "tests/support/edited_outcomes.h"
#include "tests/support/outcomes.h"
#include "tests/support/steps_text.h"

using namespace nestwright;
using namespace nestwright::tests;

namespace {

QString outcomeOf(const QString &seed)
{
    static const EditedOutcomes outcomes(textsIn({"tests/fuzz/corpus/te", "examples"}, "*.py"));
    return outcomes.of(seed, [](const std::string &text) {
        const auto read = te::readTeScript(text, "edited.py");
        if (!read)
            return read.error().code + ' ' + read.error().render();
        std::string all = "read " + script::print(read->module).text;
        for (const support::Diagnostic &note : read->notes)
            all += note.render();
        for (const te::ScheduleSteps &steps : read->schedules)
            all += steps.name + tests::stepsText(steps);
        return all;
    });
}

} // namespace

NW_OUTCOMES_TEST("tests/core/te/edited_texts.txt", outcomeOf)
