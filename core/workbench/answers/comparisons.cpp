// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/comparisons.h"

#include "core/measure/interval_json.h"
#include "core/support/text/json.h"

namespace nestwright::workbench {

using explore::Comparison;
using explore::LoopPair;
using explore::LoopView;
using explore::Metric;
using support::Json;
using Part = ModelComparison::Part;

namespace {

Json jsonOf(const std::optional<double> &value) { return value ? Json(*value) : Json(); }

Json rowJson(const Comparison &comparison, const LoopPair &pair)
{
    const LoopView *first = comparison.first.loop(pair.first), *second = comparison.second.loop(pair.second);
    Json row{{"first", first ? Json(first->name) : Json()}, {"second", second ? Json(second->name) : Json()}};
    row["depth"] = second ? second->depth : first ? first->depth : 0;
    for (const Metric &metric : explore::metrics()) {
        const explore::MetricPair values = comparison.metricPair(metric, pair);
        if (values.isKnown())
            row[std::string(metric.name)] = {jsonOf(values.first), jsonOf(values.second)};
    }
    return row;
}

Json jsonOf(const Part &part)
{
    Json json{{"name", part.name}, {"nodes", part.nodes}, {"same", part.isSame}};
    if (!part.sentence.empty())
        json["sentence"] = part.sentence;
    if (part.speedup) {
        json["seconds"] = {part.before, part.after};
        json["speedup"] = measure::toJson(*part.speedup);
    }
    return json;
}

} // namespace

Json toJson(const Comparison &comparison, const std::optional<measure::Speedup> &speedup)
{
    Json json{{"names", {comparison.first.name, comparison.second.name}},
              {"sentence", comparison.sentence},
              {"same-code", comparison.isSameCode},
              {"loops", Json::array()}};
    if (comparison.first.cycles && comparison.second.cycles)
        json["cycles"] = {*comparison.first.cycles, *comparison.second.cycles};
    if (!comparison.reason.empty())
        json["reason"] = comparison.reason;
    if (comparison.seconds.first || comparison.seconds.second)
        json["seconds"] = {jsonOf(comparison.seconds.first), jsonOf(comparison.seconds.second)};
    for (const LoopPair &pair : comparison.pairs)
        json["loops"].push_back(rowJson(comparison, pair));
    if (speedup)
        json["speedup"] = {{"ratio", speedup->ratio.median},
                           {"low", speedup->ratio.low},
                           {"high", speedup->ratio.high},
                           {"significant", speedup->significant}};
    return json;
}

Json toJson(const ModelComparison &comparison)
{
    Json json{{"names", {comparison.names.first, comparison.names.second}}, {"kernels", Json::array()}};
    for (const Part &kernel : comparison.kernels)
        json["kernels"].push_back(jsonOf(kernel));
    json["total"] = jsonOf(comparison.whole);
    if (!comparison.left.empty())
        json["left"] = comparison.left;
    return json;
}

} // namespace nestwright::workbench
