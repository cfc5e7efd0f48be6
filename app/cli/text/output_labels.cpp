// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/output_labels.h"

#include "app/cli/command.h"
#include "core/support/text/json_output.h"
#include "core/workbench/answers/model_answers.h"

#include <algorithm>
#include <format>

namespace nestwright::cli {

namespace {

std::int64_t columnsOf(const graph::OutputLabels &labels) { return std::ssize(*labels.columns); }

std::string asLines(const graph::OutputLabels &labels, const ir::NdArray &array)
{
    std::string text;
    if (labels.texts) {
        for (std::int64_t i = 0; i < array.size(); ++i)
            text += workbench::labelAt(labels, array, i) + '\n';
        return text;
    }
    for (const std::string &name : *labels.columns)
        text += (text.empty() ? "" : "\t") + name;
    for (std::int64_t i = 0; i < array.size(); ++i)
        text += std::format("{}{}", i % columnsOf(labels) == 0 ? '\n' : '\t', array.at(i));
    return text + '\n';
}

} // namespace

std::string labelLine(const std::string &name, const graph::OutputLabels &labels, const ir::NdArray &array)
{
    constexpr std::int64_t mostShown = 10;
    std::string list;
    const auto add = [&](const std::string &text) {
        list += std::format("{}\"{}\"", list.empty() ? "" : ", ", text);
    };
    const std::int64_t count = labels.texts ? array.size() : labels.columns ? columnsOf(labels) : 0;
    for (std::int64_t i = 0; i < std::min(count, mostShown); ++i)
        add(labels.texts ? workbench::labelAt(labels, array, i)
                         : (*labels.columns)[static_cast<std::size_t>(i)]);
    if (list.empty())
        return {};
    return std::format("{} {}: {}{}\n", name, labels.texts ? "is text" : "has columns", list,
                       count > mostShown ? ", …" : "");
}

bool holdsLabels(const std::string &path) { return path.ends_with(".json") || path.ends_with(".txt"); }

support::Result<void> writeLabelled(const std::string &path, const graph::OutputLabels &labels,
                                    const ir::NdArray &array)
{
    if (!path.ends_with(".json"))
        return writeText(path, asLines(labels, array));
    return writeText(path, support::jsonText(workbench::toJson(labels, array)) + '\n');
}

} // namespace nestwright::cli
