// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/worker_protocol.h"
#include "core/process/error_json.h"
#include "core/session/reuse/scaling.h"
#include "core/support/text/csv.h"
#include "core/support/text/json.h"
#include "core/support/text/text_table.h"

#include <format>

namespace nestwright::session {

using support::Json;

namespace {

constexpr double giga = 1e-9;

std::string reasonOf(const ScalingRow &row) { return row.why ? row.why->message : row.limit; }

} // namespace

std::string_view rateUnit(const ScalingTable &table) { return table.isOfBytes ? "GB/s" : "GFLOPS"; }

std::string printedTable(const ScalingTable &table)
{
    const std::string unit(rateUnit(table));
    std::vector<std::vector<std::string>> rows{
        {"threads", unit, "ideal", "roof", "times as fast", "of ideal", "limit"}};
    for (const ScalingRow &row : table.rows) {
        const double rate = table.rate(row), ideal = table.ideal(row);
        const auto number = [](double value) {
            return value > 0 ? std::format("{:.1f}", value * giga) : std::string("–");
        };
        const auto speedup = table.speedup(row);
        rows.push_back({std::to_string(row.threads), number(rate), number(ideal), number(row.roof),
                        speedup ? std::format("{:.2f}", *speedup) : "–",
                        speedup && ideal > 0 ? std::format("{:.0f} %", 100 * rate / ideal) : "–",
                        reasonOf(row)});
    }
    return std::format("{}, {}, {}\n", table.kernel, table.schedule, table.target.str())
           + support::lineUp(rows);
}

std::string csvOf(const ScalingTable &table)
{
    std::string text = "threads,rate,unit,ideal,roof,speedup,seconds,low,high,imbalance,serial,limit\n";
    for (const ScalingRow &row : table.rows) {
        const measure::Interval time = row.measured ? row.measured->time : measure::Interval();
        text += std::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", row.threads, table.rate(row) * giga,
                            rateUnit(table), table.ideal(row) * giga, row.roof * giga,
                            table.speedup(row).value_or(0), time.median, time.low, time.high, row.imbalance,
                            row.serial, support::csvField(reasonOf(row)));
    }
    return text;
}

Json toJson(const ScalingTable &table)
{
    Json json{{"kernel", table.kernel},
              {"schedule", table.schedule},
              {"target", table.target.str()},
              {"unit", rateUnit(table)},
              {"rows", Json::array()}};
    for (const ScalingRow &row : table.rows) {
        Json one{{"threads", row.threads}, {"imbalance", row.imbalance}, {"serial", row.serial}};
        if (row.measured) {
            one["measured"] = measure::toJson(*row.measured);
            one["rate"] = table.rate(row) * giga;
            one["ideal"] = table.ideal(row) * giga;
            one["roof"] = row.roof * giga;
        }
        if (!row.limit.empty())
            one["limit"] = row.limit;
        if (row.why)
            one["why"] = process::toJson(*row.why);
        json["rows"].push_back(std::move(one));
    }
    return json;
}

} // namespace nestwright::session
