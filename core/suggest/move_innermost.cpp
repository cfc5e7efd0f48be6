// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/move_innermost.h"

#include "core/schedule/primitive.h"

#include <algorithm>

namespace nestwright::suggest {

std::optional<MoveInnermost> moveInnermost(const LoopNest &nest, StmtId loop)
{
    const std::vector<StmtId> chain = nest.perfectNest(loop);
    const auto here = std::ranges::find(chain, loop);
    if (here == chain.end() || std::next(here) == chain.end())
        return {};
    schedule::ArgList order(std::next(here), chain.end());
    order.emplace_back(loop);
    return MoveInnermost{{schedule::findPrimitive("reorder"), {order}},
                         "Reorder " + nest.name(loop) + " innermost"};
}

} // namespace nestwright::suggest
