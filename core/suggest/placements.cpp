// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/placements.h"

#include "core/ir/threads.h"
#include "core/schedule/state_index.h"

#include <algorithm>

namespace nestwright::suggest {

using schedule::ArgList;

namespace {

Placement reorderedTo(const LoopNest &nest, const std::vector<StmtId> &chain, std::size_t from,
                      std::size_t to)
{
    std::vector<StmtId> order = chain;
    const StmtId moved = order[from];
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), moved);
    ArgList loops;
    std::string names;
    for (std::size_t i = std::min(from, to); i <= std::max(from, to); ++i) {
        loops.emplace_back(order[i]);
        names += (names.empty() ? "" : ", ") + nest.name(order[i]);
    }
    return {.at = chain[to],
            .side = to < from ? Placement::Side::Above : Placement::Side::Below,
            .steps = {{schedule::findPrimitive("reorder"), {loops}}},
            .label = "drop here: " + names};
}

std::vector<Placement> placementsOfLoop(const LoopNest &nest, StmtId loop, const std::stop_token &stop)
{
    std::vector<Placement> placements;
    const std::vector<StmtId> chain = nest.perfectNest(loop);
    const auto from = static_cast<std::size_t>(std::ranges::find(chain, loop) - chain.begin());
    for (std::size_t to = 0; to < chain.size() && !stop.stop_requested(); ++to) {
        if (to == from)
            continue;
        Placement placement = reorderedTo(nest, chain, from, to);
        if (schedule::check(nest.state(), placement.steps.front()))
            placements.push_back(std::move(placement));
    }
    return placements;
}

std::vector<Placement> placementsOfBlock(const LoopNest &nest, StmtId block, const std::stop_token &stop)
{
    constexpr std::pair<const char *, const char *> moves[] = {{"compute_at", "compute at "},
                                                               {"reverse_compute_at", "reverse compute at "}};
    std::vector<Placement> placements;
    for (const StmtId loop : nest.all()) {
        if (stop.stop_requested())
            break;
        if (!nest.loop(loop))
            continue;
        for (const auto &[primitive, label] : moves) {
            auto step = schedule::makeStep(primitive, {{"block", block}, {"loop", loop}});
            if (!step || !schedule::check(nest.state(), *step))
                continue;
            placements.push_back({.at = loop, .steps = {*std::move(step)}, .label = label + nest.name(loop)});
            break;
        }
    }
    return placements;
}

/// The loops around `block` into which the copy that `cache` makes of its buffer may go.
void addCopies(const LoopNest &nest, StmtId block, const schedule::Step &cache, const char *move,
               const std::string &label, const std::stop_token &stop, std::vector<Placement> &placements)
{
    const auto cached = schedule::apply(nest.state(), cache);
    if (!cached || cached->outputs.empty())
        return;
    for (const StmtId loop : nest.loopsTo(block)) {
        if (stop.stop_requested())
            return;
        auto step = schedule::makeStep(move, {{"block", cached->id(0)}, {"loop", cached->forward(loop)}});
        const bool taken = std::ranges::contains(placements, loop, &Placement::at);
        if (step && !taken && schedule::check(cached->state, *step))
            placements.push_back({.at = loop, .steps = {cache, *std::move(step)}, .label = label});
    }
}

/// Why `thread` is not free for the loop; nothing where it is.
std::optional<support::Diagnostic> whyTaken(const LoopNest &nest, StmtId id, const std::string &thread)
{
    if (ir::threadAxisOf(thread)->rank == ir::ThreadRank::Virtual)
        return {};
    const analysis::FunctionIndex &index = *nest.indexOf(id);
    for (const StmtId other : index.all()) {
        const ir::For *loop = index.loop(other);
        const bool isRelated = other == id || index.encloses(other, id) || index.encloses(id, other);
        if (!loop || !isRelated || ir::threadAxisOf(*loop) != ir::threadAxisOf(thread))
            continue;
        const std::string who =
            other == id
                ? "it"
                : "loop '" + nest.name(other) + (index.encloses(other, id) ? "' around it" : "' within it");
        return support::diagnostic("schedule.thread-axis", who + " is bound to " + thread + " already")
            .at(id)
            .at(other);
    }
    return {};
}

} // namespace

std::vector<Placement> placementsOf(const LoopNest &nest, StmtId moved, const std::stop_token &stop)
{
    if (!nest.contains(moved))
        return {};
    return nest.loop(moved) ? placementsOfLoop(nest, moved, stop) : placementsOfBlock(nest, moved, stop);
}

std::vector<Binding> bindingsOf(const LoopNest &nest, StmtId id, const std::stop_token &stop)
{
    if (!nest.loop(id))
        return {};
    std::vector<Binding> bindings;
    for (const char *thread :
         {"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z", "vthread"}) {
        if (stop.stop_requested())
            return {};
        auto step = schedule::makeStep("bind", {{"loop", id}, {"thread_axis", thread}});
        if (!step)
            continue;
        Binding binding{thread, *std::move(step), whyTaken(nest, id, thread)};
        if (const auto legal = schedule::check(nest.state(), binding.step); !binding.refused && !legal)
            binding.refused = legal.error();
        bindings.push_back(std::move(binding));
    }
    return bindings;
}

std::vector<Placement> placementsOfBuffer(const LoopNest &nest, const std::string &buffer, BufferUse use,
                                          const std::stop_token &stop)
{
    std::vector<Placement> placements;
    for (const StmtId id : nest.all()) {
        const ir::Block *block = nest.block(id);
        if (!block)
            continue;
        const auto addSide = [&](const std::vector<ir::BufferRegion> &regions, const char *cache,
                                 const char *indexField, const char *move) {
            for (std::size_t i = 0; i < regions.size(); ++i) {
                if (regions[i].buffer.name() != buffer)
                    continue;
                const auto step = schedule::makeStep(
                    cache,
                    {{"block", id}, {indexField, static_cast<std::int64_t>(i)}, {"storage_scope", "global"}});
                if (step)
                    addCopies(nest, id, *step, move, "a copy of " + buffer + " per iteration", stop,
                              placements);
            }
        };
        if (use != BufferUse::Written)
            addSide(block->reads, "cache_read", "read_buffer_index", "compute_at");
        addSide(block->writes, "cache_write", "write_buffer_index", "reverse_compute_at");
    }
    return placements;
}

} // namespace nestwright::suggest
