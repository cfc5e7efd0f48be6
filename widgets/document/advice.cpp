// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/advice.h"

#include "core/schedule/apply.h"
#include "widgets/document/actions.h"

#include <algorithm>

namespace nestwright::document {

using schedule::ArgList;
using schedule::Step;

namespace {

constexpr std::int64_t longestVector = 64;

const NestRow &at(const Nest &nest, int row) { return nest.rows[static_cast<std::size_t>(row)]; }

/// The row of the block that runs most often; -1 where no size is known.
int busiestBlock(const Nest &nest)
{
    int busiest = -1;
    double most = 1;
    for (int row = 0; row < static_cast<int>(nest.rows.size()); ++row) {
        if (at(nest, row).kind != RowKind::Block)
            continue;
        double runs = 1;
        for (const int loop : nest.loopsTo(row))
            runs *= static_cast<double>(std::max<std::int64_t>(1, at(nest, loop).iterations));
        if (runs > most) {
            most = runs;
            busiest = row;
        }
    }
    return busiest;
}

bool isSerial(const NestRow &row) { return row.badge.isEmpty(); }

std::optional<Step> legalStep(const Nest &nest, std::string_view primitive, const NestRow &loop)
{
    auto step = schedule::makeStep(primitive, {{"loop", loop.id}});
    if (step && schedule::check(nest.state, *step))
        return *step;
    return {};
}

/// Brings the innermost spatial loop of the nest within the reduction.
std::optional<Advice> reductionInnermost(const Nest &nest, int innermost)
{
    const NestRow &reduction = at(nest, innermost);
    if (reduction.role != u"reduction" || !isSerial(reduction))
        return {};
    const std::vector<int> chain = perfectNest(nest, innermost);
    int best = -1;
    for (const int loop : chain) { // the last axis of the output is the one that lies dense in memory
        if (at(nest, loop).role == u"spatial" && isSerial(at(nest, loop))
            && (best < 0 || at(nest, loop).axis >= at(nest, best).axis))
            best = loop;
    }
    if (best < 0)
        return {};
    ArgList order;
    for (auto loop = std::ranges::find(chain, best) + 1; loop != chain.end(); ++loop)
        order.emplace_back(at(nest, *loop).id);
    order.emplace_back(at(nest, best).id);
    const Step step{schedule::findPrimitive("reorder"), {order}};
    if (!schedule::check(nest.state, step))
        return {};
    return Advice{QStringLiteral("%1 is a reduction: its iterations wait for each other").arg(reduction.name),
                  QStringLiteral("Reorder %1 innermost").arg(at(nest, best).name), step};
}

std::optional<Advice> noVector(const Nest &nest, int innermost)
{
    const NestRow &loop = at(nest, innermost);
    if (loop.role != u"spatial" || !isSerial(loop) || loop.iterations < 2)
        return {};
    if (loop.iterations > longestVector) {
        const auto step = schedule::makeStep("split", {{"loop", loop.id}, {"factors", ArgList{{}, 32}}});
        if (!step || !schedule::check(nest.state, *step))
            return {};
        return Advice{QStringLiteral("%1 is too long for a vector").arg(loop.name),
                      QStringLiteral("Split %1 by 32").arg(loop.name), *step};
    }
    const auto step = legalStep(nest, "vectorize", loop);
    if (!step)
        return {};
    return Advice{QStringLiteral("%1 computes one element at a time").arg(loop.name),
                  QStringLiteral("Vectorize %1").arg(loop.name), *step};
}

std::optional<Advice> noThreads(const Nest &nest, const std::vector<int> &loops, int threads)
{
    if (threads < 2
        || std::ranges::any_of(loops, [&](int loop) { return at(nest, loop).badge == u"parallel"; }))
        return {};
    const NestRow &outermost = at(nest, loops.front());
    const auto step = isSerial(outermost) ? legalStep(nest, "parallel", outermost) : std::nullopt;
    if (!step)
        return {};
    return Advice{QStringLiteral("Only one of %1 threads works").arg(threads),
                  QStringLiteral("Run %1 in parallel").arg(outermost.name), *step};
}

} // namespace

std::optional<Advice> adviceFor(const Nest &nest, int threads, const std::stop_token &stop)
{
    const int block = busiestBlock(nest);
    const std::vector<int> loops = block < 0 ? std::vector<int>() : nest.loopsTo(block);
    if (loops.empty() || stop.stop_requested())
        return {};
    if (auto advice = reductionInnermost(nest, loops.back()))
        return advice;
    if (auto advice = noVector(nest, loops.back()))
        return advice;
    return noThreads(nest, loops, threads);
}

} // namespace nestwright::document
