// SPDX-License-Identifier: Apache-2.0
#include "core/support/text/bytes_text.h"

#include <cstddef>
#include <format>
#include <iterator>

namespace nestwright::support {

std::string bytesText(double bytes)
{
    static constexpr const char *units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < std::size(units)) {
        bytes /= 1024;
        ++unit;
    }
    return std::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 99.95 ? 0 : 1, units[unit]);
}

} // namespace nestwright::support
