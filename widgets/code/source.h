// SPDX-License-Identifier: GPL-3.0-or-later
/// The text that a code pane shows: plain data, given whole each time.
#pragma once

#include "core/support/stmt_id.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace nestwright::code {

using support::StmtId;

enum class Language { Plain, TvmScript, Python, C, Cuda, OpenCl, LlvmIr, Assembly, Ptx, Sass, Json };

/// Lines that belong to a loop or block, from 0, inclusive. One id may have several.
struct Span {
    StmtId id;
    int firstLine = 0;
    int lastLine = 0;
    int axis = -1; ///< whose colour the bar in the gutter takes (look/axis.h)
};

/// A variable that is written in the colour of its axis; line and column (UTF-16) from 0.
struct ColorSpan {
    int line = 0;
    int column = 0;
    int length = 0;
    int axis = -1;
    StmtId id; ///< its loop: clicking the variable means that loop
};

/// Part of a line, in UTF-16.
struct TextSpan {
    int line = 0;
    int column = 0;
    int length = 0;
};

/// The role of a line in a difference. Missing: it is empty, beside it stands a line of the other text.
enum class LineMark : std::uint8_t { None, Added, Removed, Missing };

struct Source {
    QString text;
    Language language = Language::Plain;
    std::vector<Span> spans;
    std::vector<ColorSpan> colors;
    // For a difference (difference.h); else empty.
    std::vector<LineMark> marks{};    ///< per line
    std::vector<int> numbers{};       ///< per line, as the gutter shows them; 0: none
    std::vector<TextSpan> emphasis{}; ///< words that differ
};

} // namespace nestwright::code
