// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/near_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace nestwright::support {

namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string quotedList(std::span<const std::string_view> names, std::string_view last)
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0)
            text += i + 1 == names.size() ? last : std::string_view(", ");
        text += '\'' + std::string(names[i]) + '\'';
    }
    return text;
}

} // namespace

int editDistance(std::string_view a, std::string_view b)
{
    const std::size_t width = b.size() + 1;
    std::vector<int> table((a.size() + 1) * width);
    const auto at = [&](std::size_t i, std::size_t j) -> int & { return table[i * width + j]; };
    for (std::size_t i = 0; i <= a.size(); ++i)
        at(i, 0) = static_cast<int>(i);
    for (std::size_t j = 0; j <= b.size(); ++j)
        at(0, j) = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int replace = at(i - 1, j - 1) + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replace});
            const bool swapped =
                i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped)
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
        }
    }
    return at(a.size(), b.size());
}

std::string didYouMean(std::string_view name, std::span<const std::string_view> known)
{
    constexpr std::size_t mostNear = 3, mostListed = 8;
    std::vector<std::pair<int, std::string_view>> near;
    for (std::string_view candidate : known) {
        const int distance = editDistance(name, candidate);
        const auto longest = static_cast<int>(std::max(name.size(), candidate.size()));
        const bool begins = !name.empty() && candidate.starts_with(name);
        if (distance <= std::max(1, longest / 3) && distance < longest)
            near.emplace_back(distance, candidate);
        else if (begins)
            near.emplace_back(longest, candidate);
    }
    std::ranges::stable_sort(near, {}, &std::pair<int, std::string_view>::first);
    std::vector<std::string_view> names;
    for (const auto &[distance, candidate] : near) {
        if (names.size() < mostNear && std::ranges::find(names, candidate) == names.end())
            names.push_back(candidate);
    }
    if (!names.empty())
        return "did you mean " + quotedList(names, " or ") + '?';
    if (known.empty())
        return "there are none";
    const bool tooMany = known.size() > mostListed;
    return "there are "
           + quotedList(known.first(std::min(known.size(), mostListed)), tooMany ? ", " : " and ")
           + (tooMany ? ", …" : "");
}

} // namespace nestwright::support
