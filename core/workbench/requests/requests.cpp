// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/requests/declarations.h"

namespace nestwright::workbench {

using support::Json;
using support::Result;

namespace {

Result<Json> allRequests(Opener &, const Parameters &)
{
    Json all = Json::array();
    for (const Request *each : requests())
        all.push_back({{"name", each->name},
                       {"title", each->title},
                       {"parameters", schemaOf(*each)},
                       {"answer", each->answer}});
    return all;
}

} // namespace

constinit const Request requestsRequest{"requests",
                                        "List the requests",
                                        {},
                                        "a list: name, title, parameters (JSON Schema), answer",
                                        allRequests};

} // namespace nestwright::workbench
