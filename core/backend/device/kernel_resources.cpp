// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device/kernel_resources.h"

#include "core/ir/threads.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace nestwright::backend {

using target::Multiprocessor;
using target::multiprocessorOf;

namespace {

constexpr std::int64_t registerUnit = 256, registerWarps = 4, sharedUnit = 128;

constexpr std::int64_t roundedUp(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

std::int64_t blocksByRegisters(std::int64_t registers, std::int64_t warpsOfBlock, const Multiprocessor &of)
{
    const std::int64_t ofWarp = roundedUp(std::max<std::int64_t>(registers, 1) * ir::warpSize, registerUnit);
    return of.registers / ofWarp / registerWarps * registerWarps / warpsOfBlock;
}

std::int64_t blocksByShared(std::int64_t bytes, const Multiprocessor &of)
{
    const std::int64_t ofBlock = roundedUp(bytes + of.sharedReserved, sharedUnit);
    return ofBlock == 0 ? of.blocks : of.sharedBytes / ofBlock;
}

/// The greatest amount below `now` with which `fits`; nothing where none does. `fits` holds for all below it.
template <class Fits> std::optional<std::int64_t> greatestBelow(std::int64_t now, Fits fits)
{
    std::int64_t low = 0, high = now; // low fits, high does not
    if (now <= 0 || !fits(low))
        return std::nullopt;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

} // namespace

bool runsOn(std::string_view architecture, std::string_view gpu)
{
    const auto numberOf = [](std::string_view name) {
        int number = 0;
        const bool isNamed = name.starts_with("sm_");
        if (isNamed)
            std::from_chars(name.data() + 3, name.data() + name.size(), number);
        return number;
    };
    const int code = numberOf(architecture), device = numberOf(gpu);
    if (architecture.ends_with('a'))
        return code == device;
    return code > 0 && code / 10 == device / 10 && code <= device;
}

Occupancy occupancyOf(const KernelResources &resources, const Multiprocessor &multiprocessor)
{
    const std::int64_t warpsOfBlock = roundedUp(resources.threads, ir::warpSize) / ir::warpSize;
    struct Bound {
        OccupancyLimit limit;
        std::int64_t blocks;
    };
    const std::array bounds{
        Bound{OccupancyLimit::Warps, multiprocessor.warps / warpsOfBlock},
        Bound{OccupancyLimit::Blocks, multiprocessor.blocks},
        Bound{OccupancyLimit::Registers,
              blocksByRegisters(resources.registers, warpsOfBlock, multiprocessor)},
        Bound{OccupancyLimit::SharedMemory, resources.sharedBytes > multiprocessor.sharedOfBlock
                                                ? 0
                                                : blocksByShared(resources.sharedBytes, multiprocessor)},
    };
    const Bound least = *std::ranges::min_element(bounds, {}, &Bound::blocks);
    Occupancy result;
    result.blocks = static_cast<int>(least.blocks);
    result.warps = static_cast<int>(least.blocks * warpsOfBlock);
    result.mostWarps = multiprocessor.warps;
    result.limit = least.limit;
    if (std::ranges::count(bounds, least.blocks, &Bound::blocks) > 1)
        return result; // to exceed one limit less would not be enough
    if (least.limit == OccupancyLimit::Registers)
        result.forOneMore = greatestBelow(resources.registers, [&](std::int64_t registers) {
            return blocksByRegisters(registers, warpsOfBlock, multiprocessor) > least.blocks;
        });
    else if (least.limit == OccupancyLimit::SharedMemory)
        result.forOneMore = greatestBelow(resources.sharedBytes, [&](std::int64_t bytes) {
            return bytes <= multiprocessor.sharedOfBlock
                   && blocksByShared(bytes, multiprocessor) > least.blocks;
        });
    return result;
}

std::optional<Occupancy> occupancyOf(const KernelResources &resources)
{
    const Multiprocessor *multiprocessor = multiprocessorOf(resources.architecture);
    if (!multiprocessor || resources.threads <= 0)
        return std::nullopt;
    return occupancyOf(resources, *multiprocessor);
}

std::string resourcesText(const KernelResources &resources)
{
    std::string text = std::to_string(resources.registers) + " registers";
    if (resources.sharedBytes > 0)
        text += ", " + std::to_string(resources.sharedBytes) + " bytes shared";
    if (resources.spillStores + resources.spillLoads > 0)
        text += ", " + std::to_string(resources.spillStores) + " bytes spilled";
    return text;
}

std::string_view limitName(OccupancyLimit limit)
{
    switch (limit) {
    case OccupancyLimit::Warps: return "warps";
    case OccupancyLimit::Blocks: return "blocks";
    case OccupancyLimit::Registers: return "registers";
    case OccupancyLimit::SharedMemory: return "shared-memory";
    }
    std::unreachable();
}

std::string occupancySentence(const KernelResources &resources, const Occupancy &occupancy)
{
    const std::string threads = std::to_string(resources.threads) + " threads";
    std::string text = "No block of " + threads + " fits";
    if (occupancy.blocks > 0)
        text = std::to_string(occupancy.blocks) + (occupancy.blocks == 1 ? " block of " : " blocks of ")
               + threads + (occupancy.blocks == 1 ? " runs at a time, " : " run side by side, ")
               + (occupancy.warps == occupancy.mostWarps ? "all " : std::to_string(occupancy.warps) + " of ")
               + std::to_string(occupancy.mostWarps) + " warps";
    if (occupancy.blocks > 0 && occupancy.warps == occupancy.mostWarps)
        return text;
    if (occupancy.limit == OccupancyLimit::Blocks)
        return text + "; larger blocks would fill the rest";
    if (!occupancy.forOneMore)
        return text + (occupancy.blocks > 0 ? "; there is no room for one more" : "");
    const bool isShared = occupancy.limit == OccupancyLimit::SharedMemory;
    return text + "; with " + std::to_string(*occupancy.forOneMore)
           + (isShared ? " bytes shared" : " registers") + " instead of "
           + std::to_string(isShared ? resources.sharedBytes : resources.registers)
           + (occupancy.blocks > 0 ? " one more would" : " one would");
}

} // namespace nestwright::backend
