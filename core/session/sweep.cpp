// SPDX-License-Identifier: Apache-2.0
#include "core/session/sweep.h"

namespace nestwright::session {

SweepPoint sweepPoint(const VariantTree &tree, VariantId variant, const explore::StepNumber &number,
                      std::int64_t value, VariantId tip, const explore::Machine &machine)
{
    const schedule::Step changed = explore::withNumber(tree.at(variant).step, number, value);
    SweepPoint point{.value = value, .edit = changeStep(tree, variant, changed, tree.programOf(tip))};
    point.edit.editsOf.reset(); // a number is looked for, no code
    Replayed replayed = replay(tree, point.edit);
    if (replayed.conflict)
        point.why = std::move(replayed.conflict);
    else if (!replayed.steps.empty() && !replayed.steps.back().applied)
        point.why = replayed.steps.back().applied.error();
    if (point.why)
        return point;
    point.prediction = explore::predict(replayed.end, machine);
    point.state = std::move(replayed.end);
    return point;
}

} // namespace nestwright::session
