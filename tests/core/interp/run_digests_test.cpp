// SPDX-License-Identifier: Apache-2.0
/// Random and edited programs, run on random arguments: the digest of their results, or of the error that
/// ends them.
#include "core/interp/interpreter.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/digest.h"
#include "tests/support/outcomes.h"
#include "tests/support/programs.h"
#include "tests/support/random_program.h"
#include "tests/support/text_edits.h"

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr int texts = 6;

std::string ofFunction(const ir::PrimFunc &function, std::uint64_t seed)
{
    auto arguments = interp::makeArguments(function, seed);
    if (!arguments)
        return arguments.error().code + ' ' + digest(arguments.error().render());
    std::vector<ir::NdArray *> buffers;
    for (ir::NdArray &array : *arguments)
        buffers.push_back(&array);
    const auto done = interp::run(function, buffers, {}, {.steps = 1'000'000, .stop = {}});
    std::string all = done ? std::string() : done.error().render();
    for (const ir::NdArray &array : *arguments) {
        for (std::int64_t i = 0; i < array.size(); ++i)
            all += std::format("{:.5g} ", array.at(i));
    }
    return (done ? "done " : done.error().code + ' ') + digest(all);
}

QString outcomeOf(const QString &seed)
{
    static const std::vector<std::string> pool = tokenPool();
    Random random(seed.toULongLong());
    std::string outcome;
    for (int i = 0; i < texts; ++i) {
        const std::string text =
            i % 2 == 0 ? randomProgram(random) : withOtherWords(randomProgram(random), pool, random);
        const auto module = script::parseTvmScript(text, "edited.py");
        outcome +=
            module ? ofFunction(*module->mainEntry()->function, static_cast<std::uint64_t>(i)) : "unread";
        outcome += '\n';
    }
    return QString::fromStdString(outcome).trimmed();
}

} // namespace

NW_OUTCOMES_TEST("tests/core/interp/run_digests.txt", outcomeOf)
