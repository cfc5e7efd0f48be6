// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/advice.h"

#include "core/backend/backend.h"
#include "core/backend/vector_arithmetic.h"
#include "core/schedule/apply.h"
#include "core/suggest/device_advice.h"
#include "core/suggest/move_innermost.h"

#include <algorithm>
#include <ranges>

namespace nestwright::suggest {

using schedule::ArgList;

namespace {

constexpr std::int64_t longestVector = 64;

/// The block that runs most often; none where no size is known.
StmtId busiestBlock(const LoopNest &nest)
{
    StmtId busiest;
    double most = 1;
    for (const StmtId id : nest.all()) {
        if (!nest.block(id))
            continue;
        double runs = 1;
        for (const StmtId loop : nest.loopsTo(id))
            runs *= static_cast<double>(std::max<std::int64_t>(1, nest.iterations(loop).value_or(1)));
        if (runs > most) {
            most = runs;
            busiest = id;
        }
    }
    return busiest;
}

bool isSerial(const LoopNest &nest, StmtId id)
{
    const ir::For *loop = nest.loop(id);
    return loop && loop->forKind == ir::ForKind::Serial;
}

bool isSpatial(const LoopNest &nest, StmtId loop)
{
    const analysis::LoopAxis *axis = nest.axis(loop);
    return axis && axis->spatial && !axis->reduce && !axis->opaque;
}

bool isReduction(const LoopNest &nest, StmtId loop)
{
    const analysis::LoopAxis *axis = nest.axis(loop);
    return axis && axis->reduce && !axis->spatial && !axis->opaque;
}

/// Brings the innermost spatial loop of the nest within the reduction.
std::optional<Advice> reductionInnermost(const LoopNest &nest, StmtId innermost)
{
    if (!isReduction(nest, innermost) || !isSerial(nest, innermost))
        return {};
    StmtId best;
    for (const StmtId loop : nest.perfectNest(innermost)) {
        // The last axis of the output is the one that lies dense in memory.
        if (isSpatial(nest, loop) && isSerial(nest, loop)
            && (!best || nest.axis(loop)->single() >= nest.axis(best)->single()))
            best = loop;
    }
    const auto move = moveInnermost(nest, best);
    if (!move || !schedule::check(nest.state(), move->step))
        return {};
    return Advice{Finding::ReductionInnermost, innermost,
                  nest.name(innermost) + " is a reduction: its iterations wait for each other", move->title,
                  move->step};
}

std::optional<Advice> noVector(const LoopNest &nest, StmtId innermost)
{
    const std::int64_t iterations = nest.iterations(innermost).value_or(0);
    if (!isSpatial(nest, innermost) || !isSerial(nest, innermost) || iterations < 2)
        return {};
    const std::string name = nest.name(innermost);
    const bool isLong = iterations > longestVector;
    const auto step = isLong
                          ? schedule::makeStep("split", {{"loop", innermost}, {"factors", ArgList{{}, 32}}})
                          : schedule::makeStep("vectorize", {{"loop", innermost}});
    if (!step || !schedule::check(nest.state(), *step))
        return {};
    if (isLong)
        return Advice{Finding::LoopTooLongForVector, innermost, name + " is too long for a vector",
                      "Split " + name + " by 32", *step};
    return Advice{Finding::ScalarLoop, innermost, name + " computes one element at a time",
                  "Vectorize " + name, *step};
}

std::optional<Advice> noThreads(const LoopNest &nest, const std::vector<StmtId> &loops, int threads)
{
    const auto isParallel = [&](StmtId id) { return nest.loop(id)->forKind == ir::ForKind::Parallel; };
    const auto isShared = [&](StmtId id) { return nest.iterations(id).value_or(2) > 1; };
    const auto found = std::ranges::find_if(loops, isShared);
    if (found == loops.end())
        return {};
    const StmtId outermost = *found;
    if (threads < 2 || !isSerial(nest, outermost) || std::ranges::any_of(loops, isParallel))
        return {};
    const auto step = schedule::makeStep("parallel", {{"loop", outermost}});
    if (!step || !schedule::check(nest.state(), *step))
        return {};
    return Advice{Finding::IdleThreads, outermost,
                  "Only one of " + std::to_string(threads) + " threads works",
                  "Run " + nest.name(outermost) + " in parallel", *step};
}

/// Whether the machine code of the block, or of the loop right around it, computes with vectors.
bool hasVectors(const LoopNest &nest, const lower::Target &target, StmtId block, StmtId innermost,
                const std::stop_token &stop)
{
    if (target.kind != lower::TargetKind::Llvm)
        return false;
    const auto source = backend::source(nest.state().module, target, backend::SourceKind::Asm, stop);
    if (!source)
        return false;
    std::vector<std::string_view> lines;
    for (const auto line : std::views::split(std::string_view(source->text), '\n'))
        lines.emplace_back(line);
    for (const script::LineSpan &span : source->spans) {
        if (span.stmt != block && span.stmt != innermost)
            continue;
        for (int line = span.firstLine; line <= span.lastLine; ++line) {
            const auto i = static_cast<std::size_t>(line);
            if (i < lines.size() && backend::isPackedArithmetic(lines[i]))
                return true;
        }
    }
    return false;
}

} // namespace

std::optional<Advice> adviceFor(const LoopNest &nest, const lower::Target &target, int threads,
                                const std::stop_token &stop)
{
    const StmtId block = busiestBlock(nest);
    const std::vector<StmtId> loops = nest.loopsTo(block);
    if (loops.empty() || stop.stop_requested())
        return {};
    if (target.isGpu())
        return deviceAdvice(nest, target, block, stop);
    auto advice = reductionInnermost(nest, loops.back());
    if (!advice)
        advice = noVector(nest, loops.back());
    if (advice && !hasVectors(nest, target, block, loops.back(), stop))
        return advice;
    return noThreads(nest, loops, threads);
}

} // namespace nestwright::suggest
