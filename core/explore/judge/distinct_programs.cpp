// SPDX-License-Identifier: Apache-2.0
#include "core/explore/judge/distinct_programs.h"

#include "core/ir/node/equality.h"

#include <algorithm>

namespace nestwright::explore {

std::size_t DistinctPrograms::add(const ir::Module &program)
{
    const std::uint64_t hash = ir::structuralHash(program);
    const auto [begin, end] = m_places.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto &entry) {
        return ir::structurallyEqual(m_programs[entry.second], program);
    });
    if (same != end)
        return same->second;
    m_places.emplace(hash, m_programs.size());
    m_programs.push_back(program);
    return m_programs.size() - 1;
}

} // namespace nestwright::explore
