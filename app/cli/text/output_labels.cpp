// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/output_labels.h"

#include "app/cli/command.h"
#include "core/ir/exact_integers.h"
#include "core/support/text/json_output.h"

#include <algorithm>
#include <format>

namespace nestwright::cli {

namespace {

/// The text of an element; a place outside the table is shown as a number.
std::string textAt(const graph::OutputLabels &labels, const ir::NdArray &array, std::int64_t i)
{
    const std::int64_t place = ir::integerAt(array, i);
    return place < 0 || place >= std::ssize(*labels.texts) ? std::to_string(place)
                                                           : (*labels.texts)[static_cast<std::size_t>(place)];
}

/// Elements from `first` on with the dimensions from `axis` on.
support::Json nested(const graph::OutputLabels &labels, const ir::NdArray &array, std::size_t axis,
                     std::int64_t &next)
{
    if (axis == array.shape().size())
        return textAt(labels, array, next++);
    support::Json list = support::Json::array();
    for (std::int64_t i = 0; i < array.shape()[axis]; ++i)
        list.push_back(nested(labels, array, axis + 1, next));
    return list;
}

std::int64_t columnsOf(const graph::OutputLabels &labels) { return std::ssize(*labels.columns); }

support::Json rowsByName(const graph::OutputLabels &labels, const ir::NdArray &array)
{
    support::Json rows = support::Json::array();
    for (std::int64_t i = 0; i < array.size(); ++i) {
        const std::int64_t column = i % columnsOf(labels);
        if (column == 0)
            rows.push_back(support::Json::object());
        rows.back()[(*labels.columns)[static_cast<std::size_t>(column)]] = array.at(i);
    }
    return rows;
}

std::string asLines(const graph::OutputLabels &labels, const ir::NdArray &array)
{
    std::string text;
    if (labels.texts) {
        for (std::int64_t i = 0; i < array.size(); ++i)
            text += textAt(labels, array, i) + '\n';
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
        add(labels.texts ? textAt(labels, array, i) : (*labels.columns)[static_cast<std::size_t>(i)]);
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
    std::int64_t next = 0;
    return writeText(
        path,
        support::jsonText(labels.texts ? nested(labels, array, 0, next) : rowsByName(labels, array)) + '\n');
}

} // namespace nestwright::cli
