// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/script/print/printer.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/loop_rows.h"

#include <CLI/CLI.hpp>
#include <format>
#include <iostream>

namespace nestwright::cli {

using backend::LoopCode;
using workbench::LoopRow;

namespace {

struct LoopsOptions : CommonOptions {
    bool json = false;
};

std::string lineOf(const LoopCode &code)
{
    const backend::InstructionCounts &counts = code.counts;
    std::string line = std::format(" {:>6} {:>6} {:>6} {:>5} {:>6} {:>6} {:>6}", counts.all, counts.packed,
                                   counts.scalar, counts.loads, counts.stores,
                                   counts.gathers + counts.scatters, counts.spills + counts.reloads);
    if (code.time)
        line += std::format(" {:>14}  {}", backend::cyclesText(*code.time), backend::limitText(*code.time));
    return line;
}

/// The lines of the loops, each once: copies that the compiler made of one are counted.
std::vector<std::string> linesOf(const std::vector<const LoopCode *> &code)
{
    std::vector<std::pair<std::string, int>> lines;
    for (const LoopCode *each : code) {
        std::string line = lineOf(*each);
        const auto found = std::ranges::find(lines, line, &std::pair<std::string, int>::first);
        if (found == lines.end())
            lines.emplace_back(std::move(line), 1);
        else
            ++found->second;
    }
    std::vector<std::string> result;
    for (const auto &[line, copies] : lines)
        result.push_back(copies == 1 ? line : line + std::format(" ({} copies)", copies));
    return result;
}

void show(const std::vector<LoopRow> &rows)
{
    std::size_t width = 8;
    for (const LoopRow &row : rows)
        width = std::max(width, 2 * row.depth + row.name.size());
    std::cout << std::format(
        "{:<{}} {:>8} {:>10} {:>10} {:>6} {:>6} {:>6} {:>5} {:>6} {:>6} {:>6} {:>14}  {}\n", "loop", width,
        "trips", "bytes", "flops/byte", "instr.", "vector", "scalar", "loads", "stores", "gather", "spill",
        "cycles", "limited by");
    const std::string indent = '\n' + std::string(width + 30, ' ');
    const auto number = [](const std::optional<double> &value, int digits) {
        return value ? std::format("{:.{}f}", *value, digits) : std::string("–");
    };
    for (const LoopRow &row : rows) {
        std::cout << std::format("{:<{}} {:>8} {:>10} {:>10}", std::string(2 * row.depth, ' ') + row.name,
                                 width, row.facts.iterations ? std::to_string(*row.facts.iterations) : "–",
                                 number(row.facts.bytes, 0), number(row.facts.intensity(), 2));
        std::string_view separator;
        for (const std::string &line : linesOf(row.code)) {
            std::cout << separator << line;
            separator = indent;
        }
        std::cout << '\n';
    }
}

int printLoops(const LoopsOptions &options)
{
    const auto loaded = load(options);
    if (!loaded)
        return report(loaded.error());
    const auto code = backend::loopCode(loaded->state.module, loaded->target);
    if (!code)
        return report(code.error());
    const suggest::LoopNest nest(loaded->state, script::print(loaded->state.module));
    const std::vector<LoopRow> rows = workbench::loopRows(nest, *code);
    if (options.json)
        return writeOutput({}, support::jsonText(workbench::toJson(rows), 2) + '\n');
    show(rows);
    return Done;
}

} // namespace

std::function<int()> declareLoops(CLI::App &app)
{
    auto options = std::make_shared<LoopsOptions>();
    options->addModule(app);
    options->addSchedule(app);
    options->addTarget(app);
    app.add_flag("--json", options->json, "print it as JSON");
    return [options] { return printLoops(*options); };
}

} // namespace nestwright::cli
