// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/loop_rows.h"

#include "core/support/text/json.h"

namespace nestwright::workbench {

using backend::LoopCode;
using support::Json;
using support::StmtId;

namespace {

Json codeJson(const LoopCode &code)
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

Json rowJson(const LoopRow &row)
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
        json["code"].push_back(codeJson(*code));
    return json;
}

} // namespace

std::vector<LoopRow> loopRows(const suggest::LoopNest &nest, const std::vector<LoopCode> &code)
{
    std::vector<LoopRow> rows;
    for (const StmtId id : nest.all()) {
        if (!nest.loop(id))
            continue;
        LoopRow row{suggest::loopFacts(nest, id), nest.name(id), nest.loopsTo(id).size() - 1, {}};
        for (const LoopCode &each : code) {
            if (each.loop == id)
                row.code.push_back(&each);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Json toJson(const std::vector<LoopRow> &rows)
{
    Json json = Json::array();
    for (const LoopRow &row : rows)
        json.push_back(rowJson(row));
    return json;
}

} // namespace nestwright::workbench
