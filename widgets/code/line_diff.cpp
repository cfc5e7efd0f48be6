// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/line_diff.h"

#include "widgets/code/code_text.h"

#include <QHash>

#include <algorithm>
#include <span>

namespace nestwright::code {

namespace {

/// A number per distinct line, so that comparing lines is comparing numbers.
class Numbering {
public:
    std::vector<int> of(const CodeText &text)
    {
        std::vector<int> numbers;
        numbers.reserve(static_cast<std::size_t>(text.lineCount()));
        for (int i = 0; i < text.lineCount(); ++i) {
            int &number = m_numbers[text.line(i)];
            if (!number)
                number = static_cast<int>(m_numbers.size());
            numbers.push_back(number);
        }
        return numbers;
    }

private:
    QHash<QStringView, int> m_numbers; // from 1
};

struct Match {
    int older, newer;
};

/// Myers's search between a[aFrom, aTo) and b[bFrom, bTo): x counts lines of a taken, y lines of b, diagonal
/// k = x - y.
class Matcher {
public:
    Matcher(std::span<const int> a, std::span<const int> b, int maxEdits)
        : m_a(a)
        , m_b(b)
        , m_limit(static_cast<int>(
              std::min<std::size_t>(a.size() + b.size(), static_cast<std::size_t>(maxEdits))))
        , m_furthest(static_cast<std::size_t>(2 * m_limit + 3), 0)
    {
    }

    /// The matched lines in order; nothing at all past the limit of edits.
    std::vector<Match> matches()
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
    static int size(std::span<const int> lines) { return static_cast<int>(lines.size()); }
    int &furthest(int k) { return m_furthest[static_cast<std::size_t>(std::ptrdiff_t{k} + m_limit + 1)]; }

    /// Makes one edit onto diagonal k and goes along it as far as lines are equal.
    int follow(int k, int edits)
    {
        const bool fromAbove = k == -edits || (k != edits && furthest(k - 1) < furthest(k + 1));
        int x = fromAbove ? furthest(k + 1) : furthest(k - 1) + 1;
        while (x < size(m_a) && x - k < size(m_b)
               && m_a[static_cast<std::size_t>(x)] == m_b[static_cast<std::size_t>(x - k)])
            ++x;
        return furthest(k) = x;
    }

    std::vector<Match> walkBack(int edits) const
    {
        std::vector<Match> matches;
        int x = size(m_a);
        int y = size(m_b);
        for (int d = edits; d > 0; --d) {
            const std::vector<int> &before = m_trail[static_cast<std::size_t>(d)]; // diagonals -d-1 … d+1
            const auto was = [&before, d](int k) {
                return before[static_cast<std::size_t>(std::ptrdiff_t{k} + d + 1)];
            };
            const int k = x - y;
            const bool fromAbove = k == -d || (k != d && was(k - 1) < was(k + 1));
            const int fromX = fromAbove ? was(k + 1) : was(k - 1);
            const int fromY = fromX - (fromAbove ? k + 1 : k - 1);
            for (; x > fromX && y > fromY; --x, --y)
                matches.push_back({x - 1, y - 1});
            x = fromX;
            y = fromY;
        }
        for (; x > 0 && y > 0; --x, --y)
            matches.push_back({x - 1, y - 1});
        std::ranges::reverse(matches);
        return matches;
    }

    std::span<const int> m_a, m_b;
    int m_limit;
    std::vector<int> m_furthest;           // x, per diagonal
    std::vector<std::vector<int>> m_trail; // what m_furthest was before each edit
};

/// Writes down a gap: old lines [oldFrom, oldTo) stand where new lines [newFrom, newTo) stand now.
void recordGap(LineDiff &diff, int oldFrom, int oldTo, int newFrom, int newTo)
{
    const int changed = std::min(oldTo - oldFrom, newTo - newFrom);
    for (int i = newFrom; i < newTo; ++i)
        diff.marks[static_cast<std::size_t>(i)] = i - newFrom < changed ? LineMark::Changed : LineMark::Added;
    if (oldTo - oldFrom > changed)
        diff.removed.push_back({newTo, oldFrom + changed, oldTo - oldFrom - changed});
}

} // namespace

bool LineDiff::isEmpty() const
{
    return removed.empty()
           && std::ranges::all_of(marks, [](LineMark mark) { return mark == LineMark::None; });
}

LineDiff diffLines(const CodeText &older, const CodeText &newer, int maxEdits)
{
    Numbering numbering;
    const std::vector<int> a = numbering.of(older);
    const std::vector<int> b = numbering.of(newer);
    const int aSize = static_cast<int>(a.size());
    const int bSize = static_cast<int>(b.size());
    int head = 0;
    while (head < aSize && head < bSize
           && a[static_cast<std::size_t>(head)] == b[static_cast<std::size_t>(head)])
        ++head;
    int tail = 0;
    while (tail < aSize - head && tail < bSize - head
           && a[static_cast<std::size_t>(aSize - 1 - tail)] == b[static_cast<std::size_t>(bSize - 1 - tail)])
        ++tail;

    LineDiff diff;
    diff.marks.assign(b.size(), LineMark::None);
    const auto middle = [head, tail](const std::vector<int> &lines) {
        return std::span(lines).subspan(static_cast<std::size_t>(head),
                                        lines.size() - static_cast<std::size_t>(head + tail));
    };
    int oldAt = head;
    int newAt = head;
    for (const Match &match : Matcher(middle(a), middle(b), maxEdits).matches()) {
        recordGap(diff, oldAt, head + match.older, newAt, head + match.newer);
        oldAt = head + match.older + 1;
        newAt = head + match.newer + 1;
    }
    recordGap(diff, oldAt, aSize - tail, newAt, bSize - tail);
    return diff;
}

} // namespace nestwright::code
