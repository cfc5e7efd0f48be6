// SPDX-License-Identifier: Apache-2.0
#include "core/session/transfer_text.h"

#include "core/measure/worker_protocol.h"
#include "core/support/json.h"

#include <algorithm>
#include <format>

namespace nestwright::session {

using support::Json;

namespace {

/// As Unicode counts, for columns that line up.
std::size_t widthOf(std::string_view text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string padded(const std::string &text, std::size_t width)
{
    const std::size_t used = widthOf(text);
    return text + std::string(used < width ? width - used : 0, ' ');
}

/// In quotes where a comma, a quote or a line break makes them needed.
std::string csvField(const std::string &text)
{
    if (text.find_first_of(",\"\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

std::string resultWord(const TransferCell &cell)
{
    if (cell.ratio())
        return cell.ratio()->significant ? "significant" : "not significant";
    return !cell.isDone ? "not measured" : cell.scheduled ? "failed" : "does not apply";
}

/// Where an entry of the table is a reason, its place among the reasons below.
std::string shortText(const TransferCell &cell, std::vector<std::string> &reasons)
{
    if (cell.ratio() || !cell.isDone)
        return textOf(cell);
    const std::string reason = reasonOf(cell);
    auto found = std::ranges::find(reasons, reason);
    if (found == reasons.end())
        found = reasons.insert(reasons.end(), reason);
    return std::format("{} [{}]", resultWord(cell), found - reasons.begin() + 1);
}

} // namespace

std::string textOf(const lower::Target &target)
{
    lower::Target plain = target;
    plain.threads = 0;
    return plain.str()
           + (target.threads > 0 ? std::format(", {} thread{}", target.threads, target.threads > 1 ? "s" : "")
                                 : std::string());
}

std::string reasonOf(const TransferCell &cell)
{
    if (!cell.why)
        return {};
    return (cell.step.empty() ? "" : cell.step + ": ") + cell.why->message;
}

std::string textOf(const TransferCell &cell)
{
    const measure::Speedup *speedup = cell.ratio();
    if (!speedup)
        return cell.isDone ? reasonOf(cell) : "–";
    std::string text = std::format("{:.2f}× ({:.2f} … {:.2f})", speedup->ratio.median, speedup->ratio.low,
                                   speedup->ratio.high);
    if (!speedup->significant)
        text += " not significant";
    if (cell.scheduled->flops > 0)
        text += std::format(", {:.1f} GFLOPS", cell.scheduled->gflops());
    return text;
}

std::string printedTable(const TransferTable &table)
{
    std::vector<std::vector<std::string>> rows{{"shape"}};
    for (const lower::Target &target : table.targets)
        rows.front().push_back(textOf(target));
    std::vector<std::string> reasons;
    for (std::size_t row = 0; row < table.shapes.size(); ++row) {
        rows.push_back({textOf(table.shapes[row])});
        for (std::size_t column = 0; column < table.targets.size(); ++column)
            rows.back().push_back(shortText(table.at(row, column), reasons));
    }
    std::string text = std::format("{} over {}: times of {} over times of {}\n", table.schedule, table.base,
                                   table.base, table.schedule);
    std::vector<std::size_t> widths(table.targets.size() + 1, 0);
    for (const auto &row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(row[i]));
    }
    for (const auto &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += padded(row[i], widths[i] + 2);
        while (line.ends_with(' '))
            line.pop_back();
        text += line + '\n';
    }
    for (std::size_t i = 0; i < reasons.size(); ++i)
        text += std::format("[{}] {}\n", i + 1, reasons[i]);
    return text;
}

std::string csvOf(const TransferTable &table)
{
    std::string text =
        "shape,target,threads,ratio,low,high,result,gflops,base_gflops,seconds,base_seconds,why\n";
    for (std::size_t row = 0; row < table.shapes.size(); ++row) {
        for (std::size_t column = 0; column < table.targets.size(); ++column) {
            const TransferCell &cell = table.at(row, column);
            lower::Target plain = table.targets[column];
            plain.threads = 0;
            text += std::format("{},{},{},", csvField(textOf(table.shapes[row])), csvField(plain.str()),
                                measure::threadsOf(table.targets[column]));
            if (const measure::Speedup *speedup = cell.ratio())
                text += std::format("{},{},{},{},{},{},{},{},\n", speedup->ratio.median, speedup->ratio.low,
                                    speedup->ratio.high, resultWord(cell), cell.scheduled->gflops(),
                                    cell.base->gflops(), cell.scheduled->time.median, cell.base->time.median);
            else
                text += std::format(",,,{},,,,,{}\n", resultWord(cell), csvField(reasonOf(cell)));
        }
    }
    return text;
}

Json toJson(const TransferTable &table)
{
    Json json{{"schedule", table.schedule}, {"base", table.base}, {"cells", Json::array()}};
    for (std::size_t row = 0; row < table.shapes.size(); ++row) {
        for (std::size_t column = 0; column < table.targets.size(); ++column) {
            const TransferCell &cell = table.at(row, column);
            Json entry{{"sizes", table.shapes[row]},
                       {"target", table.targets[column].str()},
                       {"threads", measure::threadsOf(table.targets[column])},
                       {"result", resultWord(cell)}};
            if (const measure::Speedup *speedup = cell.ratio())
                entry["ratio"] = {{"median", speedup->ratio.median},
                                  {"low", speedup->ratio.low},
                                  {"high", speedup->ratio.high},
                                  {"significant", speedup->significant}};
            if (cell.why)
                entry["why"] = measure::toJson(*cell.why);
            if (!cell.step.empty())
                entry["step"] = cell.step;
            for (const auto &[name, each] : {std::pair("base", &cell.base), {"scheduled", &cell.scheduled}}) {
                if (!*each)
                    continue;
                entry[name] = measure::toJson(**each);
                entry[name]["gflops"] = (*each)->gflops();
            }
            json["cells"].push_back(std::move(entry));
        }
    }
    return json;
}

} // namespace nestwright::session
