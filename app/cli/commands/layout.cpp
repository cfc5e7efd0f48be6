// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/explore/trace/buffer_layouts.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/memory_answers.h"

#include <CLI/CLI.hpp>
#include <format>
#include <iostream>

namespace nestwright::cli {

using explore::LayoutChange;
using explore::LayoutGrid;

namespace {

struct LayoutOptions : CommonOptions {
    bool json = false;
};

constexpr std::int64_t mostPrinted = 16; ///< rows and columns

/// Offsets of the first rows and columns.
void showGrid(const char *title, const LayoutChange &change, const LayoutGrid &grid)
{
    std::cout << std::format("  {}: {}\n", title, grid.shape);
    const std::int64_t rows = std::min(change.rows, mostPrinted),
                       columns = std::min(change.columns, mostPrinted);
    std::size_t width = 1;
    for (const std::int64_t offset : grid.offsets)
        width = std::max(width, std::to_string(offset).size());
    for (std::int64_t row = 0; row < rows; ++row) {
        std::string line = "  ";
        for (std::int64_t column = 0; column < columns; ++column)
            line += std::format(" {:>{}}",
                                grid.offsets[static_cast<std::size_t>(row * change.columns + column)], width);
        std::cout << line << (columns < change.columns ? " …" : "") << '\n';
    }
    if (rows < change.rows)
        std::cout << "   …\n";
}

int printLayouts(const LayoutOptions &options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    const auto path = opener().loadPath(options.module, options.schedule);
    if (!path)
        return report(path.error());
    const std::vector<LayoutChange> changes = explore::layoutChanges(*path, *target);
    if (options.json)
        return writeOutput({}, support::jsonText(workbench::toJson(changes), 2) + '\n');
    if (changes.empty())
        std::cout << "no step lays a buffer out anew\n";
    for (const LayoutChange &change : changes) {
        std::cout << std::format("{}: places of '{}' in memory, in elements\n", change.step, change.buffer);
        showGrid("before", change, change.before);
        showGrid("after", change, change.after);
    }
    return Done;
}

} // namespace

std::function<int()> declareLayout(CLI::App &app)
{
    auto options = std::make_shared<LayoutOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    app.add_flag("--json", options->json, "print them as JSON");
    return [options] { return printLayouts(*options); };
}

} // namespace nestwright::cli
