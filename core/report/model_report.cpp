// SPDX-License-Identifier: Apache-2.0
#include "core/report/model_report.h"

#include "core/report/escapes.h"
#include "core/report/page.h"
#include "core/support/build_facts.h"
#include "core/support/text/csv.h"
#include "core/support/text/json_output.h"
#include "core/support/text/visible.h"

#include <algorithm>
#include <filesystem>
#include <format>
#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace nestwright::report {

using session::ModelTimes;
using session::ModelWork;
using support::Json;
using support::visibleName;

namespace {

/// One line of the table: the model, a kernel or a node.
struct ModelRow {
    std::string_view kind;
    std::string name, kernel{}; ///< kernel: of a node
    int nodes = 0;
    std::optional<double> seconds{}, share{}, gflops{}, ofPeak{};
    std::string schedule{}; ///< of a kernel, with what is to be said of it
};

/// "default", "tiled", "split +3": the name of the current variant, or its last step.
std::string scheduleName(const session::Session &session)
{
    const session::Variant &current = session.tree().current();
    if (!current.name.empty())
        return current.name;
    return current.label;
}

/// The schedule of a kernel now, and whether it was another one when the kernel was timed.
std::pair<std::string, bool> scheduleOf(const ModelWork &work, const std::string &kernel,
                                        const std::string &timedMark)
{
    const auto session = work.sessions.find(kernel);
    if (session == work.sessions.end())
        return {"default", !timedMark.empty()};
    const session::VariantTree &tree = session->second.tree();
    if (!tree.current().ok())
        return {"default", !timedMark.empty()};
    const std::string mark =
        session::scheduleMark(tree.root().state->module, *tree.current().state, work.settings.machine);
    return {mark.empty() ? "default" : scheduleName(session->second), mark != timedMark};
}

ModelRow kernelRow(const ModelWork &work, const ModelTimes &times, const ModelTimes::Kernel &kernel)
{
    const auto [schedule, isOther] = scheduleOf(work, kernel.name, kernel.schedule);
    ModelRow row{.kind = "kernel",
                 .name = kernel.name,
                 .nodes = kernel.nodes,
                 .seconds = kernel.seconds,
                 .share = kernel.seconds / times.seconds.median,
                 .schedule = schedule + (isOther ? " (timed with another)" : "")};
    if (kernel.seconds > 0 && kernel.work.flops > 0)
        row.gflops = kernel.work.flops / kernel.seconds * 1e-9;
    if (times.peak.flops > 0)
        row.ofPeak = measure::peakFraction(kernel.work, kernel.seconds, times.peak);
    return row;
}

/// Kernels, those that take most time first; of a session without times those that were worked on.
std::vector<ModelRow> kernelRows(const ModelWork &work)
{
    std::vector<ModelRow> rows;
    if (!work.times.empty()) {
        for (const ModelTimes::Kernel &kernel : work.times.back().kernels)
            rows.push_back(kernelRow(work, work.times.back(), kernel));
        std::ranges::stable_sort(rows, std::greater(), &ModelRow::seconds);
    }
    for (const auto &[name, session] : work.sessions) {
        if (!std::ranges::contains(rows, name, &ModelRow::name))
            rows.push_back({.kind = "kernel", .name = name, .schedule = scheduleOf(work, name, {}).first});
    }
    return rows;
}

std::vector<ModelRow> nodeRows(const ModelWork &work)
{
    std::vector<ModelRow> rows;
    if (work.times.empty())
        return rows;
    const ModelTimes &times = work.times.back();
    for (const ModelTimes::Node &node : times.nodes)
        rows.push_back({.kind = "node",
                        .name = node.name,
                        .kernel = node.kernel,
                        .nodes = 1,
                        .seconds = node.seconds,
                        .share = node.seconds / times.seconds.median});
    std::ranges::stable_sort(rows, std::greater(), &ModelRow::seconds);
    return rows;
}

std::string number(const std::optional<double> &value, double factor, int digits)
{
    return value ? std::format("{:.{}f}", *value * factor, digits) : std::string();
}

std::string modelName(const ModelWork &work)
{
    return std::filesystem::path(work.modelPath).filename().string();
}

/// "target llvm, 2 threads, AMD EPYC 9B14, 2026-11-29T16:40:12Z".
std::string timedText(const ModelTimes &times)
{
    return std::format("target {}, {} {}, {}, {}{}", times.target, times.threads,
                       times.threads == 1 ? "thread" : "threads", times.machine, times.date,
                       times.disturbed ? ", on a busy machine" : "");
}

std::string intervalText(const measure::Interval &seconds)
{
    return std::format("{:.4g} ({:.4g} … {:.4g})", seconds.median * 1e3, seconds.low * 1e3,
                       seconds.high * 1e3);
}

/// The last measurement as a sentence.
std::string originOf(const ModelWork &work)
{
    if (work.times.empty())
        return "Not timed yet: nestc bench-model SESSION.nest keeps times in the session";
    const ModelTimes &last = work.times.back();
    return std::format("{} ms in {} runs; {}", intervalText(last.seconds), last.runs, timedText(last));
}

constexpr std::string_view kernelHead[] = {"kernel", "nodes", "ms", "share", "GFLOPS", "of peak", "schedule"};

std::vector<std::string> kernelCells(const ModelRow &row)
{
    const std::string share = number(row.share, 100, 1), ofPeak = number(row.ofPeak, 100, 0);
    return {row.name,
            row.nodes > 0 ? std::to_string(row.nodes) : "",
            number(row.seconds, 1e3, 4),
            share.empty() ? "" : share + " %",
            number(row.gflops, 1, 1),
            ofPeak.empty() ? "" : ofPeak + " %",
            row.schedule};
}

constexpr std::string_view nodeHead[] = {"node", "kernel", "ms", "share"};

std::vector<std::string> nodeCells(const ModelRow &row)
{
    return {row.name, row.kernel, number(row.seconds, 1e3, 4), number(row.share, 100, 1) + " %"};
}

constexpr std::string_view runHead[] = {"date", "ms", "runs", "target", "threads", "machine"};

std::vector<std::string> runCells(const ModelTimes &times)
{
    return {times.date,   intervalText(times.seconds),   std::to_string(times.runs),
            times.target, std::to_string(times.threads), times.machine};
}

/// Whether a column of the heads above holds text.
bool isText(std::string_view head)
{
    constexpr std::string_view texts[] = {"kernel", "node", "schedule", "date", "target", "machine"};
    return std::ranges::contains(texts, head);
}

std::string markdownRows(std::span<const std::string_view> head,
                         const std::vector<std::vector<std::string>> &rows)
{
    std::string text = "|", rule = "|";
    for (const std::string_view title : head) {
        text += std::format(" {} |", title);
        rule += isText(title) ? "---|" : "--:|";
    }
    text += '\n' + rule + '\n';
    for (const std::vector<std::string> &row : rows) {
        text += '|';
        for (const std::string &each : row)
            text += ' ' + markdownCell(each) + " |";
        text += '\n';
    }
    return text;
}

std::string htmlRows(const std::string &title, std::span<const std::string_view> head,
                     const std::vector<std::vector<std::string>> &rows)
{
    if (rows.empty())
        return {};
    std::string text =
        "<section class=\"card\"><h2>" + title + "</h2><div class=\"scroll\"><table>\n<thead><tr>";
    const auto cell = [&](std::string_view element, std::size_t column, std::string_view content) {
        text += std::format("<{}{}>{}</{}>", element, isText(head[column]) ? " class=\"text\"" : "",
                            htmlText(visibleName(std::string(content))), element);
    };
    for (std::size_t i = 0; i < head.size(); ++i)
        cell("th", i, head[i]);
    text += "</tr></thead>\n<tbody>\n";
    for (const std::vector<std::string> &row : rows) {
        text += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i)
            cell("td", i, row[i]);
        text += "</tr>\n";
    }
    return text + "</tbody></table></div></section>\n";
}

/// The cells of all rows, and of the runs, the newest first.
struct ModelTables {
    std::vector<std::vector<std::string>> kernels{}, nodes{}, runs{};
};

ModelTables tablesOf(const ModelWork &work)
{
    ModelTables tables;
    for (const ModelRow &row : kernelRows(work))
        tables.kernels.push_back(kernelCells(row));
    for (const ModelRow &row : nodeRows(work))
        tables.nodes.push_back(nodeCells(row));
    for (auto each = work.times.rbegin(); each != work.times.rend(); ++each)
        tables.runs.push_back(runCells(*each));
    return tables;
}

std::string htmlOf(const ModelWork &work)
{
    const std::string name = htmlText(visibleName(modelName(work)));
    const ModelTables tables = tablesOf(work);
    return pageHead(name) + "<h1>" + name + "</h1>\n<div class=\"soft\">"
           + htmlText(visibleName(originOf(work))) + ". By Nestwright " + htmlText(support::programVersion())
           + ".</div>\n" + htmlRows("Kernels", kernelHead, tables.kernels)
           + htmlRows("Nodes", nodeHead, tables.nodes) + htmlRows("Measurements", runHead, tables.runs)
           + "</body></html>\n";
}

std::string markdownOf(const ModelWork &work)
{
    const ModelTables tables = tablesOf(work);
    std::string text = "# " + markdownCell(modelName(work)) + "\n\n" + markdownCell(originOf(work)) + ".\n\n"
                       + markdownRows(kernelHead, tables.kernels);
    if (!tables.nodes.empty())
        text += "\n" + markdownRows(nodeHead, tables.nodes);
    if (tables.runs.size() > 1)
        text += "\n" + markdownRows(runHead, tables.runs);
    return text;
}

std::string csvOf(const ModelWork &work)
{
    std::string text =
        "kind,name,kernel,nodes,seconds,share,gflops,of peak,schedule,target,threads,machine,date\n";
    std::vector<ModelRow> rows;
    if (!work.times.empty())
        rows.push_back({.kind = "model",
                        .name = modelName(work),
                        .nodes = static_cast<int>(work.times.back().nodes.size()),
                        .seconds = work.times.back().seconds.median,
                        .share = 1});
    for (const auto &more : {kernelRows(work), nodeRows(work)})
        rows.insert(rows.end(), more.begin(), more.end());
    std::string where = ",,,";
    if (!work.times.empty()) {
        const ModelTimes &last = work.times.back();
        where = std::format("{},{},{},{}", support::csvField(last.target), last.threads,
                            support::csvField(last.machine), support::csvField(last.date));
    }
    const auto plain = [](const std::optional<double> &value) {
        return value ? std::format("{}", *value) : std::string();
    };
    for (const ModelRow &row : rows)
        text += std::format(
            "{},{},{},{},{},{},{},{},{},{}\n", row.kind, support::csvField(visibleName(row.name)),
            support::csvField(visibleName(row.kernel)), row.nodes, plain(row.seconds), plain(row.share),
            plain(row.gflops), plain(row.ofPeak), support::csvField(visibleName(row.schedule)), where);
    return text;
}

std::string jsonOf(const ModelWork &work)
{
    Json json{{"model", modelName(work)},
              {"path", work.modelPath},
              {"kernels", Json::array()},
              {"times", Json::array()}};
    for (const ModelRow &row : kernelRows(work)) {
        Json entry{{"name", row.name}, {"nodes", row.nodes}, {"schedule", row.schedule}};
        for (const auto &[key, value] : {std::pair("seconds", row.seconds), std::pair("share", row.share),
                                         std::pair("gflops", row.gflops), std::pair("of-peak", row.ofPeak)}) {
            if (value)
                entry[key] = *value;
        }
        json["kernels"].push_back(std::move(entry));
    }
    for (const ModelTimes &times : work.times)
        json["times"].push_back(session::toJson(times));
    return support::jsonText(json, 2) + '\n';
}

} // namespace

ModelForm modelFormOf(std::string_view fileName)
{
    return fileName.ends_with(".md")     ? ModelForm::Markdown
           : fileName.ends_with(".csv")  ? ModelForm::Csv
           : fileName.ends_with(".json") ? ModelForm::Json
                                         : ModelForm::Html;
}

std::string modelReport(const ModelWork &work, ModelForm form)
{
    switch (form) {
    case ModelForm::Html: return htmlOf(work);
    case ModelForm::Markdown: return markdownOf(work);
    case ModelForm::Csv: return csvOf(work);
    case ModelForm::Json: break;
    }
    return jsonOf(work);
}

} // namespace nestwright::report
