// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/sweep_output.h"

#include "core/measure/statistics.h"

#include <algorithm>
#include <format>
#include <map>

namespace nestwright::cli {

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

std::string milliseconds(double seconds) { return std::format("{:.4f} ms", seconds * 1e3); }

std::string describe(const Measurement &measurement)
{
    if (measurement.ok())
        return std::format("{} ({} .. {})", milliseconds(measurement.time.median),
                           milliseconds(measurement.time.low), milliseconds(measurement.time.high));
    return measurement.failure ? measurement.failure->message : "not measured";
}

namespace {

/// Of the programs that were both predicted and measured; nothing of fewer than three.
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

/// A row per value of `down`; `cellOf` gives the text of a cell.
std::string table(const SweepGrid &grid, const std::function<std::string(std::size_t)> &cellOf)
{
    std::string text = std::format("{:>8}", "");
    for (const std::int64_t value : grid.axes.columns)
        text += std::format(" {:>9}", value);
    text += '\n';
    for (std::size_t row = 0; row < grid.axes.rows.size(); ++row) {
        text += std::format("{:>8}", grid.axes.rows[row]);
        for (std::size_t column = 0; column < grid.axes.columns.size(); ++column)
            text += std::format(" {:>9}", cellOf(grid.index(row, column)));
        text += '\n';
    }
    return text;
}

std::string cellName(const SweepGrid &grid, std::size_t index)
{
    const std::size_t columns = grid.axes.columns.size();
    return std::format("{} × {}", grid.axes.rows[index / columns], grid.axes.columns[index % columns]);
}

/// A line per reason, with the cells that it holds for.
std::string refusals(const SweepGrid &grid)
{
    std::map<std::string, std::string> cells;
    for (std::size_t i = 0; i < grid.points.size(); ++i) {
        if (grid.points[i].why) {
            std::string &names = cells[grid.points[i].why->message];
            names.append(names.empty() ? "" : ", ").append(cellName(grid, i));
        }
    }
    std::string text;
    for (const auto &[why, names] : cells)
        text.append(names).append(": ").append(why).append(1, '\n');
    return text;
}

} // namespace

std::string conclusion(const std::vector<SweptProgram> &programs, const SweepResults &results,
                       const std::function<std::string(std::size_t)> &nameOf)
{
    std::string text;
    if (results.best) {
        text = "fastest: " + nameOf(*results.best);
        std::string tied;
        for (const std::size_t each : results.tied)
            tied += (tied.empty() ? "" : ", ") + nameOf(each);
        text += tied.empty() ? ", significantly\n" : "; no significant difference from it: " + tied + '\n';
    }
    if (const auto agrees = agreement(programs, results))
        text += std::format("order of predicted and measured: {:.2f} (1: the same)\n", *agrees);
    return text;
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

std::string gridText(const session::VariantTree &tree, const SweepGrid &grid, const SweepResults &results)
{
    std::string text =
        std::format("down: {}\nacross: {}\n\npredicted, ms\n", session::describe(tree, grid.axes.down),
                    session::describe(tree, grid.axes.across));
    text += table(grid, [&](std::size_t i) {
        const SweepPoint &point = grid.points[i];
        return point.prediction ? std::format("{:.4f}", point.prediction->seconds * 1e3) : std::string("–");
    });
    if (!results.measured.empty()) {
        text += "\nmeasured, ms (*: the fastest, ~: no significant difference from it)\n";
        text += table(grid, [&](std::size_t i) {
            const Measurement *result = results.at(i);
            if (!result)
                return std::string("–");
            const char *mark = i == results.best ? "*" : std::ranges::contains(results.tied, i) ? "~" : "";
            return result->ok() ? std::format("{}{:.4f}", mark, result->time.median * 1e3)
                                : std::string("failed");
        });
    }
    const std::string refused = refusals(grid);
    if (!refused.empty())
        text += "\nrefused (–)\n" + refused;
    for (std::size_t i = 0; i < results.measured.size(); ++i) {
        if (results.at(i) && !results.at(i)->ok())
            text += cellName(grid, i) + ": " + describe(*results.at(i)) + '\n';
    }
    const std::string end =
        conclusion(programsOf(grid.points), results, [&](std::size_t i) { return cellName(grid, i); });
    return end.empty() ? text : text + '\n' + end;
}

Json gridJson(const session::VariantTree &tree, const SweepGrid &grid, const SweepResults &results)
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

} // namespace nestwright::cli
