// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/line_wrap.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace nestwright::script {

namespace {

constexpr std::size_t longestWrapped = 20'000; ///< longer lines are data
constexpr int continuationIndent = 8;          ///< more than the line's own; a body has 4
// How little a place is liked, in columns that are left unused.
constexpr int depthCost = 40;    ///< for each bracket around it
constexpr int bracketCost = 25;  ///< behind a bracket, not between arguments
constexpr int indexCost = 20;    ///< between indices
constexpr int operatorCost = 60; ///< between operands
constexpr int leastContent = 20; ///< of a bracket that a line may break behind

/// A place within brackets before which a line may break.
struct BreakPlace {
    int column = 0; ///< from the line's beginning
    int cost = 0;
};

/// A part of a line and the column in which it begins when it stands below.
struct Piece {
    int start = 0;
    int indent = 0;
};

/// The line as characters, each a run of bytes.
std::vector<std::string_view> charactersOf(std::string_view line)
{
    std::vector<std::string_view> characters;
    for (std::size_t i = 0; i < line.size();) {
        std::size_t end = i + 1;
        while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U)
            ++end;
        characters.push_back(line.substr(i, end - i));
        i = end;
    }
    return characters;
}

/// Whether an operator of least precedence begins here: a product stays together.
bool beginsOperator(std::string_view rest)
{
    constexpr std::array<std::string_view, 4> operators{" + ", " - ", " and ", " or "};
    return std::ranges::any_of(operators, [rest](std::string_view each) { return rest.starts_with(each); });
}

std::vector<BreakPlace> breakPlaces(const std::vector<std::string_view> &characters, std::string_view line)
{
    std::vector<BreakPlace> places;
    std::vector<int> brackets; // open, by the column behind them
    bool inString = false;
    std::size_t offset = 0;
    for (int column = 0; column < static_cast<int>(characters.size()); ++column) {
        const std::string_view each = characters[static_cast<std::size_t>(column)];
        const std::string_view rest = line.substr(offset);
        offset += each.size();
        if (inString) {
            if (each == "\\") // an escaped character ends no string
                offset += characters[static_cast<std::size_t>(++column)].size();
            inString = each != "\"";
            continue;
        }
        const int cost = static_cast<int>(brackets.size()) * depthCost;
        if (each == "\"") {
            inString = true;
        } else if (each == "(" || each == "[" || each == "{") {
            brackets.push_back(column + 1);
        } else if (each == ")" || each == "]" || each == "}") {
            if (column - brackets.back() >= leastContent)
                places.push_back({brackets.back(), cost - depthCost + bracketCost});
            brackets.pop_back();
        } else if (!brackets.empty() && rest.starts_with(", ")) {
            const bool isIndex = characters[static_cast<std::size_t>(brackets.back() - 1)] == "[";
            places.push_back({column + 2, cost + (isIndex ? indexCost : 0)});
        } else if (!brackets.empty() && beginsOperator(rest)) {
            places.push_back({column + 1, cost + operatorCost});
        }
    }
    std::ranges::sort(places, {}, &BreakPlace::column);
    return places;
}

/// All is counted from the line's own indentation, so that a line breaks in the same places wherever it
/// stands.
std::vector<Piece> piecesOf(std::string_view line, int columns)
{
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    std::vector<Piece> pieces{{0, 0}};
    if (line.size() - blanks <= static_cast<std::size_t>(columns) || line.size() > longestWrapped
        || line.substr(blanks).starts_with('#'))
        return pieces;
    const int indent = static_cast<int>(blanks);
    const std::vector<std::string_view> characters = charactersOf(line);
    const std::vector<BreakPlace> places = breakPlaces(characters, line);
    int start = 0;
    int end = indent + columns; // of the piece
    while (static_cast<int>(characters.size()) > end) {
        const auto cost = [end](const BreakPlace &place) { return place.cost + end - place.column; };
        const BreakPlace *best = nullptr;
        const auto from = std::ranges::upper_bound(places, start, {}, &BreakPlace::column);
        for (const BreakPlace &place : std::ranges::subrange(from, places.end())) {
            if (place.column > end + 1 && best) // a blank may stand beyond the end: it goes
                break;
            if (!best || cost(place) <= cost(*best))
                best = &place;
        }
        if (!best)
            break;
        start = best->column;
        end = start + columns - continuationIndent;
        pieces.push_back({start, indent + continuationIndent});
    }
    return pieces;
}

/// The lines of a text anew, and where the old ones are.
class Rewrapped {
public:
    Rewrapped(std::string_view text, int columns)
    {
        while (!text.empty()) {
            const std::size_t end = text.find('\n');
            addLine(text.substr(0, end), columns);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            if (end != std::string_view::npos)
                m_text += '\n';
        }
    }

    std::string takeText() { return std::move(m_text); }
    int firstLine(int line) const { return m_lines[static_cast<std::size_t>(line)].first; }
    int lastLine(int line) const
    {
        return firstLine(line) + static_cast<int>(m_lines[static_cast<std::size_t>(line)].pieces.size()) - 1;
    }
    void move(VarUse &use) const
    {
        const std::vector<Piece> &pieces = m_lines[static_cast<std::size_t>(use.line)].pieces;
        const auto piece = std::prev(std::ranges::upper_bound(pieces, use.column, {}, &Piece::start));
        use.line = firstLine(use.line) + static_cast<int>(piece - pieces.begin());
        use.column = piece->indent + use.column - piece->start;
    }

private:
    struct Line {
        int first = 0;
        std::vector<Piece> pieces;
    };

    void addLine(std::string_view line, int columns)
    {
        Line added{m_lines.empty() ? 0 : lastLine(static_cast<int>(m_lines.size()) - 1) + 1,
                   piecesOf(line, columns)};
        const std::vector<Piece> &pieces = added.pieces;
        if (pieces.size() == 1)
            m_text += line;
        else
            addPieces(charactersOf(line), pieces);
        m_lines.push_back(std::move(added));
    }

    void addPieces(const std::vector<std::string_view> &characters, const std::vector<Piece> &pieces)
    {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const bool isLast = i + 1 == pieces.size();
            const auto end = isLast ? characters.size() : static_cast<std::size_t>(pieces[i + 1].start);
            if (i > 0) {
                m_text.erase(m_text.find_last_not_of(' ') + 1);
                m_text += '\n';
                m_text.append(static_cast<std::size_t>(pieces[i].indent), ' ');
            }
            for (auto at = static_cast<std::size_t>(pieces[i].start); at < end; ++at)
                m_text += characters[at];
        }
    }

    std::string m_text;
    std::vector<Line> m_lines;
};

} // namespace

Printed wrapped(Printed printed, int columns)
{
    Rewrapped rewrapped(printed.text, columns);
    for (LineSpan &span : printed.spans) {
        span.firstLine = rewrapped.firstLine(span.firstLine);
        span.lastLine = rewrapped.lastLine(span.lastLine);
    }
    for (VarUse &use : printed.varUses)
        rewrapped.move(use);
    printed.text = rewrapped.takeText();
    return printed;
}

} // namespace nestwright::script
