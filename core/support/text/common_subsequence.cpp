// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/common_subsequence.h"

#include <algorithm>
#include <ranges>

namespace nestwright::support {

namespace {

using Numbers = std::span<const int>;

int size(Numbers numbers) { return static_cast<int>(numbers.size()); }

/// Myers's search: x counts elements of a that are taken, y those of b, diagonal k = x - y.
class Matcher {
public:
    Matcher(Numbers a, Numbers b, int mostEdits)
        : m_a(a)
        , m_b(b)
        , m_limit(std::min(size(a) + size(b), mostEdits))
        , m_furthest(static_cast<std::size_t>(2 * m_limit + 3), 0)
    {
    }

    /// Nothing at all past the limit of edits.
    std::vector<CommonElement> matches()
    {
        for (int edits = 0; edits <= m_limit; ++edits) {
            const auto middle = m_furthest.begin() + m_limit + 1;
            m_trail.emplace_back(middle - edits - 1, middle + edits + 2);
            for (int k = -edits; k <= edits; k += 2) {
                const int x = follow(k, edits);
                if (x >= size(m_a) && x - k >= size(m_b))
                    return walkBack(edits);
            }
        }
        return {};
    }

private:
    int &furthest(int k) { return m_furthest[static_cast<std::size_t>(std::ptrdiff_t{k} + m_limit + 1)]; }

    /// Makes one edit onto diagonal k and goes along it as far as elements are equal.
    int follow(int k, int edits)
    {
        const bool fromAbove = k == -edits || (k != edits && furthest(k - 1) < furthest(k + 1));
        int x = fromAbove ? furthest(k + 1) : furthest(k - 1) + 1;
        while (x < size(m_a) && x - k < size(m_b)
               && m_a[static_cast<std::size_t>(x)] == m_b[static_cast<std::size_t>(x - k)])
            ++x;
        return furthest(k) = x;
    }

    std::vector<CommonElement> walkBack(int edits) const
    {
        std::vector<CommonElement> matches;
        int x = size(m_a);
        int y = size(m_b);
        const auto takeDown = [&](int toX, int toY) {
            for (; x > toX && y > toY; --x, --y)
                matches.push_back({static_cast<std::size_t>(x - 1), static_cast<std::size_t>(y - 1)});
        };
        for (int d = edits; d > 0; --d) {
            const std::vector<int> &before = m_trail[static_cast<std::size_t>(d)]; // diagonals -d-1 … d+1
            const auto was = [&before, d](int k) {
                return before[static_cast<std::size_t>(std::ptrdiff_t{k} + d + 1)];
            };
            const int k = x - y;
            const bool fromAbove = k == -d || (k != d && was(k - 1) < was(k + 1));
            const int fromX = fromAbove ? was(k + 1) : was(k - 1);
            const int fromY = fromX - (fromAbove ? k + 1 : k - 1);
            takeDown(fromX, fromY);
            x = fromX;
            y = fromY;
        }
        takeDown(0, 0);
        std::ranges::reverse(matches);
        return matches;
    }

    Numbers m_a, m_b;
    int m_limit;
    std::vector<int> m_furthest;           // x, per diagonal
    std::vector<std::vector<int>> m_trail; // m_furthest as it was before each edit
};

} // namespace

std::vector<CommonElement> commonSubsequence(Numbers before, Numbers after, int mostEdits)
{
    const std::size_t least = std::min(before.size(), after.size());
    std::size_t head = 0, tail = 0;
    while (head < least && before[head] == after[head])
        ++head;
    while (tail < least - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
        ++tail;
    std::vector<CommonElement> common;
    for (std::size_t i = 0; i < head; ++i)
        common.push_back({i, i});
    const auto between = [&](Numbers all) { return all.subspan(head, all.size() - head - tail); };
    for (const CommonElement &each : Matcher(between(before), between(after), mostEdits).matches())
        common.push_back({head + each.before, head + each.after});
    for (std::size_t i = tail; i > 0; --i)
        common.push_back({before.size() - i, after.size() - i});
    return common;
}

} // namespace nestwright::support
