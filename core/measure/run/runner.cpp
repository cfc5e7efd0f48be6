// SPDX-License-Identifier: Apache-2.0
#include "core/measure/run/runner.h"

#include "core/support/text/json.h"

namespace nestwright::measure {

using json = support::Json;
using support::fail;
using support::Result;

void Runner::warmUp()
{
    [[maybe_unused]] const auto started = m_worker.start(); // a failure shows with the first request
}

Result<std::vector<Measurement>> Runner::measure(const MeasureRequest &request, const ProgressSink &progress,
                                                 const std::stop_token &stop)
{
    const std::size_t count = request.candidates.size();
    const auto tell = [&](const json &line) {
        if (auto step = progressFromJson(line, count))
            progress(*step);
    };
    auto answer = m_worker.ask({{"do", "measure"}, {"request", toJson(request)}}, tell, stop);
    if (!answer)
        return fail(answer.error());
    auto measurements = measurementsFromJson(*answer, count);
    if (!measurements)
        return measurements;
    for (Measurement &each : *measurements) { // known here, so that it is not the worker's to say
        each.flops = request.flops;
        each.threads = request.threads;
    }
    return measurements;
}

Result<MachinePeak> Runner::measurePeak(int threads, const std::stop_token &stop)
{
    auto answer = m_worker.ask({{"do", "peak"}, {"threads", threads}}, [](const json &) {}, stop);
    if (!answer)
        return fail(answer.error());
    return machinePeakFromJson(answer->contains("peak") ? answer->at("peak") : json());
}

} // namespace nestwright::measure
