// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/combinations.h"

#include "core/ir/build/builder.h"

#include <algorithm>

namespace nestwright::analysis {

std::optional<Combinations> Combinations::of(const arith::Domains &domains, std::int64_t most)
{
    Combinations result;
    std::int64_t count = 1;
    for (const arith::VarRange &domain : domains) {
        const std::int64_t *min = ir::asInt(domain.range.min), *extent = ir::asInt(domain.range.extent);
        if (!min || !extent || *extent > most)
            return std::nullopt;
        count *= std::max<std::int64_t>(*extent, 0);
        if (count > most)
            return std::nullopt;
        result.m_ranges.emplace_back(*min, *extent);
        result.m_values.push_back(*min);
    }
    result.m_isOver = count == 0;
    return result;
}

void Combinations::next()
{
    for (std::size_t i = m_values.size(); i-- > 0;) {
        if (++m_values[i] < m_ranges[i].first + m_ranges[i].second)
            return;
        m_values[i] = m_ranges[i].first;
    }
    m_isOver = true;
}

std::vector<ir::Var> variablesOf(const arith::Domains &domains)
{
    std::vector<ir::Var> vars;
    for (const arith::VarRange &domain : domains)
        vars.push_back(domain.var);
    return vars;
}

} // namespace nestwright::analysis
