// SPDX-License-Identifier: Apache-2.0
/// Edited TVMScript: the module that is read, or the error.
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/edited_outcomes.h"
#include "tests/support/outcomes.h"
#include "tests/support/programs.h"

using namespace nestwright;
using namespace nestwright::tests;

namespace {

std::vector<std::string> originals()
{
    std::vector<std::string> texts = textsIn({"tests/fuzz/corpus/tvmscript"}, "*.py");
    for (const Program &program : programs())
        texts.emplace_back(program.text);
    return texts;
}

QString outcomeOf(const QString &seed)
{
    static const EditedOutcomes outcomes(originals());
    return outcomes.of(seed, [](const std::string &text) {
        const auto module = script::parseTvmScript(text, "edited.py");
        return module ? "read " + script::print(*module).text
                      : module.error().code + ' ' + module.error().render();
    });
}

} // namespace

NW_OUTCOMES_TEST("tests/core/script/edited_texts.txt", outcomeOf)
