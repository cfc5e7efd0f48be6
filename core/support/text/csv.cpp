// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/csv.h"

#include "core/support/text/visible.h"

namespace nestwright::support {

std::string csvField(std::string_view text)
{
    constexpr std::string_view formulaStarts = "=+-@\t\r";
    std::string field = !text.empty() && formulaStarts.contains(text.front()) ? "'" : "";
    field += visible(text);
    if (field.find_first_of(",\"\n\r;\t") == std::string::npos)
        return field;
    std::string quoted = "\"";
    for (const char c : field)
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

} // namespace nestwright::support
