// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/element_filter.h"

#include "core/analysis/access/combinations.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"

#include <algorithm>
#include <utility>

namespace nestwright::analysis {

using ir::Expr;
using ir::Var;

namespace {

/// Conditions and the rounds that they share.
struct Group {
    std::vector<Expr> conditions;
    ir::VarSet rounds;
};

/// Groups that share no round with each other.
void addToGroups(std::vector<Group> &groups, const Expr &condition, const ir::VarSet &rounds)
{
    Group joined{{condition}, rounds};
    std::erase_if(groups, [&](Group &other) {
        const bool isShared =
            std::ranges::any_of(other.rounds, [&](const Var &var) { return joined.rounds.contains(var); });
        if (isShared) {
            joined.conditions.insert(joined.conditions.end(), other.conditions.begin(),
                                     other.conditions.end());
            joined.rounds.insert(other.rounds.begin(), other.rounds.end());
        }
        return isShared;
    });
    groups.push_back(std::move(joined));
}

bool hold(std::vector<IntegerCode> &codes, std::span<const std::int64_t> values)
{
    return std::ranges::all_of(codes, [&](IntegerCode &code) { return code.eval(values).value_or(1) != 0; });
}

} // namespace

std::optional<ElementFilter> ElementFilter::of(const std::vector<Expr> &conditions,
                                               const arith::Domains &asked, const arith::Domains &rounds,
                                               std::int64_t most, arith::Analyzer &analyzer)
{
    ElementFilter result;
    const std::vector<Var> direct = variablesOf(asked);
    std::vector<Var> all = direct;
    for (const arith::VarRange &round : rounds)
        all.push_back(round.var);
    std::vector<Group> groups;
    for (const Expr &each : conditions) {
        const Expr condition = analyzer.simplify(each);
        if (auto code = IntegerCode::of(condition, direct)) {
            result.m_direct.push_back(std::move(*code));
        } else if (IntegerCode::of(condition, all)) {
            ir::VarSet used = ir::variablesOf(condition);
            for (const Var &var : direct)
                used.erase(var);
            addToGroups(groups, condition, used);
        }
    }
    const bool isTried = std::ranges::all_of(groups, [&](const Group &group) {
        arith::Domains ofGroup = rounds;
        std::erase_if(ofGroup,
                      [&](const arith::VarRange &round) { return !group.rounds.contains(round.var); });
        return result.add(group.conditions, asked, ofGroup, most);
    });
    return isTried ? std::optional(std::move(result)) : std::nullopt;
}

bool ElementFilter::add(const std::vector<Expr> &conditions, const arith::Domains &asked,
                        const arith::Domains &rounds, std::int64_t most)
{
    Table table;
    arith::Domains domains;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const arith::VarRange &each = asked[i];
        if (std::ranges::none_of(conditions, [&](const Expr &e) { return ir::uses(e, each.var); }))
            continue;
        const std::int64_t *min = ir::asInt(each.range.min), *extent = ir::asInt(each.range.extent);
        if (!min || !extent)
            return false;
        table.places.push_back(i);
        table.mins.push_back(*min);
        table.extents.push_back(*extent);
        domains.push_back(each);
    }
    const std::size_t count = domains.size();
    domains.insert(domains.end(), rounds.begin(), rounds.end());
    std::vector<IntegerCode> codes;
    for (const Expr &condition : conditions)
        codes.push_back(*IntegerCode::of(condition, variablesOf(domains)));
    if (count == 0) { // mostly the first round is asked for
        std::vector<std::int64_t> first;
        for (const arith::VarRange &round : rounds) {
            const std::int64_t *min = ir::asInt(round.range.min), *extent = ir::asInt(round.range.extent);
            if (min && extent && *extent > 0)
                first.push_back(*min);
        }
        if (first.size() == rounds.size() && hold(codes, first))
            return true;
    }
    auto combinations = Combinations::of(domains, most);
    if (!combinations)
        return false;
    std::int64_t size = 1;
    for (const std::int64_t extent : table.extents)
        size *= std::max<std::int64_t>(extent, 0);
    table.holds.resize(static_cast<std::size_t>(size));
    std::size_t place = 0, tried = 0, rest = 1;
    for (const arith::VarRange &round : rounds)
        rest *= static_cast<std::size_t>(std::max<std::int64_t>(*ir::asInt(round.range.extent), 0));
    for (; !combinations->isOver(); combinations->next()) {
        table.holds[place] = table.holds[place] || hold(codes, combinations->values());
        if (++tried == rest) {
            tried = 0;
            ++place;
        }
    }
    m_tables.push_back(std::move(table));
    return true;
}

std::size_t ElementFilter::Table::at(std::span<const std::int64_t> values) const
{
    std::int64_t place = 0;
    for (std::size_t i = 0; i < places.size(); ++i)
        place = place * extents[i] + (values[places[i]] - mins[i]);
    return static_cast<std::size_t>(place);
}

bool ElementFilter::allows(std::span<const std::int64_t> values)
{
    return hold(m_direct, values) && std::ranges::all_of(m_tables, [&](const Table &table) {
               return table.holds[table.at(values)];
           });
}

} // namespace nestwright::analysis
