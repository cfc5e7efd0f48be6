// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/remedy.h"

#include "core/suggest/move_innermost.h"

namespace nestwright::suggest {

void findRemedy(const LoopNest &nest, StmtId loop, Action &action)
{
    auto move = moveInnermost(nest, loop);
    if (!move)
        return;
    const auto moved = schedule::apply(nest.state(), move->step);
    if (moved && schedule::check(moved->state, action.step())) {
        action.remedy = std::move(move->step);
        action.remedyTitle = std::move(move->title);
    }
}

} // namespace nestwright::suggest
