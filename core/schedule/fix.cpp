// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/fix.h"

#include "core/schedule/codes.h"
#include "core/schedule/state_index.h"

#include <algorithm>

namespace nestwright::schedule {

namespace {

using NamedArgs = std::vector<std::pair<std::string_view, ArgValue>>;

/// `value` with the ids of loops and blocks as they are after a step.
ArgValue forwarded(const ArgValue &value, const ForwardMap &forward)
{
    if (const StmtId *id = value.as<StmtId>())
        return forward(*id);
    const ArgList *list = value.as<ArgList>();
    if (!list)
        return value;
    ArgList result;
    for (const ArgValue &item : *list)
        result.push_back(forwarded(item, forward));
    return result;
}

/// Collects possible fixes, in the order in which they are tried.
class FixCandidates {
public:
    FixCandidates(const State &state, const Step &refused, const Diagnostic &why)
        : m_refused(refused)
        , m_why(why)
    {
        for (const support::Location &place : why.locations) {
            if (place.stmt && !m_index)
                m_index = state.index->of(place.stmt);
        }
    }

    /// Steps to take first.
    std::vector<Step> firsts()
    {
        if (!m_index)
            return {};
        addLoopSteps();
        for (const support::Location &place : m_why.locations) {
            if (m_index->block(place.stmt))
                addBlockSteps(place.stmt);
        }
        return std::move(m_steps);
    }

    /// The refused step with one argument changed.
    std::vector<Fix> others(const State &state) const
    {
        std::vector<Fix> fixes;
        for (const StmtId loop : outerLoops())
            fixes.push_back(with("loop", loop, "at loop '" + nameOf(state, loop) + "' instead"));
        if (m_why.code == codes::factorsTooSmall) {
            ArgList open = *m_refused.args[*m_refused.primitive->fieldIndex("factors")].as<ArgList>();
            open.front() = {};
            fixes.push_back(with("factors", open, "with as many outer iterations as it takes"));
        }
        if (m_why.code == codes::notOutermostFirst) {
            ArgList loops = *m_refused.args.front().as<ArgList>();
            std::ranges::stable_sort(loops, {}, [&](const ArgValue &loop) {
                return m_index->ancestors(*loop.as<StmtId>()).size();
            });
            fixes.push_back(with(m_refused.primitive->fields.front().name, loops, "outermost first"));
        }
        return fixes;
    }

private:
    Fix with(std::string_view field, ArgValue value, std::string title) const
    {
        Fix fix{.first = {}, .then = m_refused, .title = std::move(title)};
        fix.then.args[*m_refused.primitive->fieldIndex(field)] = std::move(value);
        return fix;
    }

    /// For a step on a block and a loop: the loops further out, nearest first.
    std::vector<StmtId> outerLoops() const
    {
        const auto field =
            m_refused.primitive->fieldIndex("block") ? m_refused.primitive->fieldIndex("loop") : std::nullopt;
        const StmtId *loop = field ? m_refused.args[*field].as<StmtId>() : nullptr;
        if (!m_index || !loop || !m_index->contains(*loop))
            return {};
        std::vector<StmtId> outer = m_index->loopsOf(*loop);
        std::ranges::reverse(outer);
        return outer;
    }

    void add(std::string_view primitive, const NamedArgs &args)
    {
        if (auto step = makeStep(primitive, args))
            m_steps.push_back(std::move(*step));
    }

    /// Loops that must stand next to each other, and annotations that are in the way.
    void addLoopSteps()
    {
        if (m_refused.primitive->name == "fuse" && m_why.code != codes::notOutermostFirst)
            addReorders(*m_refused.args.front().as<ArgList>());
        for (const support::Location &place : m_why.locations) {
            const ir::For *loop = m_index->loop(place.stmt);
            if (loop && m_why.code == codes::iterKind)
                add("rfactor", {{"loop", loop->id}, {"factor_axis", std::int64_t{0}}});
            if (!loop || loop->annotations.size() != 1)
                continue;
            add("unannotate", {{"block_or_loop", loop->id}, {"ann_key", loop->annotations.begin()->first}});
        }
    }

    void addReorders(const ArgList &wanted)
    {
        std::vector<StmtId> ids;
        for (const ArgValue &item : wanted)
            ids.push_back(*item.as<StmtId>());
        const auto depth = [&](StmtId id) {
            return m_index->contains(id) ? m_index->ancestors(id).size() : 0;
        };
        if (ids.size() < 2 || !std::ranges::all_of(ids, depth))
            return;
        const StmtId innermost = *std::ranges::max_element(ids, {}, depth);
        const StmtId outermost = *std::ranges::min_element(ids, {}, depth);
        ArgList together(wanted), others;
        std::vector<StmtId> chain = m_index->loopsOf(innermost);
        chain.push_back(innermost);
        for (auto at = std::ranges::find(chain, outermost); at != chain.end(); ++at) {
            if (!std::ranges::contains(ids, *at))
                others.emplace_back(*at);
        }
        ArgList first = together, last = others;
        first.insert(first.end(), others.begin(), others.end());
        last.insert(last.end(), together.begin(), together.end());
        add("reorder", {{"loops", first}});
        add("reorder", {{"loops", last}});
    }

    void addBlockSteps(StmtId block)
    {
        const ir::Block &node = *m_index->block(block);
        if (node.init) {
            for (const StmtId loop : m_index->loopsOf(block))
                add("decompose_reduction", {{"block", block}, {"loop", loop}});
        }
        if (m_why.code == codes::consumerOutside || m_why.code == codes::producerOutside) {
            const auto field = m_refused.primitive->fieldIndex("loop");
            const ArgValue loop = field ? m_refused.args[*field] : ArgValue();
            add("reverse_compute_at", {{"block", block}, {"loop", loop}});
            add("compute_at", {{"block", block}, {"loop", loop}});
        }
        add("compute_inline", {{"block", block}});
        add("reverse_compute_inline", {{"block", block}});
        if (m_why.code == codes::outputBlock)
            add("cache_write",
                {{"block", block}, {"write_buffer_index", std::int64_t{0}}, {"storage_scope", "global"}});
    }

    const Step &m_refused;
    const Diagnostic &m_why;
    const analysis::FunctionIndex *m_index = nullptr;
    std::vector<Step> m_steps;
};

/// Whether the blocks and loops that the step names are all still there.
bool isWhole(const ArgValue &value)
{
    if (const StmtId *id = value.as<StmtId>())
        return bool(*id);
    const ArgList *list = value.as<ArgList>();
    return !list || std::ranges::all_of(*list, isWhole);
}

/// The refused step as it is to be taken after `first`.
Step after(const State &state, const Step &first, const Applied &applied, const Step &refused)
{
    Step then = refused;
    for (ArgValue &value : then.args)
        value = forwarded(value, applied.forward);
    if (first.primitive->name != "rfactor")
        return then;
    // The loop stays with the sum; the partial results, in loops of the same order, have it free.
    const StmtId loop = *first.args.front().as<StmtId>(), partial = *applied.outputs.front().as<StmtId>();
    const std::vector<StmtId> loops = applied.state.index->of(partial)->loopsOf(partial);
    const std::size_t depth = state.index->of(loop)->loopsOf(loop).size();
    for (ArgValue &value : then.args) {
        if (value == ArgValue(applied.forward(loop)) && depth < loops.size())
            value = loops[depth];
    }
    return then;
}

} // namespace

std::optional<Fix> fixFor(const State &state, const Step &refused, const Diagnostic &why)
{
    if (refused.primitive->isQuery || !state.index)
        return std::nullopt;
    FixCandidates candidates(state, refused, why);
    for (const Step &first : candidates.firsts()) {
        if (first == refused)
            continue;
        const auto applied = apply(state, first);
        if (!applied)
            continue;
        const Step then = after(state, first, *applied, refused);
        if (std::ranges::all_of(then.args, isWhole) && check(applied->state, then))
            return Fix{first, then, describe(first, state) + " first"};
    }
    for (Fix &fix : candidates.others(state)) {
        if (check(state, fix.then))
            return std::move(fix);
    }
    return std::nullopt;
}

} // namespace nestwright::schedule
