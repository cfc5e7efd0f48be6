// SPDX-License-Identifier: Apache-2.0
#include "core/target/processors.h"

#include <algorithm>
#include <array>

namespace nestwright::target {

namespace {

struct Cache {
    std::int64_t bytes = 0; ///< 0: there is none
    std::int64_t ways = 1;
    int sharers = 1;
};

struct Row {
    std::string_view names; ///< of LLVM and GCC, with spaces between them
    Cache first, second, last;
    std::int64_t lineBytes = target::lineBytes;
    int multiplyAdds = 0; ///< of 512 bits in a cycle, where LLVM 19 has another number
};

constexpr std::int64_t kb = kilobyte, mb = megabyte;

// Intel 64 and IA-32 Architectures Optimization Reference Manual (2024); AMD Software Optimization Guides of
// the families 17h, 19h and 1Ah; Arm's Technical Reference Manuals, which leave sizes to the maker of a chip:
// those of Raspberry Pi 4 and 5, Graviton 2 to 4 and Ampere Altra. The last cache is that of a chip of eight
// cores, or as many as share one.
constexpr std::array rows{
    Row{"nehalem corei7 westmere sandybridge corei7-avx ivybridge core-avx-i haswell core-avx2 broadwell",
        {32 * kb, 8},
        {256 * kb, 8},
        {8 * mb, 16, 8}},
    Row{"skylake", {32 * kb, 8}, {256 * kb, 4}, {8 * mb, 16, 8}},
    Row{"skylake-avx512 skx cascadelake cooperlake", {32 * kb, 8}, {1 * mb, 16}, {11 * mb, 11, 8}},
    Row{"cannonlake icelake-client rocketlake", {48 * kb, 12}, {512 * kb, 8}, {16 * mb, 16, 8}},
    Row{"tigerlake", {48 * kb, 12}, {1280 * kb, 20}, {12 * mb, 12, 8}},
    Row{"icelake-server", {48 * kb, 12}, {1280 * kb, 20}, {12 * mb, 12, 8}},
    Row{"alderlake raptorlake", {48 * kb, 12}, {1280 * kb, 10}, {30 * mb, 12, 8}},
    Row{"meteorlake", {48 * kb, 12}, {2 * mb, 16}, {24 * mb, 12, 8}},
    Row{"arrowlake arrowlake-s", {48 * kb, 12}, {3 * mb, 12}, {36 * mb, 12, 8}},
    Row{"lunarlake", {48 * kb, 12}, {2560 * kb, 10}, {12 * mb, 12, 4}},
    Row{"sapphirerapids emeraldrapids graniterapids", {48 * kb, 12}, {2 * mb, 16}, {15 * mb, 15, 8}, 64, 2},
    Row{"silvermont slm goldmont", {24 * kb, 6}, {1 * mb, 16, 2}, {}},
    Row{"goldmont-plus", {24 * kb, 6}, {4 * mb, 16, 4}, {}},
    Row{"tremont", {32 * kb, 8}, {4608 * kb, 18, 4}, {4 * mb, 16, 8}},
    Row{"gracemont sierraforest", {32 * kb, 8}, {2 * mb, 16, 4}, {6 * mb, 12, 8}},
    Row{"znver1", {32 * kb, 8}, {512 * kb, 8}, {8 * mb, 16, 4}},
    Row{"znver2", {32 * kb, 8}, {512 * kb, 8}, {16 * mb, 16, 4}},
    Row{"znver3", {32 * kb, 8}, {512 * kb, 8}, {32 * mb, 16, 8}},
    Row{"znver4", {32 * kb, 8}, {1 * mb, 8}, {32 * mb, 16, 8}},
    Row{"znver5", {48 * kb, 12}, {1 * mb, 16}, {32 * mb, 16, 8}, 64, 2},
    Row{"cortex-a53", {32 * kb, 4}, {512 * kb, 16, 4}, {}},
    Row{"cortex-a55", {32 * kb, 4}, {128 * kb, 4}, {1 * mb, 16, 4}},
    Row{"cortex-a57", {32 * kb, 2}, {2 * mb, 16, 4}, {}},
    Row{"cortex-a72", {32 * kb, 2}, {1 * mb, 16, 4}, {}},
    Row{"cortex-a76", {64 * kb, 4}, {512 * kb, 8}, {2 * mb, 16, 4}},
    Row{"cortex-a78 cortex-x1 cortex-x2", {64 * kb, 4}, {512 * kb, 8}, {4 * mb, 16, 8}},
    Row{"neoverse-n1 ampere1 ampere1a neoverse-n2 neoverse-v1", {64 * kb, 4}, {1 * mb, 8}, {32 * mb, 16, 32}},
    Row{"neoverse-v2", {64 * kb, 4}, {2 * mb, 8}, {36 * mb, 12, 96}},
    Row{"a64fx", {64 * kb, 4}, {8 * mb, 16, 12}, {}, 256},
    Row{"apple-m1 apple-a14", {128 * kb, 8}, {12 * mb, 12, 4}, {}, 128},
    Row{"apple-m2 apple-m3 apple-a15 apple-a16", {128 * kb, 8}, {16 * mb, 16, 4}, {}, 128},
};

bool isNamed(std::string_view names, std::string_view wanted)
{
    while (!names.empty()) {
        const std::size_t space = names.find(' ');
        if (names.substr(0, space) == wanted)
            return true;
        names.remove_prefix(space == std::string_view::npos ? names.size() : space + 1);
    }
    return false;
}

const Row *rowOf(std::string_view processor)
{
    const auto row =
        std::ranges::find_if(rows, [&](const Row &each) { return isNamed(each.names, processor); });
    return processor.empty() || row == rows.end() ? nullptr : &*row;
}

} // namespace

std::optional<std::vector<MemoryLevel>> cachesOf(std::string_view processor)
{
    const Row *row = rowOf(processor);
    if (!row)
        return std::nullopt;
    std::vector<MemoryLevel> levels;
    for (const Cache &cache : {row->first, row->second, row->last}) {
        if (cache.bytes > 0)
            levels.push_back({.name = "L" + std::to_string(levels.size() + 1),
                              .bytes = cache.bytes,
                              .ways = cache.ways,
                              .lineBytes = row->lineBytes,
                              .sharers = cache.sharers});
    }
    levels.push_back({.name = "DRAM"});
    return levels;
}

int multiplyAddsOf(std::string_view processor, int vectorBits)
{
    const Row *row = rowOf(processor);
    return row && vectorBits == 512 ? row->multiplyAdds : 0;
}

} // namespace nestwright::target
