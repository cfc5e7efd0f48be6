// SPDX-License-Identifier: Apache-2.0
/// Places in a text for people: lines and columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace nestwright::support {

struct TextPosition {
    int line = 1, column = 1; ///< both from 1
};

/// The position of the byte `offset`; the end of the text where it is beyond.
inline TextPosition positionAt(std::string_view text, std::size_t offset)
{
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
    return {static_cast<int>(std::ranges::count(before, '\n')) + 1,
            static_cast<int>(before.size() - lineStart) + 1};
}

} // namespace nestwright::support
