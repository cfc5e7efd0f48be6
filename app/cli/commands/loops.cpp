// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/backend/listing/loop_code.h"
#include "core/script/print/printer.h"
#include "core/suggest/loop_facts.h"
#include "core/support/text/json_output.h"

#include <CLI/CLI.hpp>
#include <format>
#include <iostream>

namespace nestwright::cli {

using backend::LoopCode;
using support::Json;
using support::StmtId;

namespace {

struct LoopsOptions : CommonOptions {
    bool json = false;
};

/// Loops of the program in its order, each with the loops of machine code that run its iterations.
struct Row {
    suggest::LoopFacts facts;
    std::string name;
    std::size_t depth = 0;
    std::vector<const LoopCode *> code;
};

std::vector<Row> rowsOf(const suggest::LoopNest &nest, const std::vector<LoopCode> &code)
{
    std::vector<Row> rows;
    for (const StmtId id : nest.all()) {
        if (!nest.loop(id))
            continue;
        Row row{suggest::loopFacts(nest, id), nest.name(id), nest.loopsTo(id).size() - 1, {}};
        for (const LoopCode &each : code) {
            if (each.loop == id)
                row.code.push_back(&each);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Json toJson(const LoopCode &code)
{
    const backend::InstructionCounts &counts = code.counts;
    Json json{{"function", code.function},
              {"first-line", code.firstLine + 1},
              {"last-line", code.lastLine + 1},
              {"innermost", code.isInnermost},
              {"vector-bits", code.vectorBits},
              {"instructions", counts.all},
              {"packed", counts.packed},
              {"scalar", counts.scalar},
              {"loads", counts.loads},
              {"stores", counts.stores},
              {"gathers", counts.gathers},
              {"scatters", counts.scatters},
              {"spills", counts.spills},
              {"reloads", counts.reloads},
              {"prefetches", counts.prefetches},
              {"branches", counts.branches},
              {"calls", counts.calls},
              {"multiply-adds", counts.multiplyAdds},
              {"flops", counts.flops}};
    if (code.time) {
        json["cycles"] = code.time->cycles;
        json["least-cycles"] = code.time->leastCycles;
        if (!code.time->units.empty())
            json["units"] = code.time->units;
        json["limit"] = backend::limitName(code.time->limit);
    }
    return json;
}

Json toJson(const Row &row)
{
    Json json{
        {"loop", row.name}, {"id", row.facts.loop.value}, {"depth", row.depth}, {"code", Json::array()}};
    if (row.facts.iterations)
        json["iterations"] = *row.facts.iterations;
    if (row.facts.flops)
        json["flops"] = *row.facts.flops;
    if (row.facts.bytes)
        json["bytes"] = *row.facts.bytes;
    for (const LoopCode *code : row.code)
        json["code"].push_back(toJson(*code));
    return json;
}

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

void show(const std::vector<Row> &rows)
{
    std::size_t width = 8;
    for (const Row &row : rows)
        width = std::max(width, 2 * row.depth + row.name.size());
    std::cout << std::format(
        "{:<{}} {:>8} {:>10} {:>10} {:>6} {:>6} {:>6} {:>5} {:>6} {:>6} {:>6} {:>14}  {}\n", "loop", width,
        "trips", "bytes", "flops/byte", "instr.", "vector", "scalar", "loads", "stores", "gather", "spill",
        "cycles", "limited by");
    const std::string indent = '\n' + std::string(width + 30, ' ');
    const auto number = [](const std::optional<double> &value, int digits) {
        return value ? std::format("{:.{}f}", *value, digits) : std::string("–");
    };
    for (const Row &row : rows) {
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
    const std::vector<Row> rows = rowsOf(nest, *code);
    if (!options.json) {
        show(rows);
        return Done;
    }
    Json json = Json::array();
    for (const Row &row : rows)
        json.push_back(toJson(row));
    return writeOutput({}, support::jsonText(json, 2) + '\n');
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
