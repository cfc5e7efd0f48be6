// SPDX-License-Identifier: Apache-2.0
#include "core/measure/interval_json.h"

#include "core/support/text/json.h"

namespace nestwright::measure {

using support::Json;

Json toJson(const Interval &interval)
{
    return {{"low", interval.low}, {"median", interval.median}, {"high", interval.high}};
}

Json toJson(const Speedup &speedup)
{
    Json json = toJson(speedup.ratio);
    json["significant"] = speedup.significant;
    return json;
}

} // namespace nestwright::measure
