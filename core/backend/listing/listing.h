// SPDX-License-Identifier: Apache-2.0
/// Listings of compilers, line by line, with the statement that each line is of.
#pragma once

#include "core/script/print/printer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::backend {

struct Listing {
    std::string text;
    std::vector<script::LineSpan> spans; ///< one per run of lines of the same statement
};

/// Collects lines and joins runs of the same statement into spans.
class ListingWriter {
public:
    /// `stmt` is none for a line of no statement.
    void line(std::string_view text, support::StmtId stmt);
    Listing take() { return std::move(m_listing); }

private:
    Listing m_listing;
    int m_count = 0;
};

template <class F> void forEachLine(std::string_view text, F &&visit)
{
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        visit(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

/// Without blanks around it.
std::string_view trimmed(std::string_view text);
/// The number at the beginning of `text`, or 0.
std::uint32_t leadingNumber(std::string_view text);

} // namespace nestwright::backend
