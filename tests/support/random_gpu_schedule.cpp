// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_gpu_schedule.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/equality.h"
#include "core/ir/threads.h"
#include "core/schedule/state_index.h"
#include "tests/support/random_step.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace nestwright::tests {

using schedule::ArgList;
using schedule::ArgValue;
using schedule::StmtId;

namespace {

class Scheduler {
public:
    Scheduler(const schedule::State &initial, Random &random)
        : m_result{initial, {}}
        , m_random(random)
        , m_later(ir::structuralHash(initial.module))
    {
    }

    GpuSchedule run()
    {
        for (std::int64_t count = m_random.below(3); count > 0; --count) {
            const schedule::Step step = lastingStep(m_result.state, m_random);
            if (step.primitive->name != "bind")
                apply(step);
        }
        for (const StmtId block : blocks()) {
            if (m_random.chance(60))
                cache(block);
        }
        for (const StmtId block : blocks()) {
            if (m_random.chance(90))
                bind(block);
        }
        for (const StmtId block : blocks()) {
            if (isFilledInRounds(block) && m_later.chance(25))
                apply("annotate", {{"block_or_loop", block},
                                   {"ann_key", std::string("double_buffer_scope")},
                                   {"ann_val", std::int64_t{0}}});
        }
        return std::move(m_result);
    }

private:
    const analysis::FunctionIndex &index() const
    {
        return *m_result.state.index->function(m_result.state.module.functions().front().name);
    }

    std::vector<StmtId> blocks() const
    {
        std::vector<StmtId> result;
        for (const StmtId id : index().all()) {
            if (!index().loop(id) && id != index().root())
                result.push_back(id);
        }
        return result;
    }

    std::optional<ArgList> apply(const schedule::Step &step)
    {
        auto applied = schedule::apply(m_result.state, step);
        if (!applied)
            return std::nullopt;
        m_result.steps.push_back(step);
        m_result.state = std::move(applied->state);
        return std::move(applied->outputs);
    }

    std::optional<ArgList> apply(std::string_view name,
                                 const std::vector<std::pair<std::string_view, ArgValue>> &args)
    {
        const auto step = schedule::makeStep(name, args);
        return step ? apply(*step) : std::nullopt;
    }

    /// A part of the block's data copied, mostly where it is used.
    void cache(StmtId block)
    {
        if (!index().contains(block))
            return;
        const bool isRead = m_random.chance(70);
        const std::string own = m_later.chance(15) ? "warp" : "local";
        const std::string scope = m_random.chance(65) ? "shared" : own;
        const GpuSchedule before = m_result;
        const auto copy = apply(isRead ? "cache_read" : "cache_write",
                                {{"block", block},
                                 {isRead ? "read_buffer_index" : "write_buffer_index", m_random.below(2)},
                                 {"storage_scope", scope}});
        const std::vector<StmtId> loops = index().loopsOf(block);
        if (!copy || loops.empty())
            return;
        const auto at = loops[static_cast<std::size_t>(m_random.below(std::ssize(loops)))];
        const bool isMoved =
            apply(isRead ? "compute_at" : "reverse_compute_at", {{"block", copy->front()}, {"loop", at}})
                .has_value();
        if (!isMoved && m_random.chance(90)) // such memory is one kernel's
            m_result = before;
    }

    /// Whether a block fills memory that is not global in the innermost loop that it shares with another,
    /// which runs in one thread.
    bool isFilledInRounds(StmtId id) const
    {
        const ir::Block &block = *index().block(id);
        if (block.writes.empty() || block.writes.front().buffer->scope == "global")
            return false;
        std::vector<StmtId> shared;
        for (const StmtId loop : index().loopsOf(id)) {
            const auto isAround = [&](StmtId other) {
                return other != id && std::ranges::contains(index().loopsOf(other), loop);
            };
            if (std::ranges::any_of(blocks(), isAround))
                shared.push_back(loop);
        }
        const std::int64_t *rounds =
            shared.empty() ? nullptr : ir::asInt(index().loop(shared.back())->extent);
        return rounds && *rounds > 1 && !isBound(shared.back());
    }

    bool isBound(StmtId loop) const { return ir::threadAxisOf(*index().loop(loop)).has_value(); }

    bool isReduced(StmtId id, StmtId loop) const
    {
        const ir::Block &block = *index().block(id);
        for (std::size_t i = 0; i < block.iterVars.size(); ++i) {
            if (block.iterVars[i].kind == ir::IterKind::Reduce
                && ir::uses(block.iterValues[i], index().loop(loop)->var))
                return true;
        }
        return false;
    }

    /// Binds the outer loops of a block, or those below loops that are bound already.
    void bind(StmtId block)
    {
        if (!index().contains(block))
            return;
        std::vector<StmtId> loops = index().loopsOf(block);
        const bool isWithin = std::ranges::any_of(loops, [&](StmtId loop) { return isBound(loop); });
        const auto last = std::ranges::find_last_if(loops, [&](StmtId loop) { return isBound(loop); });
        if (isWithin)
            loops.erase(loops.begin(), last.begin() + 1);
        if (loops.empty())
            return;
        StmtId loop = loops.front();
        std::erase_if(loops, [&](StmtId each) { return isReduced(block, each) && m_random.chance(80); });
        if (loops.empty())
            return;
        loop = loops.front();
        if (loops.size() > 1 && m_random.chance(50)) {
            const auto count = m_random.between(2, std::ssize(loops));
            if (const auto fused = apply("fuse", {{"loops", ArgList(loops.begin(), loops.begin() + count)}}))
                loop = *fused->front().as<StmtId>();
        } else if (m_random.chance(40) && loops.size() > 1) {
            loop = loops[1];
        }
        bool isAlongY = m_random.chance(30);
        for (const StmtId around : index().loopsOf(block)) { // mostly along an axis that is free
            if (isBound(around) && m_random.chance(90))
                isAlongY = index().loop(around)->thread == "threadIdx.x";
        }
        const std::array<std::string, 2> axes{isAlongY ? "blockIdx.y" : "blockIdx.x",
                                              isAlongY ? "threadIdx.y" : "threadIdx.x"};
        ArgList factors{ArgValue(), std::int64_t{1} << m_random.between(0, 5)};
        const bool isVirtual = m_random.chance(25);
        if (isVirtual)
            factors.insert(factors.begin() + 1, ArgValue(m_random.between(1, 3)));
        const auto parts = apply("split", {{"loop", loop}, {"factors", factors}});
        if (!parts)
            return;
        if (!isWithin && m_random.chance(85))
            apply("bind", {{"loop", parts->front()}, {"thread_axis", axes[0]}});
        if (isVirtual)
            apply("bind", {{"loop", (*parts)[1]}, {"thread_axis", std::string("vthread.x")}});
        apply("bind", {{"loop", parts->back()}, {"thread_axis", axes[1]}});
    }

    GpuSchedule m_result;
    Random &m_random;
    Random m_later; ///< for choices that came later: what a seed stands for else stays
};

} // namespace

GpuSchedule randomGpuSchedule(const schedule::State &initial, Random &random)
{
    return Scheduler(initial, random).run();
}

} // namespace nestwright::tests
