// SPDX-License-Identifier: Apache-2.0
/// Digests of long outcomes, for files of outcomes (outcomes.h): what changes, changes its digest.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <format>
#include <string>
#include <string_view>

namespace nestwright::tests {

/// Six hexadecimal digits of the FNV-1a hash, the same on every machine. NESTWRIGHT_SHOW_DIGESTS prints the
/// texts too, to compare those of two builds.
inline std::string digest(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    std::string digits = std::format("{:06x}", (hash ^ (hash >> 32)) & 0xffffff);
    if (std::getenv("NESTWRIGHT_SHOW_DIGESTS"))
        std::fprintf(stderr, "%s is\n%.*s\n", digits.c_str(), static_cast<int>(text.size()), text.data());
    return digits;
}

} // namespace nestwright::tests
