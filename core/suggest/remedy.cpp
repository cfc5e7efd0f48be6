// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/remedy.h"

#include <algorithm>

namespace nestwright::suggest {

void findRemedy(const LoopNest &nest, StmtId loop, Action &action)
{
    const std::vector<StmtId> chain = nest.perfectNest(loop);
    const auto here = std::ranges::find(chain, loop);
    if (here == chain.end() || std::next(here) == chain.end())
        return;
    schedule::ArgList order(std::next(here), chain.end());
    order.emplace_back(loop);
    const schedule::Step reorder{schedule::findPrimitive("reorder"), {order}};
    const auto moved = schedule::apply(nest.state(), reorder);
    if (moved && schedule::check(moved->state, action.step())) {
        action.remedy = reorder;
        action.remedyTitle = "Reorder " + nest.name(loop) + " innermost";
    }
}

} // namespace nestwright::suggest
