// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/sweep_output.h"

#include <algorithm>
#include <format>
#include <map>

namespace nestwright::cli {

using measure::Measurement;
using session::SweepGrid;
using session::SweepPoint;
using workbench::SweepResults;
using workbench::SweptProgram;

std::string milliseconds(double seconds) { return std::format("{:.4f} ms", seconds * 1e3); }

std::string describe(const Measurement &measurement)
{
    if (measurement.ok())
        return std::format("{} ({} .. {})", milliseconds(measurement.time.median),
                           milliseconds(measurement.time.low), milliseconds(measurement.time.high));
    return measurement.failure ? measurement.failure->message : "not measured";
}

namespace {

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
    if (const auto agrees = workbench::agreement(programs, results))
        text += std::format("order of predicted and measured: {:.2f} (1: the same)\n", *agrees);
    return text;
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
    const std::string end = conclusion(workbench::programsOf(grid.points), results,
                                       [&](std::size_t i) { return cellName(grid, i); });
    return end.empty() ? text : text + '\n' + end;
}

std::string placesText(const workbench::PlaceSweep &sweep, const SweepResults &results)
{
    std::string text =
        std::format("{} {} of '{}'", sweep.legal, sweep.legal == 1 ? "place" : "places", sweep.name);
    text += sweep.places.size() < sweep.legal
                ? std::format(", the best {} as predicted:\n", sweep.places.size())
                : std::string(":\n");
    const std::vector<SweptProgram> programs = sweep.programs();
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const auto &prediction = *programs[i].prediction;
        text += std::format("{:<44} {:>14}  {:<22}", sweep.label(i),
                            prediction ? milliseconds(prediction->seconds) : "–",
                            prediction ? prediction->limit : "");
        if (const measure::Measurement *result = results.at(i))
            text += ' ' + describe(*result);
        text += '\n';
    }
    return text + conclusion(programs, results, [&](std::size_t i) { return sweep.label(i); });
}

} // namespace nestwright::cli
