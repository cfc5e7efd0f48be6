// SPDX-License-Identifier: Apache-2.0
#include "core/session/model/model_times.h"

#include "core/graph/strategy/strategy.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "core/support/files/checksum.h"
#include "core/support/text/json.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <format>
#include <utility>

namespace nestwright::session {

using json = support::Json;
using support::Result;

namespace {

bool isDuration(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

/// Whether the figures can be those of a run.
bool arePossible(const ModelTimes &times)
{
    const measure::Interval &all = times.seconds;
    return isDuration(all.low) && isDuration(all.high) && all.low <= all.median && all.median <= all.high
           && all.median > 0 && isDuration(times.otherLoad) && isDuration(times.peak.flops)
           && isDuration(times.peak.bytes)
           && std::ranges::all_of(times.kernels,
                                  [](const ModelTimes::Kernel &each) {
                                      return isDuration(each.seconds) && isDuration(each.work.flops)
                                             && isDuration(each.work.bytes) && each.nodes >= 0;
                                  })
           && std::ranges::all_of(times.nodes, isDuration, &ModelTimes::Node::seconds);
}

ModelTimes timesFrom(const json &value)
{
    ModelTimes times{.target = value.value("target", ""),
                     .threads = value.value("threads", 0),
                     .machine = value.value("machine", ""),
                     .date = value.value("date", ""),
                     .seconds = {value.at("seconds_low").get<double>(), value.at("seconds").get<double>(),
                                 value.at("seconds_high").get<double>()},
                     .runs = value.value("runs", 0),
                     .otherLoad = value.value("other_load", 0.0),
                     .disturbed = value.value("disturbed", false),
                     .peak = {value.value("peak_flops", 0.0), value.value("memory_bytes_per_second", 0.0)}};
    for (const json &kernel : value.at("kernels"))
        times.kernels.push_back({kernel.at("name").get<std::string>(),
                                 kernel.value("nodes", 0),
                                 kernel.at("seconds").get<double>(),
                                 {kernel.value("flops", 0.0), kernel.value("bytes", 0.0)},
                                 kernel.value("schedule", "")});
    for (const json &node : value.value("nodes", json::array()))
        times.nodes.push_back(
            {node.at("name").get<std::string>(), node.value("kernel", ""), node.at("seconds").get<double>()});
    return times;
}

} // namespace

void keep(std::vector<ModelTimes> &kept, ModelTimes times)
{
    kept.push_back(std::move(times));
    if (kept.size() > mostModelTimes)
        kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(mostModelTimes));
}

std::string dateOfNow()
{
    return std::format("{:%FT%TZ}",
                       std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

std::string scheduleMark(const ir::Module &unscheduled, const schedule::State &scheduled,
                         const target::Machine &machine)
{
    const auto usual = graph::defaultSchedule(unscheduled, machine);
    if (usual && ir::structurallyEqual(usual->state.module, scheduled.module))
        return {};
    return std::format("{:016x}", support::checksum(script::print(scheduled.module).text));
}

json toJson(const ModelTimes &times)
{
    json value{{"target", times.target},
               {"threads", times.threads},
               {"machine", times.machine},
               {"date", times.date},
               {"seconds", times.seconds.median},
               {"seconds_low", times.seconds.low},
               {"seconds_high", times.seconds.high},
               {"runs", times.runs},
               {"other_load", times.otherLoad},
               {"disturbed", times.disturbed},
               {"kernels", json::array()},
               {"nodes", json::array()}};
    if (times.peak.flops > 0) {
        value["peak_flops"] = times.peak.flops;
        value["memory_bytes_per_second"] = times.peak.bytes;
    }
    for (const ModelTimes::Kernel &each : times.kernels) {
        json kernel{{"name", each.name},
                    {"nodes", each.nodes},
                    {"seconds", each.seconds},
                    {"flops", each.work.flops},
                    {"bytes", each.work.bytes}};
        if (!each.schedule.empty())
            kernel["schedule"] = each.schedule;
        value["kernels"].push_back(std::move(kernel));
    }
    for (const ModelTimes::Node &each : times.nodes)
        value["nodes"].push_back({{"name", each.name}, {"kernel", each.kernel}, {"seconds", each.seconds}});
    return value;
}

Result<ModelTimes> modelTimesFromJson(const json &value)
{
    try {
        ModelTimes times = timesFrom(value);
        if (arePossible(times))
            return times;
    } catch (const json::exception &) { // it lacks something: the same answer
    }
    return support::fail(support::diagnostic("session.times",
                                             "times of the model cannot be read: a figure is missing or "
                                             "cannot be")
                             .withHint("time the model again with nestc bench-model"));
}

} // namespace nestwright::session
