// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/legacy_schedule.h"
#include "core/ir/buffer_regions.h"

#include "core/frontend/te_script/interpreter.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"

#include <algorithm>
#include <format>
#include <ranges>

namespace nestwright::te {

namespace {

StepValue text(std::string value) { return {std::move(value)}; }
StepValue number(std::int64_t value) { return {value}; }
StepValue result(int index) { return {StepResult{index}}; }
StepValue list(std::vector<StepValue> values) { return {std::move(values)}; }

class Emitter {
public:
    Emitter(const Interpreter &interpreter, const LegacySchedule &schedule, const ir::Stmt &root)
        : m_interpreter(interpreter)
        , m_schedule(schedule)
        , m_root(root)
    {
        m_blocks.assign(schedule.stages().size(), -1);
        m_loops.assign(schedule.axes().size(), -1);
        m_depths.assign(schedule.stages().size(), 0);
        m_isCopy.assign(schedule.stages().size(), false);
    }

    ScheduleSteps run()
    {
        for (const int cache : m_schedule.caches())
            addCache(cache);
        for (const int index : m_schedule.order()) {
            if (stage(index).isInlined)
                step("compute_inline", {{"block", result(blockOf(index))}}, stage(index).inlineLine);
        }
        // A consumer's loops must stand before a producer can be moved into them.
        for (const int index : std::views::reverse(m_schedule.order()))
            placeStage(index);
        return std::move(m_steps);
    }

private:
    const LegacyStage &stage(int index) const { return m_schedule.stages()[static_cast<std::size_t>(index)]; }

    int newResult(char prefix)
    {
        const int index = static_cast<int>(m_steps.resultNames.size());
        m_steps.resultNames.push_back(std::format("{}{}", prefix, index));
        return index;
    }

    StepDescription &step(std::string primitive, std::vector<std::pair<std::string, StepValue>> arguments,
                          int line)
    {
        m_steps.steps.push_back({std::move(primitive), std::move(arguments), {}, line});
        return m_steps.steps.back();
    }

    /// The block of the kernel that writes `buffer`.
    const ir::Block *writer(const ir::Buffer &buffer) const
    {
        const ir::Block *found = nullptr;
        ir::forEachStmt(m_root, [&](const ir::Stmt &s) {
            const auto *block = s.as<ir::Block>();
            if (block && !found && ir::hasRegion(block->writes, buffer))
                found = block;
            return !found;
        });
        return found;
    }

    int blockOf(int index)
    {
        int &known = m_blocks[static_cast<std::size_t>(index)];
        if (known < 0) {
            const ir::Block *block = writer(stage(index).written);
            known = newResult('b');
            step("get_block",
                 {{"name", text(block ? block->name : stage(index).operation->name)},
                  {"func_name", text("main")}},
                 stage(index).line)
                .results = {known};
        }
        return known;
    }

    void addCache(int index)
    {
        const LegacyStage &cache = stage(index);
        if (cache.kind == LegacyStage::Kind::Factored) {
            addPartial(index);
            return;
        }
        if (cache.kind == LegacyStage::Kind::CacheWrite) {
            const int computed = blockOf(cache.source);
            const int copy = newResult('b');
            step("cache_write",
                 {{"block", result(computed)},
                  {"write_buffer_index", number(0)},
                  {"storage_scope", text(cache.scope)}},
                 cache.line)
                .results = {copy};
            m_blocks[static_cast<std::size_t>(index)] = copy;
            m_isCopy[static_cast<std::size_t>(index)] = true;
            return;
        }
        std::vector<StepValue> consumers;
        for (const int reader : cache.readers)
            consumers.push_back(result(blockOf(reader)));
        const int copy = newResult('b');
        step("cache_read",
             {{"block", consumers[0]},
              {"read_buffer_index", number(readIndex(cache.readers[0], cache.cached))},
              {"storage_scope", text(cache.scope)},
              {"consumer_blocks", list(consumers)}},
             cache.line)
            .results = {copy};
        m_blocks[static_cast<std::size_t>(index)] = copy;
    }

    /// rfactor, after what was done to the reduction before.
    void addPartial(int index)
    {
        const LegacyStage &partial = stage(index);
        const int block = blockOf(partial.source);
        std::vector<int> loops;
        for (const int axis : partial.sourceAxes) {
            loops.push_back(newResult('l'));
            m_loops[static_cast<std::size_t>(axis)] = loops.back();
        }
        step("get_loops", {{"block", result(block)}}, partial.line).results = loops;
        for (const LegacyAction &action : partial.sourceActions)
            act(action, block);
        const int made = newResult('b');
        step("rfactor",
             {{"loop", result(m_loops[static_cast<std::size_t>(partial.factor)])},
              {"factor_axis", number(partial.factorAxis)}},
             partial.line)
            .results = {made};
        m_blocks[static_cast<std::size_t>(index)] = made;
    }

    /// The place of `buffer` among the buffers that a stage reads; copies read one only.
    std::int64_t readIndex(int reader, const ir::Buffer &buffer) const
    {
        const LegacyStage &stageOfReader = stage(reader);
        // A stage whose cache_write comes later still is the block that computes.
        const bool computes = stageOfReader.kind == LegacyStage::Kind::Compute
                              || (stageOfReader.kind == LegacyStage::Kind::CacheWrite
                                  && !m_isCopy[static_cast<std::size_t>(reader)]);
        const ir::Block *block = computes ? writer(stageOfReader.written) : nullptr;
        for (std::size_t i = 0; block && i < block->reads.size(); ++i) {
            if (block->reads[i].buffer == buffer)
                return static_cast<std::int64_t>(i);
        }
        return 0;
    }

    bool isAttachedTo(int index) const
    {
        return std::any_of(
            m_schedule.stages().begin(), m_schedule.stages().end(),
            [&](const LegacyStage &other) { return !other.isInlined && other.attachStage == index; });
    }

    /// The stage that `index` is computed at has loops by then, that of the axis among them.
    void requireLoop(int index) const
    {
        const LegacyStage &attached = stage(index), &parent = stage(attached.attachStage);
        const std::string &name = attached.operation->name, &at = parent.operation->name;
        const auto fail = [&](std::string message, std::string hint) {
            m_interpreter.fail({attached.attachLine, 1}, "te.compute-at", std::move(message),
                               std::move(hint));
        };
        if (parent.isInlined)
            fail(std::format("\"{}\" is computed at \"{}\", which is inlined and has no loops", name, at),
                 std::format(
                     "compute it at a stage that keeps its loops, or leave out compute_inline() of \"{}\"",
                     at));
        if (!std::ranges::contains(parent.leaves, attached.attachAxis))
            fail(std::format(
                     "\"{}\" is computed at the axis \"{}\" of \"{}\", which is split or fused afterwards",
                     name, m_schedule.axes()[static_cast<std::size_t>(attached.attachAxis)].name, at),
                 "compute it at an axis that the split or fuse gave");
        if (m_loops[static_cast<std::size_t>(attached.attachAxis)] >= 0)
            return;
        if (parent.attachStage == index)
            fail(std::format("\"{}\" and \"{}\" are computed at each other", name, at),
                 "compute the producer at its consumer only");
        fail(std::format("\"{}\" is computed at \"{}\", which does not use it", name, at),
             "compute a producer at its consumer");
    }

    void placeStage(int index)
    {
        const LegacyStage &current = stage(index);
        const bool attached = current.attachStage >= 0;
        if (current.isInlined || (!attached && current.actions.empty() && !isAttachedTo(index)))
            return;
        if (attached)
            requireLoop(index);
        const int block = blockOf(index);
        int outside = 0;
        if (attached) {
            step("compute_at",
                 {{"block", result(block)},
                  {"loop", result(m_loops[static_cast<std::size_t>(current.attachAxis)])},
                  {"preserve_unit_loops", StepValue{true}},
                  {"index", number(-1)}},
                 current.attachLine);
            const std::vector<int> &leaves = stage(current.attachStage).leaves;
            const auto place = std::find(leaves.begin(), leaves.end(), current.attachAxis) - leaves.begin();
            outside = m_depths[static_cast<std::size_t>(current.attachStage)] + static_cast<int>(place) + 1;
        }
        m_depths[static_cast<std::size_t>(index)] = outside;
        std::vector<int> loops;
        for (int i = 0; i < outside; ++i)
            loops.push_back(newResult('l'));
        const bool factored = current.kind == LegacyStage::Kind::Factored;
        const std::vector<int> &nested = !factored  ? current.own
                                         : attached ? current.nestedAttached
                                                    : current.nested;
        for (const int axis : nested) {
            loops.push_back(newResult('l'));
            m_loops[static_cast<std::size_t>(axis)] = loops.back();
        }
        if (!loops.empty())
            step("get_loops", {{"block", result(block)}}, current.line).results = loops;
        if (nested != current.own) {
            std::vector<StepValue> order;
            for (const int axis : current.own)
                order.push_back(result(m_loops[static_cast<std::size_t>(axis)]));
            step("reorder", {{"loops", list(std::move(order))}}, current.line);
        }
        for (const LegacyAction &action : current.actions)
            act(action, block);
    }

    /// `block`: the number of the result that is the stage's block.
    void act(const LegacyAction &action, int block)
    {
        std::vector<StepValue> loops;
        for (const int axis : action.axes)
            loops.push_back(result(m_loops[static_cast<std::size_t>(axis)]));
        std::vector<int> made;
        for (const int axis : action.results) {
            made.push_back(newResult('l'));
            m_loops[static_cast<std::size_t>(axis)] = made.back();
        }
        switch (action.kind) {
        case LegacyAction::Kind::Split: {
            const StepValue factor = number(action.factor);
            step("split",
                 {{"loop", loops[0]}, {"factors", action.isParts ? list({factor, {}}) : list({{}, factor})}},
                 action.line);
            break;
        }
        case LegacyAction::Kind::Fuse: step("fuse", {{"loops", list(loops)}}, action.line); break;
        case LegacyAction::Kind::Reorder: step("reorder", {{"loops", list(loops)}}, action.line); break;
        case LegacyAction::Kind::Vectorize: step("vectorize", {{"loop", loops[0]}}, action.line); break;
        case LegacyAction::Kind::Parallel: step("parallel", {{"loop", loops[0]}}, action.line); break;
        case LegacyAction::Kind::Unroll: step("unroll", {{"loop", loops[0]}}, action.line); break;
        case LegacyAction::Kind::Bind:
            step("bind", {{"loop", loops[0]}, {"thread_axis", text(action.text)}}, action.line);
            break;
        case LegacyAction::Kind::Pragma:
            step("annotate",
                 {{"block_or_loop", loops[0]}, {"ann_key", text(action.text)}, {"ann_val", action.value}},
                 action.line);
            break;
        case LegacyAction::Kind::DoubleBuffer:
            step("annotate",
                 {{"block_or_loop", result(block)},
                  {"ann_key", text(std::string(ir::doubleBufferKey))},
                  {"ann_val", number(0)}},
                 action.line);
            break;
        }
        m_steps.steps.back().results = std::move(made);
    }

    const Interpreter &m_interpreter;
    const LegacySchedule &m_schedule;
    const ir::Stmt &m_root;
    ScheduleSteps m_steps;
    std::vector<int> m_blocks;  ///< result of each stage's block
    std::vector<int> m_loops;   ///< result of each axis' loop
    std::vector<int> m_depths;  ///< loops around the stage's own
    std::vector<bool> m_isCopy; ///< stages whose cache_write has been written
};

} // namespace

ScheduleSteps toSteps(const Interpreter &interpreter, const LegacySchedule &schedule, const ir::Stmt &root)
{
    return Emitter(interpreter, schedule, root).run();
}

int ScheduleSteps::sourceLine(std::size_t step) const
{
    // The blocks and loops found for a step belong to the line of the step.
    for (; step < steps.size(); ++step) {
        if (steps[step].line > 0)
            return steps[step].line;
    }
    return 1;
}

} // namespace nestwright::te
