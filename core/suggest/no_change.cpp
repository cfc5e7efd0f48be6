// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/no_change.h"

#include "core/schedule/primitive.h"
#include "core/schedule/state_index.h"

#include <algorithm>
#include <array>
#include <format>

namespace nestwright::suggest {

namespace {

struct WayToRun {
    std::string_view primitive;
    ir::ForKind kind;
    std::string_view words;
};

constexpr std::array waysToRun{WayToRun{"parallel", ir::ForKind::Parallel, "runs in parallel"},
                               WayToRun{"vectorize", ir::ForKind::Vectorized, "is vectorized"},
                               WayToRun{"unroll", ir::ForKind::Unrolled, "is unrolled"},
                               WayToRun{"bind", ir::ForKind::ThreadBinding, "is bound to these threads"}};

} // namespace

std::optional<support::Diagnostic> whyNoChange(const schedule::State &state, const schedule::Step &step)
{
    if (!step.primitive || step.args.empty())
        return std::nullopt;
    const auto way = std::ranges::find(waysToRun, step.primitive->name, &WayToRun::primitive);
    const auto *id = step.args.front().as<ir::StmtId>();
    if (way == waysToRun.end() || !id)
        return std::nullopt;
    const analysis::FunctionIndex *index = state.index->of(*id);
    const ir::For *loop = index ? index->loop(*id) : nullptr;
    const auto *thread = step.args.size() > 1 ? step.args[1].as<std::string>() : nullptr;
    if (!loop || loop->forKind != way->kind || (thread && *thread != loop->thread))
        return std::nullopt;
    return support::diagnostic("suggest.no-change",
                               std::format("loop '{}' {} already", loop->var.name(), way->words))
        .at(*id)
        .withHint("choose another loop, or another way for this one to run");
}

} // namespace nestwright::suggest
