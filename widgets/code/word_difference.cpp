// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/word_difference.h"

#include "core/support/text/common_subsequence.h"
#include "widgets/code/code_text.h"

#include <QHashFunctions>

#include <algorithm>

namespace nestwright::code {

namespace {

constexpr int mostEdits = 200;
constexpr double leastInCommon = 0.4; ///< of the longer line's characters

/// A name, a number or one sign; spaces are none.
struct Word {
    int column = 0;
    int length = 0;
};

std::vector<Word> wordsOf(QStringView line)
{
    std::vector<Word> words;
    for (int i = 0; i < line.size();) {
        int end = i + 1;
        while (isWordCharacter(line[i]) && end < line.size() && isWordCharacter(line[end]))
            ++end;
        if (!line[i].isSpace())
            words.push_back({i, end - i});
        i = end;
    }
    return words;
}

int charactersOf(const std::vector<Word> &words)
{
    int count = 0;
    for (const Word &word : words)
        count += word.length;
    return count;
}

/// The words that are not common, as ranges of columns.
std::vector<std::pair<int, int>> rangesOf(const std::vector<Word> &words, const std::vector<char> &isCommon)
{
    std::vector<std::pair<int, int>> ranges;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (isCommon[i])
            continue;
        if (i > 0 && !isCommon[i - 1])
            ranges.back().second = words[i].column + words[i].length - ranges.back().first;
        else
            ranges.emplace_back(words[i].column, words[i].length);
    }
    return ranges;
}

} // namespace

WordDifference differentWords(QStringView older, QStringView newer)
{
    support::Numbering<QStringView> number;
    const auto numbersOf = [&number](QStringView line, const std::vector<Word> &words) {
        std::vector<int> numbers;
        for (const Word &word : words)
            numbers.push_back(number(line.mid(word.column, word.length)));
        return numbers;
    };
    const std::vector<Word> before = wordsOf(older), after = wordsOf(newer);
    const std::vector<int> a = numbersOf(older, before), b = numbersOf(newer, after);
    std::vector<char> isCommonBefore(before.size(), 0), isCommonAfter(after.size(), 0);
    int common = 0;
    for (const support::CommonElement &element : support::commonSubsequence(a, b, mostEdits)) {
        isCommonBefore[element.before] = isCommonAfter[element.after] = 1;
        common += after[element.after].length;
    }
    if (common < leastInCommon * std::max(charactersOf(before), charactersOf(after)))
        return {};
    return {rangesOf(before, isCommonBefore), rangesOf(after, isCommonAfter)};
}

} // namespace nestwright::code
