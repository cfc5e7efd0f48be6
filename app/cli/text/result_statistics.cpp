// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/result_statistics.h"

#include <algorithm>
#include <format>

namespace nestwright::cli {

using workbench::ResultStatistics;

std::string table(const std::vector<ResultStatistics> &results)
{
    std::size_t name = 4, type = 4;
    for (const ResultStatistics &each : results) {
        name = std::max(name, each.name.size());
        type = std::max(type, each.type.str().size());
    }
    std::string text =
        std::format("{:<{}}  {:<{}}  {:>11}  {:>11}  {:>11}  {:>11}  {:>9}  {:>10}\n", "name", name, "type",
                    type, "least", "greatest", "mean", "deviation", "zeros", "not finite");
    for (const ResultStatistics &each : results) {
        const graph::TensorStatistics &s = each.statistics;
        text += std::format("{:<{}}  {:<{}}  {:>11.5g}  {:>11.5g}  {:>11.5g}  {:>11.5g}  {:>9}  {:>10}{}\n",
                            each.name, name, each.type.str(), type, s.least, s.greatest, s.mean, s.deviation,
                            s.zeros, s.notFinite, each.isOutput ? "  output" : "");
    }
    return text;
}

} // namespace nestwright::cli
