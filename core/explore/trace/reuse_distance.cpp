// SPDX-License-Identifier: Apache-2.0
#include "core/explore/trace/reuse_distance.h"

#include <algorithm>
#include <utility>

namespace nestwright::explore {

namespace {

constexpr std::size_t leastTimes = 1 << 12;

} // namespace

void ReuseDistance::add(std::size_t time, std::int32_t amount)
{
    for (std::size_t i = time + 1; i < m_tree.size(); i += i & -i)
        m_tree[i] += amount;
}

std::int64_t ReuseDistance::before(std::size_t time) const
{
    std::int64_t sum = 0;
    for (std::size_t i = time; i > 0; i -= i & -i)
        sum += m_tree[i];
    return sum;
}

/// Numbers the last touches anew from 0, in their order.
void ReuseDistance::compact()
{
    std::vector<std::pair<std::uint32_t, std::uint64_t>> order;
    order.reserve(m_last.size());
    for (const auto &[line, time] : m_last)
        order.emplace_back(time, line);
    std::ranges::sort(order);
    m_tree.assign(std::max(leastTimes, 4 * order.size()) + 1, 0);
    m_now = 0;
    for (const auto &[time, line] : order) {
        add(m_now, 1);
        m_last[line] = m_now++;
    }
}

std::optional<std::uint32_t> ReuseDistance::touch(std::uint64_t line)
{
    if (m_now > 0 && line == m_lastLine)
        return 0;
    m_lastLine = line;
    if (m_now + 1 >= m_tree.size())
        compact();
    const auto [entry, isFirst] = m_last.try_emplace(line, m_now);
    std::optional<std::uint32_t> distance;
    if (!isFirst) {
        const auto others = static_cast<std::int64_t>(m_last.size()) - before(entry->second) - 1;
        distance = static_cast<std::uint32_t>(others);
        add(entry->second, -1);
        entry->second = m_now;
    }
    add(m_now++, 1);
    return distance;
}

} // namespace nestwright::explore
