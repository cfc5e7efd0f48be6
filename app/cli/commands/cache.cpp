// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "app/cli/text/symbolic_sizes.h"
#include "core/explore/trace/cache_counts.h"
#include "core/explore/trace/reduced_sizes.h"
#include "core/measure/machine/caches.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/memory_answers.h"

#include <CLI/CLI.hpp>
#include <format>
#include <iostream>

namespace nestwright::cli {

using explore::CacheCounts;
using explore::LevelCounts;
using support::Result;
using target::MemoryLevel;

namespace {

struct CacheOptions : CommonOptions {
    std::vector<std::string> caches, sizes;
    std::int64_t largest = 0, accesses = explore::manyAccesses;
    bool json = false;
};

/// Levels that were given, or those of this processor.
Result<std::vector<MemoryLevel>> levelsOf(const CacheOptions &options)
{
    std::vector<MemoryLevel> levels;
    for (const std::string &text : options.caches) {
        auto level = measure::parseCache(text, static_cast<int>(levels.size()) + 1);
        if (!level)
            return support::fail(std::move(level.error()));
        levels.push_back(*std::move(level));
    }
    if (!levels.empty())
        return levels;
    measure::Caches own = measure::caches();
    if (own.isAssumed)
        std::cerr << "note: the system does not tell its caches; usual ones are simulated (--cache)\n";
    return std::move(own.levels);
}

/// The scheduled program, with smaller extents where that is asked for.
Result<schedule::State> stateOf(const CacheOptions &options)
{
    if (options.largest == 0)
        return opener().loadScheduled(options.module, options.schedule);
    const auto path = opener().loadPath(options.module, options.schedule);
    if (!path)
        return support::fail(path.error());
    auto reduced = explore::reduced(*path, options.largest);
    if (!reduced)
        return support::fail(std::move(reduced.error()));
    if (!reduced->sizes.empty())
        std::cerr << "note: smaller extents: " << explore::textOf(reduced->sizes) << '\n';
    return reduced->path.end();
}

std::string percent(std::int64_t part, std::int64_t whole)
{
    return whole == 0
               ? "–"
               : std::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string rowText(const LevelCounts &held, const LevelCounts &total)
{
    std::string text = std::format(" {:>13} {:>13}", explore::accessesOf(held), held.front());
    const std::size_t levels = held.size() - 1;
    for (std::size_t level = 0; level < levels; ++level)
        text += std::format(" {:>12}", explore::missesOf(held, level));
    // With a column for "–", which takes three bytes.
    return text + std::format("  {:>8}", percent(explore::missesOf(held, 0), explore::missesOf(total, 0)));
}

void show(const CacheCounts &counts, const std::vector<MemoryLevel> &levels)
{
    for (const MemoryLevel &level : levels)
        std::cout << std::format("{}: {} KiB, {} ways, lines of {} bytes\n", level.name, level.bytes >> 10,
                                 level.ways, level.lineBytes);
    std::size_t width = 9;
    for (const explore::TracedAccess &access : counts.tables.accesses)
        width = std::max(width, access.statement.size());
    std::size_t bufferWidth = 6;
    for (const explore::TracedBuffer &buffer : counts.tables.buffers)
        bufferWidth = std::max(bufferWidth, buffer.name.size());
    std::cout << std::format("\n{:<{}} {:<{}} {:<5} {:>13} {:>13}", "statement", width, "buffer", bufferWidth,
                             "", "accesses", levels.front().name + " hits");
    for (const MemoryLevel &level : levels)
        std::cout << std::format(" {:>12}", level.name + " misses");
    std::cout << std::format("  {:>8}\n", "share");
    for (std::size_t i = 0; i < counts.held.size(); ++i) {
        const explore::TracedAccess &access = counts.tables.accesses[i];
        std::cout << std::format("{:<{}} {:<{}} {:<5}", access.statement, width,
                                 counts.tables.buffers[access.buffer].name, bufferWidth,
                                 access.isWrite ? "write" : "read")
                  << rowText(counts.held[i], counts.total) << '\n';
    }
    std::cout << std::format("{:<{}} {:<{}} {:<5}", "all", width, "", bufferWidth, "")
              << rowText(counts.total, counts.total) << '\n';
}

int printCaches(const CacheOptions &options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    const auto sizes = parseSizes(options.sizes);
    if (!sizes)
        return report(sizes.error());
    const auto levels = levelsOf(options);
    if (!levels)
        return report(levels.error());
    const auto state = stateOf(options);
    if (!state)
        return report(state.error());
    const auto function = explore::traceableFunction(state->module, *target);
    if (!function)
        return report(function.error());
    const auto counts = explore::countCacheMisses(**function, *sizes, *levels, options.accesses);
    if (!counts)
        return report(counts.error());
    if (!counts->isWhole)
        std::cerr << std::format("note: the run ended after {} accesses (--accesses)\n", options.accesses);
    if (options.json)
        return writeOutput({}, support::jsonText(workbench::toJson(*counts, *levels), 2) + '\n');
    show(*counts, *levels);
    return Done;
}

} // namespace

std::function<int()> declareCache(CLI::App &app)
{
    auto options = std::make_shared<CacheOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    app.add_option(
           "--cache", options->caches,
           "a level of cache, nearest first, as 32k,8,64: size, ways, bytes of a line; else those of this "
           "processor")
        ->allow_extra_args(false);
    app.add_option("--size", options->sizes, "a symbolic size, as n=1000")->allow_extra_args(false);
    app.add_option("--largest", options->largest, "make extents above this smaller, with the same steps")
        ->check(CLI::Range(1, 1 << 30));
    app.add_option("--accesses", options->accesses, "end the run after so many")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--json", options->json, "print it as JSON");
    return [options] { return printCaches(*options); };
}

} // namespace nestwright::cli
