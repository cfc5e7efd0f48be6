// SPDX-License-Identifier: Apache-2.0
#include "core/measure/build/argument_sets.h"

#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/measure/build/given_inputs.h"

#include <algorithm>
#include <array>
#include <format>
#include <set>

namespace nestwright::measure {

namespace {

/// Whether any variant may do arithmetic as that of real numbers, which have no NaN.
bool isFast(const ir::Module &module)
{
    return std::ranges::any_of(module.functions(), [](const ir::Module::Entry &entry) {
        return ir::allowsFastMath(*entry.function);
    });
}

/// Extents of loops within which a size may end: the two largest that are numbers.
std::vector<std::int64_t> tilesOf(const std::vector<ir::Module> &variants)
{
    constexpr std::int64_t most = 256; ///< larger ones would make checking slow
    std::set<std::int64_t, std::greater<>> extents;
    for (const ir::Module &variant : variants) {
        for (const ir::Module::Entry &entry : variant.functions()) {
            ir::forEachStmt(entry.function->body, [&](const ir::Stmt &s) {
                const auto *loop = s.as<ir::For>();
                const std::int64_t *extent = loop ? ir::asInt(loop->extent) : nullptr;
                if (extent && *extent > 1 && *extent <= most)
                    extents.insert(*extent);
                return true;
            });
        }
    }
    std::vector<std::int64_t> tiles(extents.begin(), extents.end());
    tiles.resize(std::min<std::size_t>(tiles.size(), 2));
    return tiles;
}

/// Numbers for all symbolic sizes, set by set; different primes where there are several.
std::vector<Sizes> otherSizes(const Sizes &timed, const std::vector<ir::Module> &variants)
{
    if (timed.empty())
        return {};
    const auto all = [&](auto numberOf) {
        Sizes sizes;
        for (std::size_t i = 0; const auto &[name, size] : timed)
            sizes[name] = numberOf(i++);
        return sizes;
    };
    static constexpr auto primes = std::to_array<std::int64_t>({37, 41, 43, 47, 53});
    std::vector<Sizes> result{all([](std::size_t) { return std::int64_t{1}; }),
                              all([](std::size_t i) { return primes[i % primes.size()]; })};
    for (const std::int64_t tile : tilesOf(variants)) {
        for (const std::int64_t size : {tile - 1, tile, tile + 1})
            result.push_back(all([&](std::size_t) { return size; }));
    }
    return result;
}

std::string textOf(const Sizes &sizes)
{
    std::string text;
    for (const auto &[name, size] : sizes)
        text += std::format("{}{} = {}", text.empty() ? "" : ", ", name, size);
    return text;
}

} // namespace

support::Result<std::vector<ArgumentSet>> argumentSets(const ir::PrimFunc &function, const MeasureJob &job,
                                                       const JobArguments &timed)
{
    std::vector<ArgumentSet> sets{{timed.buffers, timed.scalars, Values::Small, job.seed}};
    const auto add = [&](Values values, std::uint64_t seed) {
        ArgumentSet &set = sets.emplace_back(sets.front());
        set.values = values;
        set.seed = seed;
    };
    const bool areGiven = std::ranges::all_of(
        timed.buffers, [](const BufferSpec &buffer) { return buffer.written || !buffer.file.empty(); });
    const bool isFloating = std::ranges::any_of(
        timed.buffers, [](const BufferSpec &buffer) { return buffer.dtype.isFloating(); });
    // First those that differ from the timed ones in little: who knows them by some elements shows then.
    const bool keepsNan = !isFast(job.reference) && std::ranges::none_of(job.variants, isFast);
    if (job.inputs.empty())
        add(isFloating && keepsNan ? Values::Special : Values::Near, job.seed);
    if (!areGiven || timed.buffers.empty() || job.inputs.empty())
        add(Values::Wide, job.seed + 2);
    if (!job.inputs.empty())
        return sets; // their shapes are given too
    for (const Sizes &sizes : otherSizes(timed.sizes, job.variants)) {
        MeasureJob other;
        other.sizes = sizes;
        auto arguments = argumentsOf(function, other);
        if (!arguments)
            return std::unexpected(arguments.error());
        sets.push_back({std::move(arguments->buffers), std::move(arguments->scalars), Values::Small,
                        job.seed + sets.size(), textOf(sizes)});
    }
    return sets;
}

} // namespace nestwright::measure
