// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/symbolic_sizes.h"

#include <charconv>

namespace nestwright::cli {

using support::fail;
using support::Result;

Result<std::pair<std::string, std::string>> parseAssignment(const std::string &text, const std::string &code)
{
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        return fail(code, "expected NAME=VALUE, but found '" + text + '\'');
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::map<std::string, std::int64_t>> parseSizes(const std::vector<std::string> &options)
{
    std::map<std::string, std::int64_t> sizes;
    for (const std::string &option : options) {
        const auto pair = parseAssignment(option, "usage.size");
        if (!pair)
            return std::unexpected(pair.error());
        std::int64_t size = 0;
        const std::string &digits = pair->second;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
        if (error != std::errc() || end != digits.data() + digits.size() || size < 0)
            return fail("usage.size", "the size of '" + pair->first
                                          + "' must be a whole number of 0 or more, but is '" + digits
                                          + '\'');
        sizes[pair->first] = size;
    }
    return sizes;
}

} // namespace nestwright::cli
