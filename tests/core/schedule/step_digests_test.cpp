// SPDX-License-Identifier: Apache-2.0
/// Random steps on random programs: the legal ones, and a digest of the modules that they give and of the
/// sentences that refuse the others. A step that becomes legal, is refused for another reason or gives
/// another form shows here.
#include "core/script/print/printer.h"
#include "tests/support/check_primitive.h"
#include "tests/support/digest.h"
#include "tests/support/outcomes.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"

using namespace nestwright;
using namespace nestwright::tests;

namespace {

constexpr int tries = 30;

QString outcomeOf(const QString &seed)
{
    Random random(seed.toULongLong());
    schedule::State state = scheduled(randomProgram(random));
    std::string legal, all;
    for (int i = 0; i < tries; ++i) {
        const schedule::Step step = randomStep(state, random);
        auto applied = schedule::apply(state, step);
        all += step.primitive->name;
        if (applied) {
            state = std::move(applied->state);
            (legal += step.primitive->name) += ' ';
            all += script::print(state.module).text;
        } else {
            all += applied.error().render();
        }
    }
    return QString::fromStdString(legal + digest(all));
}

} // namespace

NW_OUTCOMES_TEST("tests/core/schedule/step_digests.txt", outcomeOf)
