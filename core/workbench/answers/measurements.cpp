// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/answers/measurements.h"

#include "core/measure/machine/perf_counters.h"
#include "core/measure/worker/worker_protocol.h"
#include "core/support/text/json.h"

namespace nestwright::workbench {

using support::Json;

Json toJson(const std::string &module, const std::string &target, const std::vector<std::string> &names,
            const std::vector<measure::Measurement> &results)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < results.size(); ++i) {
        Json entry = measure::toJson(results[i]);
        entry["name"] = names[i];
        entry["gflops"] = results[i].gflops();
        if (results[i].counters) {
            for (const measure::CounterFigure &figure : measure::figuresOf(*results[i].counters)) {
                if (figure.isDerived)
                    entry["counters"]["derived"][figure.name] = figure.value;
            }
        }
        list.push_back(std::move(entry));
    }
    return {{"module", module}, {"target", target}, {"variants", list}};
}

} // namespace nestwright::workbench
