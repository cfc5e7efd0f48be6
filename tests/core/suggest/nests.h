// SPDX-License-Identifier: Apache-2.0
/// Loop nests of the tests' programs.
#pragma once

#include "core/schedule/script/reader.h"
#include "core/suggest/loop_nest.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <string_view>

namespace nestwright::tests {

inline suggest::LoopNest nestOf(const schedule::State &state) { return {state, script::print(state.module)}; }

inline suggest::LoopNest nestOf(std::string_view name)
{
    return nestOf(schedule::makeState(program(name)).value());
}

/// The loop or block of that name, the `which`-th of them; none where there is none.
inline ir::StmtId idOf(const suggest::LoopNest &nest, std::string_view name, int which = 0)
{
    const auto found = std::ranges::find_if(
        nest.all(), [&](ir::StmtId id) { return nest.name(id) == name && which-- == 0; });
    return found == nest.all().end() ? ir::StmtId() : *found;
}

} // namespace nestwright::tests
