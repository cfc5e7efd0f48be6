// SPDX-License-Identifier: Apache-2.0
#include "core/explore/compare/source_alignment.h"

#include "core/support/text/common_subsequence.h"

#include <algorithm>
#include <cctype>
#include <ranges>
#include <unordered_map>

namespace nestwright::explore {

namespace {

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    for (const auto line : std::views::split(text, '\n'))
        lines.emplace_back(line.begin(), line.end());
    return lines;
}

bool isDigit(char each) { return each >= '0' && each <= '9'; }
bool isWordChar(char each)
{
    return isDigit(each) || each == '_' || each == '.' || std::isalpha(static_cast<unsigned char>(each));
}

std::string_view trimmed(std::string_view line)
{
    const std::size_t first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view()
                                           : line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

std::string_view wordAt(std::string_view line, std::size_t begin)
{
    std::size_t end = begin;
    while (end < line.size() && isWordChar(line[end]))
        ++end;
    return line.substr(begin, end - begin);
}

/// Vector registers keep their width; any other is "r".
std::string_view registerKind(std::string_view name)
{
    for (const std::string_view wide : {"xmm", "ymm", "zmm"}) {
        if (name.starts_with(wide))
            return wide;
    }
    return "r";
}

std::string ofAssembly(std::string_view line)
{
    std::string text;
    for (std::size_t i = 0; i < line.size() && line[i] != '#'; ++i) {
        if (line[i] == '%') {
            const std::string_view name = wordAt(line, i + 1);
            text += '%';
            text += registerKind(name);
            i += name.size();
        } else if (line.substr(i, 2) == ".L") {
            text += ".L";
            i += wordAt(line, i).size() - 1;
        } else {
            text += line[i];
        }
    }
    return std::string(trimmed(text));
}

std::string ofLlvmIr(std::string_view line)
{
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool isNumberedLabel =
            i == 0 && isDigit(line[i]) && line.substr(wordAt(line, 0).size(), 1) == ":";
        text += isNumberedLabel ? '%' : line[i];
        if (!isNumberedLabel && line[i] != '%' && line[i] != '!' && line[i] != '#')
            continue;
        const std::size_t begin = isNumberedLabel ? i : i + 1;
        const std::string_view name = wordAt(line, begin);
        std::ranges::copy_if(name, std::back_inserter(text), [](char each) { return !isDigit(each); });
        i = begin + name.size() - 1;
    }
    return text;
}

/// Neighbouring lines of one loop or block.
struct Segment {
    int loop = -1; ///< position in the pairs; -1: of no loop
    int first = 0, end = 0;
};

std::vector<Segment> segmentsOf(const SpannedText &text, int lines,
                                const std::unordered_map<StmtId, int> &rowOf)
{
    // Inner loops come later in the order of first lines, or are shorter.
    std::vector<script::LineSpan> spans(text.spans.begin(), text.spans.end());
    std::erase_if(spans, [&](const script::LineSpan &span) { return !rowOf.contains(span.stmt); });
    std::ranges::stable_sort(spans, std::greater(),
                             [](const script::LineSpan &span) { return span.lastLine - span.firstLine; });
    std::vector<int> loopOf(static_cast<std::size_t>(lines), -1);
    for (const script::LineSpan &span : spans) {
        for (int line = std::max(0, span.firstLine); line <= std::min(span.lastLine, lines - 1); ++line)
            loopOf[static_cast<std::size_t>(line)] = rowOf.at(span.stmt);
    }
    std::vector<Segment> segments;
    for (int line = 0; line < lines; ++line) {
        const int loop = loopOf[static_cast<std::size_t>(line)];
        if (segments.empty() || segments.back().loop != loop)
            segments.push_back({loop, line, line});
        segments.back().end = line + 1;
    }
    return segments;
}

/// Edits beyond which a shortest script is not looked for: the time stays in proportion to the lines.
int mostEditsFor(std::size_t lines)
{
    return std::clamp(4'000'000 / std::max(1, static_cast<int>(lines)), 40, 1000);
}

class Alignment {
public:
    Alignment(std::vector<int> first, std::vector<int> second)
        : m_first(std::move(first))
        , m_second(std::move(second))
    {
    }

    void alone(const Segment &segment, int AlignedLine::*side)
    {
        for (int line = segment.first; line < segment.end; ++line) {
            AlignedLine row;
            row.*side = line;
            m_rows.push_back(row);
        }
    }

    void together(const Segment &one, const Segment &other)
    {
        const std::span<const int> before = part(m_first, one), after = part(m_second, other);
        std::vector<support::CommonElement> common =
            support::commonSubsequence(before, after, mostEditsFor(after.size()));
        common.push_back({before.size(), after.size()});
        int went = one.first, came = other.first;
        for (const support::CommonElement &next : common) {
            const int goes = one.first + static_cast<int>(next.before),
                      comes = other.first + static_cast<int>(next.after);
            while (went < goes || came < comes)
                m_rows.push_back({went < goes ? went++ : -1, came < comes ? came++ : -1, false});
            if (next.before < before.size())
                m_rows.push_back({went++, came++, true});
        }
    }

    std::vector<AlignedLine> take() && { return std::move(m_rows); }

private:
    static std::span<const int> part(const std::vector<int> &lines, const Segment &segment)
    {
        return std::span(lines).subspan(static_cast<std::size_t>(segment.first),
                                        static_cast<std::size_t>(segment.end - segment.first));
    }

    std::vector<int> m_first, m_second; ///< lines by number, the same for the same text
    std::vector<AlignedLine> m_rows;
};

std::vector<int> loopsOf(const std::vector<Segment> &segments)
{
    std::vector<int> loops;
    for (const Segment &segment : segments)
        loops.push_back(segment.loop);
    return loops;
}

} // namespace

LineFilter filterFor(backend::SourceKind kind)
{
    switch (kind) {
    case backend::SourceKind::Asm: return LineFilter::Assembly;
    case backend::SourceKind::UnoptimizedLlvmIr:
    case backend::SourceKind::LlvmIr: return LineFilter::LlvmIr;
    default: return LineFilter::Indentation;
    }
}

std::string comparable(std::string_view line, LineFilter filter)
{
    const std::string_view bare = trimmed(line);
    switch (filter) {
    case LineFilter::Indentation: break;
    case LineFilter::Assembly: return ofAssembly(bare);
    case LineFilter::LlvmIr: return ofLlvmIr(bare);
    }
    return std::string(bare);
}

std::vector<AlignedLine> alignLines(const SpannedText &first, const SpannedText &second,
                                    const std::vector<LoopPair> &pairs, LineFilter filter)
{
    std::unordered_map<StmtId, int> firstRows, secondRows;
    for (int row = 0; row < static_cast<int>(pairs.size()); ++row) {
        const LoopPair &pair = pairs[static_cast<std::size_t>(row)];
        if (pair.first)
            firstRows.emplace(pair.first, row);
        if (pair.second)
            secondRows.emplace(pair.second, row);
    }
    support::Numbering<std::string> number;
    const auto numbersOf = [&](std::string_view text) {
        std::vector<int> numbers;
        for (const std::string_view line : linesOf(text))
            numbers.push_back(number(comparable(line, filter)));
        return numbers;
    };
    std::vector<int> before = numbersOf(first.text), after = numbersOf(second.text);
    const auto one = segmentsOf(first, static_cast<int>(before.size()), firstRows);
    const auto other = segmentsOf(second, static_cast<int>(after.size()), secondRows);
    auto common = support::commonSubsequence(loopsOf(one), loopsOf(other), mostEditsFor(other.size()));
    common.push_back({one.size(), other.size()});
    Alignment alignment(std::move(before), std::move(after));
    std::size_t went = 0, came = 0;
    for (const support::CommonElement &next : common) {
        while (went < next.before)
            alignment.alone(one[went++], &AlignedLine::first);
        while (came < next.after)
            alignment.alone(other[came++], &AlignedLine::second);
        if (went < one.size() && came < other.size())
            alignment.together(one[went++], other[came++]);
    }
    return std::move(alignment).take();
}

} // namespace nestwright::explore
