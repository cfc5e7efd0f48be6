// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/part_users.h"

namespace nestwright::analysis {

namespace {

class UseCollector : public ir::Visitor {
public:
    ir::VarSet vars;
    ir::BufferMap<bool> buffers;

    void expr(const ir::Expr &e) override
    {
        if (e.as<ir::VarNode>())
            vars.insert(ir::Var::from(e));
        children(e);
    }

    void buffer(const ir::Buffer &b) override
    {
        buffers[b] = true;
        vars.insert(b->data);
    }
};

template <class Map, class Key> const PartUsers::Indices &entry(const Map &map, const Key &key)
{
    static const PartUsers::Indices none;
    const auto found = map.find(key);
    return found == map.end() ? none : found->second;
}

} // namespace

const PartUsers::Indices &PartUsers::of(const ir::Stmt &sequence, const ir::Buffer &buffer)
{
    return entry(usersIn(sequence).buffers, buffer);
}

const PartUsers::Indices &PartUsers::of(const ir::Stmt &sequence, const ir::Var &var)
{
    return entry(usersIn(sequence).vars, var);
}

const PartUsers::Users &PartUsers::usersIn(const ir::Stmt &sequence)
{
    const auto *node = sequence.as<ir::Seq>();
    const auto [place, isNew] = m_known.try_emplace(node);
    Users &users = place->second;
    if (!isNew)
        return users;
    users.sequence = sequence;
    for (std::size_t i = 0; i < node->stmts.size(); ++i) {
        UseCollector collector;
        collector.stmt(node->stmts[i]);
        for (const ir::Var &var : collector.vars)
            users.vars[var].push_back(i);
        for (const auto &[buffer, isMet] : collector.buffers)
            users.buffers[buffer].push_back(i);
    }
    return users;
}

} // namespace nestwright::analysis
