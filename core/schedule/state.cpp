// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/state.h"

#include "core/analysis/access/complete_regions.h"
#include "core/schedule/state_index.h"
#include "core/support/errors/errors.h"

namespace nestwright::schedule {

StateIndex::StateIndex(const ir::Module &module, const StateIndex *previous)
{
    for (const ir::Module::Entry &entry : module.functions()) {
        std::shared_ptr<Facts> facts;
        if (previous) {
            for (const std::shared_ptr<Facts> &known : previous->m_facts) {
                if (known->function == entry.function && known->name == entry.name)
                    facts = known;
            }
        }
        if (!facts) {
            facts = std::make_shared<Facts>();
            facts->name = entry.name;
            facts->function = entry.function;
        }
        m_facts.push_back(std::move(facts));
    }
}

const analysis::FunctionIndex &StateIndex::Facts::get()
{
    std::call_once(once, [this] { index = std::make_unique<analysis::FunctionIndex>(function); });
    return *index;
}

const analysis::FunctionIndex *StateIndex::of(StmtId id) const
{
    for (const std::shared_ptr<Facts> &facts : m_facts) {
        if (facts->get().contains(id))
            return &facts->get();
    }
    return nullptr;
}

const analysis::FunctionIndex *StateIndex::function(std::string_view name) const
{
    for (const std::shared_ptr<Facts> &facts : m_facts) {
        if (facts->name == name)
            return &facts->get();
    }
    return nullptr;
}

std::string StateIndex::functionName(StmtId id) const
{
    for (const std::shared_ptr<Facts> &facts : m_facts) {
        if (facts->get().contains(id))
            return facts->name;
    }
    return {};
}

State stateOf(ir::Module module, ir::IdCounter ids, const StateIndex *previous)
{
    auto index = std::make_shared<const StateIndex>(module, previous);
    return {std::move(module), ids, std::move(index)};
}

support::Result<State> makeState(const ir::Module &module)
{
    try {
        ir::IdCounter ids;
        ir::Module complete = ir::assignIds(analysis::completeRegions(module), ids);
        return stateOf(std::move(complete), ids);
    } catch (const support::UserError &error) {
        return support::fail(error.diagnostic());
    }
}

} // namespace nestwright::schedule
