// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/model_answers.h"

#include "core/ir/exact_integers.h"
#include "core/measure/interval_json.h"
#include "core/support/text/json.h"

#include <algorithm>
#include <utility>

namespace nestwright::workbench {

using support::Json;

namespace {

/// Elements from `first` on with the dimensions from `axis` on.
Json nested(const graph::OutputLabels &labels, const ir::NdArray &array, std::size_t axis, std::int64_t &next)
{
    if (axis == array.shape().size())
        return labelAt(labels, array, next++);
    Json list = Json::array();
    for (std::int64_t i = 0; i < array.shape()[axis]; ++i)
        list.push_back(nested(labels, array, axis + 1, next));
    return list;
}

std::int64_t columnsOf(const graph::OutputLabels &labels) { return std::ssize(*labels.columns); }

Json rowsByName(const graph::OutputLabels &labels, const ir::NdArray &array)
{
    Json rows = Json::array();
    for (std::int64_t i = 0; i < array.size(); ++i) {
        const std::int64_t column = i % columnsOf(labels);
        if (column == 0)
            rows.push_back(Json::object());
        rows.back()[(*labels.columns)[static_cast<std::size_t>(column)]] = array.at(i);
    }
    return rows;
}

} // namespace

Json toJson(const std::vector<ResultStatistics> &results)
{
    Json nodes = Json::array();
    for (const ResultStatistics &each : results) {
        const graph::TensorStatistics &s = each.statistics;
        nodes.push_back({{"name", each.name},
                         {"type", each.type.str()},
                         {"output", each.isOutput},
                         {"elements", s.elements},
                         {"zeros", s.zeros},
                         {"not_finite", s.notFinite},
                         {"least", s.least},
                         {"greatest", s.greatest},
                         {"mean", s.mean},
                         {"deviation", s.deviation},
                         {"histogram", s.histogram}});
    }
    return {{"nodes", nodes}};
}

std::string labelAt(const graph::OutputLabels &labels, const ir::NdArray &array, std::int64_t i)
{
    const std::int64_t place = ir::integerAt(array, i);
    return place < 0 || place >= std::ssize(*labels.texts) ? std::to_string(place)
                                                           : (*labels.texts)[static_cast<std::size_t>(place)];
}

Json toJson(const graph::OutputLabels &labels, const ir::NdArray &array)
{
    std::int64_t next = 0;
    return labels.texts ? nested(labels, array, 0, next) : rowsByName(labels, array);
}

Json toJson(const Generated &found)
{
    return {{"tokens_per_second", found.tokensPerSecond()},
            {"seconds", found.seconds},
            {"tokens", found.tokens},
            {"places", found.places},
            {"kernels", found.kernels},
            {"compile_seconds", found.compiling},
            {"other_load", found.otherLoad},
            {"disturbed", found.disturbed}};
}

Json toJson(const session::ModelTimes &times, const BenchFigures &figures)
{
    Json json = session::toJson(times);
    json["compile_seconds"] = figures.compiling;
    json["memory_bytes"] = figures.memoryBytes;
    json["process_bytes"] = figures.processBytes;
    if (figures.speedup)
        json["speedup"] = measure::toJson(*figures.speedup);
    for (std::size_t i = 0; i < figures.kernels.size(); ++i)
        json["kernels"][i]["speedup"] = measure::toJson(figures.kernels[i]);
    return json;
}

Json compiledLine(std::size_t done, std::size_t all) { return {{"compiled", done}, {"of", all}}; }

Json runLine(std::size_t done, int all) { return {{"ran", done}, {"of", all}}; }

Json tokenLine(std::size_t done, int all, double seconds)
{
    return {{"token", done}, {"of", all}, {"seconds", seconds}};
}

} // namespace nestwright::workbench
