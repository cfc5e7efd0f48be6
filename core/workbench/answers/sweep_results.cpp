// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/sweep_results.h"

#include "core/measure/statistics.h"
#include "core/support/text/json.h"

#include <algorithm>

namespace nestwright::workbench {

using explore::StepNumber;
using measure::Measurement;
using session::SweepGrid;
using session::SweepPoint;
using support::Json;
using support::Result;

std::vector<SweptProgram> programsOf(const std::vector<SweepPoint> &points)
{
    std::vector<SweptProgram> programs;
    for (const SweepPoint &point : points)
        programs.push_back({point.state ? &*point.state : nullptr, &point.prediction});
    return programs;
}

Result<SweepResults> measured(const ir::Module &reference, const target::Target &target,
                              const std::vector<SweptProgram> &programs)
{
    measure::MeasureJob job;
    job.reference = reference;
    job.target = target;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        if (!programs[i].state)
            continue;
        job.variants.push_back(programs[i].state->module);
        places.push_back(i);
    }
    SweepResults results;
    results.measured.resize(programs.size());
    if (places.empty())
        return results;
    measure::Measurer measurer;
    auto ranking = explore::rank(measurer, job, [](const measure::Progress &) {});
    if (!ranking)
        return support::fail(std::move(ranking.error()));
    for (std::size_t i = 0; i < places.size(); ++i) {
        ranking->measured[i].speedup.reset(); // over one of the others, whichever came first
        results.measured[places[i]] = std::move(ranking->measured[i]);
    }
    if (ranking->best)
        results.best = places[*ranking->best];
    for (const std::size_t each : ranking->tied)
        results.tied.push_back(places[each]);
    return results;
}

std::optional<double> agreement(const std::vector<SweptProgram> &programs, const SweepResults &results)
{
    std::vector<double> predicted, actual;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const Measurement *result = results.at(i);
        if (*programs[i].prediction && result && result->ok()) {
            predicted.push_back((*programs[i].prediction)->seconds);
            actual.push_back(result->time.median);
        }
    }
    return predicted.size() < 3 ? std::nullopt : std::optional(measure::rankCorrelation(predicted, actual));
}

void addFigures(Json &entry, const std::optional<explore::Prediction> &prediction,
                const SweepResults &results, std::size_t index)
{
    if (prediction)
        entry["predicted"] = {{"seconds", prediction->seconds}, {"limit", prediction->limit}};
    if (const Measurement *result = results.at(index))
        entry["measured"] = measure::toJson(*result);
    if (results.best)
        entry["best"] = index == *results.best;
    if (results.best)
        entry["tied"] = std::ranges::contains(results.tied, index);
}

void addAgreement(Json &json, const std::vector<SweptProgram> &programs, const SweepResults &results)
{
    if (const auto agrees = agreement(programs, results))
        json["rank-correlation"] = *agrees;
}

Json toJson(const StepNumber &number, const std::vector<SweepPoint> &points, const SweepResults &results)
{
    Json json{{"number", number.name}, {"points", Json::array()}};
    for (std::size_t i = 0; i < points.size(); ++i) {
        Json entry{{"value", points[i].value}};
        if (points[i].why)
            entry["refused"] = points[i].why->message;
        addFigures(entry, points[i].prediction, results, i);
        json["points"].push_back(std::move(entry));
    }
    addAgreement(json, programsOf(points), results);
    return json;
}

Json toJson(const session::VariantTree &tree, const SweepGrid &grid, const SweepResults &results)
{
    const auto axis = [&](const session::SweptNumber &swept, const std::vector<std::int64_t> &values) {
        return Json{
            {"number", swept.number.name}, {"step", tree.at(swept.variant).label}, {"values", values}};
    };
    Json json{{"down", axis(grid.axes.down, grid.axes.rows)},
              {"across", axis(grid.axes.across, grid.axes.columns)},
              {"cells", Json::array()}};
    for (std::size_t i = 0; i < grid.points.size(); ++i) {
        const SweepPoint &point = grid.points[i];
        Json entry{{"down", grid.axes.rows[i / grid.axes.columns.size()]}, {"across", point.value}};
        if (point.why)
            entry["refused"] = point.why->message;
        addFigures(entry, point.prediction, results, i);
        json["cells"].push_back(std::move(entry));
    }
    addAgreement(json, programsOf(grid.points), results);
    return json;
}

} // namespace nestwright::workbench
