// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/apply.h"

#include "core/ir/build/walk.h"
#include "core/schedule/aliases.h"
#include "core/schedule/edit.h"
#include "core/schedule/expansion.h"
#include "core/schedule/rules/loop_rules.h"
#include "core/schedule/rules/order_rules.h"
#include "core/schedule/state_index.h"
#include "core/schedule/validate.h"
#include "core/support/errors/stop.h"

#include <algorithm>

namespace nestwright::schedule {

ForwardMap ForwardMap::then(const ForwardMap &next) const
{
    ForwardMap result = next;
    for (const auto &[before, after] : m_changed)
        result.set(before, after ? next(after) : StmtId{});
    return result;
}

namespace {

/// Scripts reach a loop through the blocks in it, so a step on one without could not be written down.
void requireNameable(const State &state, const ArgValue &value)
{
    if (const ArgList *list = value.as<ArgList>()) {
        for (const ArgValue &item : *list)
            requireNameable(state, item);
    }
    const StmtId *id = value.as<StmtId>();
    const analysis::FunctionIndex *index = id ? state.index->of(*id) : nullptr;
    if (index && index->root() && index->loop(*id))
        requireBlocksIn(*index, *index->loop(*id));
}

/// The deepest loop nest: passes over loops are recursive.
constexpr int deepestNest = 300;

/// Inlining one block into the next doubles the work where a value is used twice.
constexpr std::int64_t mostPartsOfFunction = 1'000'000;

/// Depth of loops and blocks, and size of all expressions together, shared ones
/// as often as they are used.
class Extent : public ir::Visitor {
public:
    int deepest = 0;
    std::int64_t parts = 0; ///< a little above `mostPartsOfFunction` where there are more

    void stmt(const ir::Stmt &s) override
    {
        const bool counts = s.kind() == ir::StmtKind::For || s.kind() == ir::StmtKind::Block;
        m_depth += counts ? 1 : 0;
        deepest = std::max(deepest, m_depth);
        children(s);
        m_depth -= counts ? 1 : 0;
    }
    void expr(const ir::Expr &e) override
    {
        if (++parts <= mostPartsOfFunction)
            children(e);
    }

private:
    int m_depth = 0;
};

Applied bounded(Applied applied)
{
    for (const ir::Module::Entry &entry : applied.state.module.functions()) {
        Extent extent;
        extent.stmt(entry.function->body);
        if (extent.parts > mostPartsOfFunction)
            refuse(support::diagnostic("schedule.too-large",
                                       "the expressions of \"" + entry.name + "\" would have more than "
                                           + std::to_string(mostPartsOfFunction) + " parts")
                       .withHint(
                           "keep a value that is used several times in a buffer: do not inline its block"));
        if (extent.deepest > deepestNest)
            refuse(support::diagnostic("schedule.too-deep", "loops and blocks would be nested more than "
                                                                + std::to_string(deepestNest) + " deep")
                       .withHint("fuse loops, or split into fewer"));
    }
    return applied;
}

/// A copy, or a producer below other loops, may take elements that another iteration writes.
Applied keptApart(const State &before, Applied applied)
{
    for (const ir::Module::Entry &entry : applied.state.module.functions()) {
        const ir::Function function = before.module.find(entry.name);
        if (function && function != entry.function)
            requireApart(*function, *entry.function);
    }
    return applied;
}

Applied carryOut(const State &state, const Step &step)
{
    support::checkStop();
    validateArguments(step);
    for (const ArgValue &value : step.args)
        requireNameable(state, value);
    requireOneBufferPerMemory(state, step);
    if (step.primitive->expand) {
        Expansion steps(state);
        ArgList outputs = step.primitive->expand(steps, step.args);
        return std::move(steps).finish(std::move(outputs));
    }
    Edit edit(state, step.primitive->name);
    ArgList outputs = step.primitive->run(edit, step.args);
    return keptApart(state, bounded(std::move(edit).finish(std::move(outputs))));
}

} // namespace

ArgList Expansion::run(std::string_view primitive,
                       const std::vector<std::pair<std::string_view, ArgValue>> &args)
{
    Result<Step> step = makeStep(primitive, args);
    if (!step)
        refuse(step.error());
    Applied applied = carryOut(m_state, *step);
    m_steps.push_back(std::move(*step));
    m_forward = m_forward.then(applied.forward);
    m_state = std::move(applied.state);
    return std::move(applied.outputs);
}

Applied Expansion::finish(ArgList outputs) &&
{
    return {std::move(m_state), std::move(outputs), std::move(m_forward)};
}

Result<Applied> apply(const State &state, const Step &step)
{
    try {
        return carryOut(state, step);
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    }
}

Result<void> check(const State &state, const Step &step)
{
    Result<Applied> applied = apply(state, step);
    if (!applied)
        return support::fail(std::move(applied.error()));
    return {};
}

Result<std::vector<Step>> expand(const State &state, const Step &step)
{
    if (!step.primitive || !step.primitive->expand)
        return std::vector<Step>{step};
    try {
        validateArguments(step);
        Expansion steps(state);
        step.primitive->expand(steps, step.args);
        return steps.steps();
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    }
}

std::string nameOf(const State &state, StmtId id)
{
    const analysis::FunctionIndex *index = state.index ? state.index->of(id) : nullptr;
    if (!index)
        return "#" + std::to_string(id.value);
    const ir::For *loop = index->loop(id);
    return loop ? loop->var.name() : index->block(id)->name;
}

namespace {

std::string shortly(const ArgValue &value, const State &state)
{
    if (const StmtId *id = value.as<StmtId>())
        return nameOf(state, *id);
    const ArgList *list = value.as<ArgList>();
    if (!list)
        return str(value);
    std::string text;
    for (const ArgValue &item : *list)
        text += (text.empty() ? "" : ", ") + shortly(item, state);
    return '[' + text + ']';
}

/// The name of the buffer at a position in the reads or writes of the step's block; empty where there is
/// none.
std::string bufferName(const Field &field, const Step &step, std::size_t position, const State &state)
{
    const StmtId *id = step.args.front().as<StmtId>();
    const analysis::FunctionIndex *index = id && state.index ? state.index->of(*id) : nullptr;
    const ir::Block *block = index ? index->block(*id) : nullptr;
    const std::int64_t *at = step.args[position].as<std::int64_t>();
    if (!block || !at)
        return {};
    const auto &regions = field.side == BufferSide::Read ? block->reads : block->writes;
    const bool isThere = *at >= 0 && *at < std::ssize(regions);
    return isThere ? regions[static_cast<std::size_t>(*at)].buffer.name() : std::string();
}

/// Adds the whole numbers in `value`, those in lists too.
void addNumbers(const ArgValue &value, std::string &text)
{
    if (const std::int64_t *number = value.as<std::int64_t>())
        text += (text.empty() ? "" : ",") + std::to_string(*number);
    else if (const ArgList *list = value.as<ArgList>())
        for (const ArgValue &item : *list)
            addNumbers(item, text);
}

} // namespace

std::string describe(const Step &step, const State &state)
{
    std::string text;
    bool skipped = false;
    for (std::size_t i = 0; i < step.args.size() && i < step.primitive->fields.size(); ++i) {
        const Field &field = step.primitive->fields[i];
        if (field.fallback && *field.fallback == step.args[i] && !field.alwaysInLabels) {
            skipped = true;
            continue;
        }
        const std::string buffer =
            field.kind == FieldKind::BufferIndex ? bufferName(field, step, i, state) : std::string();
        std::string value = buffer.empty() ? shortly(step.args[i], state) : buffer;
        if (field.positional && step.args[i].as<ArgList>())
            value = value.substr(1, value.size() - 2);
        text += text.empty() ? "" : ", ";
        text += (skipped ? std::string(field.name) + "=" : "") + value;
    }
    return std::string(step.primitive->name) + '(' + text + ')';
}

std::string gist(const Step &step, const State &state)
{
    std::string name, numbers;
    for (std::size_t i = 0; i < step.args.size() && i < step.primitive->fields.size(); ++i) {
        const Field &field = step.primitive->fields[i];
        if (field.kind == FieldKind::BufferIndex) {
            name = bufferName(field, step, i, state);
        } else if (step.args[i].as<StmtId>() || field.kind == FieldKind::Loops) {
            const ArgList *loops = step.args[i].as<ArgList>();
            const ArgValue &first = loops && !loops->empty() ? loops->front() : step.args[i];
            name = name.empty() ? shortly(first, state) : name;
        } else if (field.alwaysInLabels || !field.fallback || *field.fallback != step.args[i]) {
            addNumbers(step.args[i], numbers);
        }
    }
    return name + (name.empty() || numbers.empty() ? "" : " ") + numbers;
}

} // namespace nestwright::schedule
