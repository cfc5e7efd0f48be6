// SPDX-License-Identifier: Apache-2.0
#include "core/session/history/branch_replay.h"

namespace nestwright::session {

BranchReplay::BranchReplay(const VariantTree &tree, const schedule::State &common, schedule::State onto)
    : m_tree(&tree)
    , m_names(common)
    , m_end(std::move(onto))
    , m_results(std::make_shared<std::map<VariantId, schedule::ArgList>>())
{
}

const schedule::ArgList &BranchReplay::resultsOf(VariantId id)
{
    const auto [known, isNew] = m_results->try_emplace(id);
    if (isNew) {
        if (auto made = schedule::apply(stateBefore(id), m_tree->at(id).step))
            known->second = std::move(made->outputs);
    }
    return known->second;
}

bool BranchReplay::make(schedule::Step step, VariantId replaced)
{
    support::Result<schedule::Applied> applied = schedule::apply(m_end, step);
    const bool isLegal = applied.has_value();
    if (isLegal) {
        const Variant &was = m_tree->at(replaced);
        if (!was.isRoot() && was.ok()) {
            m_names.note(resultsOf(replaced), applied->outputs);
            m_names.noteMade(stateBefore(replaced), *was.state, m_end, applied->state);
        }
        m_end = applied->state;
    }
    m_steps.push_back({std::move(step), std::move(applied)});
    return isLegal;
}

bool BranchReplay::follow(VariantId id, const schedule::Step &step)
{
    auto translated = m_names.translated(step, stateBefore(id), m_end);
    if (translated)
        return make(*std::move(translated), id);
    m_conflict = std::move(translated.error());
    return false;
}

std::optional<support::Diagnostic> BranchReplay::why() const
{
    if (m_conflict)
        return m_conflict;
    if (!m_steps.empty() && !m_steps.back().applied)
        return m_steps.back().applied.error();
    return {};
}

} // namespace nestwright::session
