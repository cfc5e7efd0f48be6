// SPDX-License-Identifier: Apache-2.0
/// Sizes that no tile divides: 197 rows and columns, say, as a vision transformer has.
#include "core/graph/strategy/lanes.h"
#include "core/graph/strategy/rules.h"
#include "core/ir/build/builder.h"

#include <algorithm>

namespace nestwright::graph {

namespace {

/// Sums of less work are not worth copies of their operands.
constexpr double leastWork = 1 << 16;

/// The cost of rows that are summed `factor` at a time: shared operands are loaded anew each time.
std::int64_t costOfRows(std::int64_t rows, std::int64_t factor)
{
    constexpr std::int64_t shared = 4;
    return (rows + factor - 1) / factor * (factor + shared);
}

/// The multiple to which so many rows are best rounded up; 1 where that gains little.
std::int64_t rowPadding(std::int64_t rows, std::int64_t room)
{
    const std::int64_t now = costOfRows(rows, largestDivisor(rows, room));
    std::int64_t best = 1, least = now;
    for (std::int64_t factor = 2; factor <= std::min(rows, room); ++factor) {
        if (const std::int64_t cost = costOfRows(rows, factor); cost < least) {
            best = factor;
            least = cost;
        }
    }
    return 4 * least < 3 * now ? best : 1;
}

/// The padding of the innermost dimension, which goes into vectors.
std::int64_t columnPadding(const target::Machine &machine, std::int64_t columns, std::int64_t rows,
                           std::int64_t bytes)
{
    const std::int64_t whole = machine.vectors.bytes / bytes, least = 8;
    if (columns < whole || rows < least) // else copies take longer than sums
        return 1;
    return laneEfficiency(machine, lanesFor(machine, columns, bytes), bytes) * 2 < static_cast<double>(whole)
               ? whole
               : 1;
}

/// Padding of each variable of the block; empty where nothing is to be rounded up.
schedule::ArgValue::List paddingOf(const Scheduler &scheduler, StmtId block)
{
    const ir::Block &sum = scheduler.block(block);
    const std::int64_t bytes = sum.writes[0].buffer.dtype().bytes();
    std::vector<std::size_t> spatial;
    std::vector<std::int64_t> extents, padding(sum.iterVars.size(), 1);
    double work = 1;
    for (std::size_t i = 0; i < sum.iterVars.size(); ++i) {
        const std::int64_t *extent = ir::asInt(sum.iterVars[i].domain.extent);
        if (!extent)
            return {};
        extents.push_back(*extent);
        work *= static_cast<double>(*extent);
        if (sum.iterVars[i].kind == ir::IterKind::Spatial && *extent > 1)
            spatial.push_back(i);
    }
    if (spatial.size() < 2 || work < leastWork)
        return {};
    const std::size_t column = spatial.back(), row = spatial[spatial.size() - 2];
    const Panels panels = panelsOf(scheduler, block);
    const target::Machine &machine = scheduler.machine();
    if (panels.width == 1)
        padding[column] = columnPadding(machine, extents[column], extents[row], bytes);
    const std::int64_t lanes =
        padding[column] > 1 ? padding[column]
                            : lanesFor(machine, panels.width > 1 ? panels.width : extents[column], bytes);
    if (lanes > 1)
        padding[row] = rowPadding(extents[row], tileRows(machine, lanes, panels, bytes));
    if (padding[row] == 1 && padding[column] == 1)
        return {};
    return {padding.begin(), padding.end()};
}

} // namespace

bool padContraction(Scheduler &scheduler, StmtId block)
{
    if (scheduler.block(block).writes.size() != 1)
        return false;
    schedule::ArgValue::List padding = paddingOf(scheduler, block);
    const std::vector<StmtId> before = scheduler.blocks();
    if (padding.empty()
        || !scheduler.attempt("pad_einsum", {{"block", block}, {"padding", std::move(padding)}}))
        return false;
    for (const StmtId made : scheduler.blocks()) {
        if (std::ranges::contains(before, made))
            continue;
        if (std::ranges::contains(scheduler.index().producers(block), made))
            parallelizeStage(scheduler, made);
        else if (!scheduler.index().consumers(made).empty()) // later stages may read past the copy back
            scheduler.attempt("compute_inline", {{"block", made}});
    }
    return true;
}

} // namespace nestwright::graph
