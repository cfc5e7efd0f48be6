// SPDX-License-Identifier: Apache-2.0
#include "core/measure/machine/caches.h"

#include "core/measure/machine/topology.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <optional>

namespace nestwright::measure {

using support::Result;
using target::MemoryLevel;

namespace {

constexpr std::int64_t mostCacheBytes = std::int64_t{4} << 30, mostLineBytes = 4096, mostWays = 1024;

/// "48K" in bytes; nothing where it is no positive number.
std::optional<std::int64_t> amountOf(std::string_view text)
{
    std::int64_t unit = 1;
    if (!text.empty()) {
        switch (text.back()) {
        case 'k':
        case 'K': unit = 1 << 10; break;
        case 'm':
        case 'M': unit = 1 << 20; break;
        default: break;
        }
    }
    if (unit > 1)
        text.remove_suffix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number <= 0
        || number > mostCacheBytes / unit)
        return std::nullopt;
    return number * unit;
}

bool isSound(const MemoryLevel &cache)
{
    const bool isPower = (cache.lineBytes & (cache.lineBytes - 1)) == 0;
    return isPower && cache.lineBytes <= mostLineBytes && cache.ways <= mostWays && cache.sets() > 0
           && cache.bytes == cache.sets() * cache.ways * cache.lineBytes;
}

/// Caches of usual processors.
Caches assumedCaches()
{
    return {.levels = {{.name = "L1", .bytes = 32 << 10, .ways = 8},
                       {.name = "L2", .bytes = 1 << 20, .ways = 16},
                       {.name = "L3", .bytes = 16 << 20, .ways = 16}},
            .isAssumed = true};
}

} // namespace

Caches caches()
{
    Caches found{.levels = topology().caches};
    std::erase_if(found.levels, [](const MemoryLevel &level) { return !isSound(level); });
    return found.levels.empty() ? assumedCaches() : found;
}

std::vector<MemoryLevel> memoryLevels()
{
    std::vector<MemoryLevel> levels = caches().levels;
    levels.push_back({.name = "DRAM"});
    return levels;
}

int cacheHolding(double bytes)
{
    constexpr std::size_t mostCaches = 3;
    static const std::vector<MemoryLevel> levels = caches().levels;
    for (std::size_t i = 0; i < levels.size() && i < mostCaches; ++i) {
        if (bytes <= static_cast<double>(levels[i].bytes))
            return static_cast<int>(i) + 1;
    }
    return mostCaches + 1;
}

Result<MemoryLevel> parseCache(std::string_view text, int number)
{
    std::vector<std::int64_t> numbers;
    for (std::string_view left = text; numbers.size() < 4;) {
        const std::size_t comma = left.find(',');
        const auto amount = amountOf(left.substr(0, comma));
        if (!amount)
            break;
        numbers.push_back(*amount);
        if (comma == std::string_view::npos)
            break;
        left.remove_prefix(comma + 1);
    }
    MemoryLevel cache{.name = "L" + std::to_string(number)};
    const bool isWhole = numbers.size() == 3 && std::ranges::count(text, ',') == 2;
    if (isWhole) {
        cache.bytes = numbers[0];
        cache.ways = numbers[1];
        cache.lineBytes = numbers[2];
    }
    if (!isWhole || !isSound(cache))
        return support::fail(
            support::diagnostic("usage.cache",
                                std::format("a cache is given as size,ways,line, but found '{}'", text))
                .withHint("write for example 32k,8,64: the size is a whole number of sets, the line a power "
                          "of two"));
    return cache;
}

} // namespace nestwright::measure
