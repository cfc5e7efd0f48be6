// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/memory_answers.h"

#include "core/support/text/json.h"

namespace nestwright::workbench {

using explore::CacheCounts;
using explore::LayoutChange;
using explore::LayoutGrid;
using explore::LevelCounts;
using support::Json;
using target::MemoryLevel;

namespace {

Json levelsJson(const LevelCounts &held)
{
    Json json{{"accesses", explore::accessesOf(held)}, {"hits", held.front()}, {"misses", Json::array()}};
    for (std::size_t level = 0; level + 1 < held.size(); ++level)
        json["misses"].push_back(explore::missesOf(held, level));
    return json;
}

Json gridJson(const LayoutChange &change, const LayoutGrid &grid)
{
    Json json{{"shape", grid.shape}, {"offsets", Json::array()}};
    std::size_t next = 0;
    for (std::int64_t row = 0; row < change.rows; ++row) {
        Json line = Json::array();
        for (std::int64_t column = 0; column < change.columns; ++column)
            line.push_back(grid.offsets[next++]);
        json["offsets"].push_back(std::move(line));
    }
    return json;
}

} // namespace

Json toJson(const CacheCounts &counts, const std::vector<MemoryLevel> &levels)
{
    Json json{{"caches", Json::array()},
              {"buffers", Json::array()},
              {"accesses", Json::array()},
              {"total", levelsJson(counts.total)},
              {"whole", counts.isWhole}};
    for (const MemoryLevel &level : levels)
        json["caches"].push_back(
            {{"name", level.name}, {"bytes", level.bytes}, {"ways", level.ways}, {"line", level.lineBytes}});
    for (const explore::TracedBuffer &buffer : counts.tables.buffers) {
        if (!buffer.name.empty())
            json["buffers"].push_back(
                {{"name", buffer.name}, {"address", buffer.address}, {"bytes", buffer.bytes}});
    }
    for (std::size_t i = 0; i < counts.held.size(); ++i) {
        const explore::TracedAccess &access = counts.tables.accesses[i];
        Json row = levelsJson(counts.held[i]);
        row["statement"] = access.statement;
        row["buffer"] = counts.tables.buffers[access.buffer].name;
        row["kind"] = access.isWrite ? "write" : "read";
        json["accesses"].push_back(std::move(row));
    }
    return json;
}

Json toJson(const std::vector<LayoutChange> &changes)
{
    Json json = Json::array();
    for (const LayoutChange &change : changes)
        json.push_back({{"step", change.step},
                        {"buffer", change.buffer},
                        {"before", gridJson(change, change.before)},
                        {"after", gridJson(change, change.after)}});
    return json;
}

} // namespace nestwright::workbench
