// SPDX-License-Identifier: Apache-2.0
#include "core/backend/listing/listing.h"

#include <charconv>

namespace nestwright::backend {

void ListingWriter::line(std::string_view text, support::StmtId stmt)
{
    m_listing.text += text;
    m_listing.text += '\n';
    const int number = m_count++;
    if (!stmt)
        return;
    auto &spans = m_listing.spans;
    if (!spans.empty() && spans.back().stmt == stmt && spans.back().lastLine == number - 1)
        spans.back().lastLine = number;
    else
        spans.push_back({stmt, number, number});
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::uint32_t leadingNumber(std::string_view text)
{
    std::uint32_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace nestwright::backend
