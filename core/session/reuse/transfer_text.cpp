// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/transfer_text.h"

#include "core/measure/interval_json.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/worker/worker_protocol.h"
#include "core/process/error_json.h"
#include "core/support/text/csv.h"
#include "core/support/text/json.h"
#include "core/support/text/text_table.h"

#include <algorithm>
#include <format>

namespace nestwright::session {

using support::Json;

namespace {

std::string resultWord(const TransferCell &cell)
{
    if (cell.ratio())
        return cell.ratio()->significant ? "significant" : "not significant";
    return !cell.isDone ? "not measured" : cell.scheduled ? "failed" : "does not apply";
}

/// Text of a cell in the table. An entry that is a reason refers to its number among the reasons below.
std::string shortText(const TransferCell &cell, Reasons &reasons)
{
    if (cell.ratio() || !cell.isDone)
        return textOf(cell);
    return std::format("{} [{}]", resultWord(cell), reasons.place(reasonOf(cell)));
}

} // namespace

std::size_t Reasons::place(const std::string &reason)
{
    auto found = std::ranges::find(m_reasons, reason);
    if (found == m_reasons.end())
        found = m_reasons.insert(m_reasons.end(), reason);
    return static_cast<std::size_t>(found - m_reasons.begin()) + 1;
}

std::string Reasons::text() const
{
    std::string text;
    for (std::size_t i = 0; i < m_reasons.size(); ++i)
        text += std::format("[{}] {}\n", i + 1, m_reasons[i]);
    return text;
}

std::string ratioText(const measure::Speedup &speedup)
{
    return std::format("{:.2f}× ({:.2f} … {:.2f}){}", speedup.ratio.median, speedup.ratio.low,
                       speedup.ratio.high, speedup.significant ? "" : " not significant");
}

std::string textOf(const target::Target &target)
{
    target::Target plain = target;
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
    std::string text = ratioText(*speedup);
    if (cell.scheduled->flops > 0)
        text += std::format(", {:.1f} GFLOPS", cell.scheduled->gflops());
    return text;
}

std::string printedTable(const TransferTable &table)
{
    std::vector<std::vector<std::string>> rows{{"shape"}};
    for (const target::Target &target : table.targets)
        rows.front().push_back(textOf(target));
    Reasons reasons;
    for (std::size_t row = 0; row < table.shapes.size(); ++row) {
        rows.push_back({textOf(table.shapes[row])});
        for (std::size_t column = 0; column < table.targets.size(); ++column)
            rows.back().push_back(shortText(table.at(row, column), reasons));
    }
    std::string text = std::format("{} over {}: times of {} over times of {}\n", table.schedule, table.base,
                                   table.base, table.schedule);
    text += support::lineUp(rows);
    return text + reasons.text();
}

std::string csvOf(const TransferTable &table)
{
    std::string text =
        "shape,target,threads,ratio,low,high,result,gflops,base_gflops,seconds,base_seconds,why\n";
    for (std::size_t row = 0; row < table.shapes.size(); ++row) {
        for (std::size_t column = 0; column < table.targets.size(); ++column) {
            const TransferCell &cell = table.at(row, column);
            target::Target plain = table.targets[column];
            plain.threads = 0;
            text += std::format("{},{},{},", support::csvField(textOf(table.shapes[row])),
                                support::csvField(plain.str()), measure::threadsOf(table.targets[column]));
            if (const measure::Speedup *speedup = cell.ratio())
                text += std::format("{},{},{},{},{},{},{},{},\n", speedup->ratio.median, speedup->ratio.low,
                                    speedup->ratio.high, resultWord(cell), cell.scheduled->gflops(),
                                    cell.base->gflops(), cell.scheduled->time.median, cell.base->time.median);
            else
                text += std::format(",,,{},,,,,{}\n", resultWord(cell), support::csvField(reasonOf(cell)));
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
                entry["ratio"] = measure::toJson(*speedup);
            if (cell.why)
                entry["why"] = process::toJson(*cell.why);
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
