// SPDX-License-Identifier: Apache-2.0
#include "core/course/goal.h"

#include "core/support/text/near_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <vector>

namespace nestwright::course {

using support::diagnostic;
using support::fail;

namespace {

/// The words of a form behind its first: "B" a block or buffer, "T" a trait of loops, "O" another block,
/// "N" a number behind ">=", "R" a ratio. Those in lower case may be missing.
struct Form {
    std::string_view word;
    GoalKind kind;
    std::string_view parts;
    std::string_view example;
};
constexpr std::array<Form, 11> forms{{
    {"loops", GoalKind::Loops, "BN", "loops C >= 5"},
    {"tiled", GoalKind::Tiled, "B", "tiled C"},
    {"outermost", GoalKind::Outermost, "BTn", "outermost C parallel"},
    {"innermost", GoalKind::Innermost, "BTn", "innermost C vector >= 8"},
    {"loop", GoalKind::Loop, "BTn", "loop C threadIdx.x >= 32"},
    {"within", GoalKind::Within, "BO", "within C Y"},
    {"copied", GoalKind::Copied, "Bn", "copied B >= 3"},
    {"present", GoalKind::Present, "B", "present C_init"},
    {"absent", GoalKind::Absent, "B", "absent C_init"},
    {"measured", GoalKind::Measured, "", "measured"},
    {"speed", GoalKind::Speed, "R", "speed 1.5 threads 2"},
}};

constexpr auto examples = [] {
    std::array<std::string_view, forms.size()> all;
    std::ranges::transform(forms, all.begin(), &Form::example);
    return all;
}();

constexpr auto traits =
    std::to_array<std::string_view>({"serial", "parallel", "vector", "unroll", "blockIdx.x", "blockIdx.y",
                                     "threadIdx.x", "threadIdx.y", "spatial", "reduction"});

std::vector<std::string_view> wordsOf(std::string_view text)
{
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0)
            words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return words;
}

std::optional<double> numberOf(std::string_view word)
{
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool isNumber = error == std::errc() && end == word.data() + word.size();
    return isNumber ? std::optional(number) : std::nullopt;
}

/// Reads the words of a goal one after the other.
class WordReader {
public:
    explicit WordReader(std::vector<std::string_view> words) : m_words(std::move(words)) {}

    bool atEnd() const { return m_next == m_words.size(); }
    std::string_view peek() const { return atEnd() ? std::string_view() : m_words[m_next]; }
    std::string_view take() { return atEnd() ? std::string_view() : m_words[m_next++]; }
    /// The number behind `word`; nothing where they are not next.
    std::optional<double> takeNumberAfter(std::string_view word)
    {
        if (peek() != word)
            return {};
        take();
        return numberOf(take());
    }

private:
    std::vector<std::string_view> m_words;
    std::size_t m_next = 0;
};

/// Whether the part of a form stands next; it goes into `goal`.
bool takePart(char part, WordReader &words, Goal &goal)
{
    switch (part) {
    case 'B': goal.name = words.take(); return !goal.name.empty();
    case 'O': goal.trait = words.take(); return !goal.trait.empty();
    case 'T': goal.trait = words.take(); return std::ranges::contains(traits, goal.trait);
    case 'n':
        if (words.atEnd())
            return true;
        [[fallthrough]];
    case 'N': {
        const auto least = words.takeNumberAfter(">=");
        goal.least = least.value_or(0);
        return least.has_value();
    }
    default: {
        const auto ratio = numberOf(words.take());
        goal.least = ratio.value_or(0);
        if (words.peek() == "threads")
            goal.threads = static_cast<int>(words.takeNumberAfter("threads").value_or(0));
        return ratio && *ratio > 0 && goal.threads > 0;
    }
    }
}

} // namespace

std::span<const std::string_view> goalForms() { return examples; }

Result<Goal> parseGoal(std::string text, std::string_view form)
{
    WordReader words(wordsOf(form));
    const std::string_view first = words.take();
    const auto known = std::ranges::find(forms, first, &Form::word);
    if (known == forms.end()) {
        std::vector<std::string_view> names;
        std::ranges::transform(forms, std::back_inserter(names), &Form::word);
        return fail(diagnostic("course.goal", std::format("there is no goal '{}'", first))
                        .withHint(support::didYouMean(std::string(first), names)));
    }
    Goal goal{std::move(text), std::string(form), known->kind};
    const bool fits = std::ranges::all_of(known->parts, [&](char p) { return takePart(p, words, goal); });
    if (!fits || !words.atEnd())
        return fail(diagnostic("course.goal", std::format("'{}' is no goal", form))
                        .withHint(std::format("write it like '{}'", known->example)));
    return goal;
}

} // namespace nestwright::course
