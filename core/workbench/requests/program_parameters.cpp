// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/requests/program_parameters.h"

namespace nestwright::workbench {

using support::fail;
using support::Result;

Result<explore::StepPath> pathOf(Opener &opener, const Parameters &parameters)
{
    const std::string module = parameters.text(moduleParameter.name),
                      schedule = parameters.text(scheduleParameter.name);
    const auto start = opener.loadStart(module, schedule, true);
    return start ? opener.pathOf(*start, schedule) : fail(start.error());
}

Result<target::Target> targetOf(const Parameters &parameters)
{
    return parameters.has(targetParameter.name) ? target::parseTarget(parameters.text(targetParameter.name))
                                                : target::Target();
}

} // namespace nestwright::workbench
